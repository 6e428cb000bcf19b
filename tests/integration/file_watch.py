# SPDX-License-Identifier: GPL-2.0-or-later
"""inotify on one file."""

import ctypes
import os
import struct

IN_MODIFY = 0x2
_IN_NONBLOCK = 0o4000

_libc = ctypes.CDLL(None, use_errno=True)


class FileWatch:
    """Until the end of the test @case."""

    def __init__(self, case, path, mask=IN_MODIFY):
        self.fd = _libc.inotify_init1(_IN_NONBLOCK)
        case.addCleanup(os.close, self.fd)
        case.assertGreater(_libc.inotify_add_watch(self.fd, path.encode(), mask), 0)

    def take(self):
        """The masks that came."""
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            return []
        masks = []
        while data:
            _wd, mask, _cookie, length = struct.unpack_from('iIII', data)
            masks.append(mask)
            data = data[16 + length:]
        return masks
