# SPDX-License-Identifier: GPL-2.0-or-later
"""The simulated kernel as its files are seen through the mount: what a program may rely on in sysfs, and
what a test may rely on besides."""

import ctypes
import errno
import os
import select
import signal
import threading
import time

import gi

gi.require_version('GUdev', '1.0')
from gi.repository import GUdev

import harness
import sim_case
import simkernel
from boost_case import POLICY_DIR
from file_watch import IN_MODIFY, FileWatch

EPP = POLICY_DIR + 'policy1/energy_performance_preference'
GOVERNOR = POLICY_DIR + 'policy1/scaling_governor'
PLATFORM = '/sys/firmware/acpi/platform_profile'
BOOT_EPP = 'balance_performance'
READ = select.POLLPRI | select.POLLERR

libc = ctypes.CDLL(None, use_errno=True)


def read_once(fd, offset=0):
    return os.pread(fd, 4096, offset).decode()


class MountCase(sim_case.SimTestCase):

    def setUp(self):
        super().setUp()
        self.make_tree()

    def open(self, path, flags=os.O_RDWR):
        fd = os.open(self.path(path), flags)
        self.addCleanup(os.close, fd)
        return fd

    def assert_errno(self, name, call, *args):
        with self.assertRaises(OSError) as caught:
            call(*args)
        self.assertEqual(errno.errorcode[caught.exception.errno], name)

    def settle_inotify(self):
        """What the simulated kernel announces goes through a process of its own: after this it has told
        what it had to tell before. Told by a file of its own, PLATFORM."""
        watch = FileWatch(self, self.path(PLATFORM))
        self.sim.command('platform firmware performance')
        self.wait_for(watch.take, 'the news of the platform profile')


class Files(MountCase):
    """As sysfs has them."""

    def test_says_that_it_is_simulated(self):
        self.assertIn('simulated', self.read('/SIMULATED'))

    def test_a_read_at_the_start_computes_anew(self):
        fd = self.open(EPP)
        before = read_once(fd)
        self.set_epp('policy1', 'power')
        self.assertEqual((before, read_once(fd)), (BOOT_EPP + '\n', 'power\n'))

    def test_a_read_from_within_gives_the_rest_of_the_last_text(self):
        fd = self.open(EPP)
        os.pread(fd, 4, 0)
        self.set_epp('policy1', 'power')
        self.assertEqual(read_once(fd, 4), BOOT_EPP[4:] + '\n')

    def test_reads_of_a_few_bytes_give_the_whole(self):
        fd = self.open(EPP)
        text = b''
        while part := os.read(fd, 3):
            text += part
        self.assertEqual(text.decode(), BOOT_EPP + '\n')

    def test_a_write_acts_whatever_its_offset(self):
        os.pwrite(self.open(EPP), b'power\n', 7)
        self.assertEqual(self.epp('policy1'), 'power')

    def test_a_write_without_a_newline_acts(self):
        os.write(self.open(EPP), b'power')
        self.assertEqual(self.epp('policy1'), 'power')

    def test_a_long_write_is_cut_at_a_page(self):
        since = self.sim.mark()
        self.assert_errno('EINVAL', self.set_epp, 'policy1', 'x' * 10_000)
        self.assertEqual([len(write.text) for write in self.sim.writes(since=since)], [4096])

    def test_a_refused_write_changes_nothing(self):
        self.assert_errno('EINVAL', self.set_epp, 'policy1', 'nonsense')
        self.assertEqual(self.epp('policy1'), BOOT_EPP)

    def test_sizes_are_a_page_and_those_of_proc_are_none(self):
        self.assertEqual(os.stat(self.path(EPP)).st_size, 4096)
        self.assertEqual(os.stat(self.path('/proc/cpuinfo')).st_size, 0)

    def test_what_is_written_before_the_open_is_not_cut(self):
        with open(self.path(EPP), 'w', encoding='ascii'):
            pass
        os.truncate(self.path(EPP), 0)
        self.assertEqual(self.epp('policy1'), BOOT_EPP)

    def test_a_write_gives_the_file_its_time(self):
        before = self.written_ns('policy1')
        self.set_epp('policy1', 'power')
        self.assertGreater(self.written_ns('policy1'), before)
        self.assertLess(abs(self.written_ns('policy1') - time.time_ns()), 60e9)

    def test_nothing_is_made_or_removed(self):
        directory = self.path(POLICY_DIR)
        new = os.path.join(directory, 'new')
        for call, *args in ((os.open, new, os.O_CREAT | os.O_WRONLY), (os.mkdir, new),
                            (os.unlink, self.path(EPP)), (os.symlink, 'x', new),
                            (os.rmdir, self.path(POLICY_DIR + 'policy1')),
                            (os.rename, self.path(EPP), new), (os.link, self.path(EPP), new),
                            (os.chmod, self.path(EPP), 0o666)):
            with self.subTest(call=call.__name__):
                self.assert_errno('EPERM', call, *args)

    def test_root_too_is_refused_what_the_mode_has_not(self):
        self.assert_errno('EACCES', os.open, self.path('/sys/devices/system/cpu/present'), os.O_WRONLY)
        self.assert_errno('EACCES', os.open, self.path('/simkernel/control'), os.O_RDONLY)

    def test_another_user_may_read_and_not_write(self):
        os.chmod(self.directory, 0o755)
        os.seteuid(65534)
        self.addCleanup(os.seteuid, 0)
        self.assertEqual(self.epp('policy1'), BOOT_EPP)
        self.assert_errno('EACCES', self.set_epp, 'policy1', 'power')

    def test_links_lead_where_they_do_in_sysfs(self):
        link = self.path('/sys/devices/system/cpu/cpu1/cpufreq')
        self.assertTrue(os.path.islink(link))
        self.assertEqual(os.path.realpath(link), os.path.realpath(self.path(POLICY_DIR + 'policy1')))

    def test_a_directory_lists_what_can_be_opened(self):
        directory = self.path(POLICY_DIR + 'policy1')
        names = os.listdir(directory)
        self.assertIn('energy_performance_preference', names)
        self.assertEqual(len(names), len(set(names)))
        for name in names:
            os.stat(os.path.join(directory, name))


class News(MountCase):
    """poll() and inotify."""

    sim_args = ('--cpus', '2', '--platform-profile', 'low-power balanced performance')

    def poll(self, fd, timeout_ms=0):
        poll = select.poll()
        poll.register(fd, select.POLLPRI)
        return [events for _fd, events in poll.poll(timeout_ms)]

    def test_there_is_news_until_the_first_read(self):
        fd = self.open(PLATFORM)
        self.assertEqual(self.poll(fd), [READ])
        read_once(fd)
        self.assertEqual(self.poll(fd), [])

    def test_news_once_until_it_is_read(self):
        fd = self.open(PLATFORM)
        read_once(fd)
        self.sim.command('platform firmware low-power')
        self.assertEqual([self.poll(fd), self.poll(fd)], [[READ], [READ]])
        self.assertEqual(read_once(fd), 'low-power\n')
        self.assertEqual(self.poll(fd), [])

    def test_news_wakes_who_waits(self):
        fd = self.open(PLATFORM)
        read_once(fd)
        woken = []
        thread = threading.Thread(target=lambda: woken.extend(self.poll(fd, 60_000)))
        thread.start()
        self.sim.command('platform firmware low-power')
        thread.join()
        self.assertEqual(woken, [READ])

    def test_news_is_each_open_file_s(self):
        first, second = self.open(PLATFORM), self.open(PLATFORM)
        read_once(first)
        read_once(second)
        self.sim.command('platform firmware low-power')
        read_once(first)
        self.assertEqual([self.poll(first), self.poll(second)], [[], [READ]])

    def test_epoll_sees_news_too(self):
        fd = self.open(PLATFORM)
        read_once(fd)
        with select.epoll() as epoll:
            epoll.register(fd, select.EPOLLPRI | select.EPOLLET)
            self.assertEqual(epoll.poll(0), [])
            self.sim.command('platform firmware low-power')
            self.assertEqual(epoll.poll(60), [(fd, READ)])

    def test_inotify_tells_of_a_user_s_write(self):
        watch = FileWatch(self, self.path(EPP))
        self.set_epp('policy1', 'power')
        self.assertIn(IN_MODIFY, watch.take())

    def test_inotify_does_not_tell_of_a_refused_write(self):
        fd = self.open(EPP)
        watch = FileWatch(self, self.path(EPP))
        self.assert_errno('EINVAL', os.write, fd, b'nonsense')
        self.assertEqual(watch.take(), [])

    def test_inotify_does_not_tell_of_the_kernel_s_own_change(self):
        self.set_epp('policy1', 'power')
        watch = FileWatch(self, self.path(EPP))
        self.sim.command('suspend')
        self.sim.command('resume epp-performance')
        self.assertEqual(self.epp('policy1'), 'performance')
        self.settle_inotify()
        self.assertEqual(watch.take(), [])

    def test_inotify_tells_of_what_the_kernel_announces(self):
        watch = FileWatch(self, self.path(PLATFORM))
        since = self.sim.mark()
        self.sim.command('platform firmware low-power')
        self.wait_for(watch.take, 'the news')
        self.assertEqual(self.sim.writes(since=since), [])
        self.assertEqual(self.read(PLATFORM), 'low-power')


class Removal(MountCase):
    """A driver that goes and comes back takes its files with it."""

    def test_an_open_file_of_a_driver_that_went_is_no_device(self):
        fd = self.open(EPP)
        read_once(fd)
        self.sim.command('mode passive')
        self.sim.command('mode active')
        self.assert_errno('ENODEV', read_once, fd)
        self.assert_errno('ENODEV', read_once, fd, 3)
        self.assert_errno('ENODEV', os.write, fd, b'power\n')

    def test_a_path_finds_the_new_file(self):
        directory = self.open(POLICY_DIR, os.O_RDONLY)
        old = os.stat(self.path(EPP)).st_ino
        self.sim.command('mode passive')
        self.assert_errno('ENOENT', os.stat, self.path(EPP))
        self.assert_errno('ENOENT', os.open, self.path(EPP), os.O_RDONLY)
        self.sim.command('mode active')
        self.assertEqual(self.read(EPP), BOOT_EPP)
        self.assertNotEqual(os.stat(self.path(EPP)).st_ino, old)
        name = 'policy1/energy_performance_preference'
        self.assertEqual(read_once(os.open(name, os.O_RDONLY, dir_fd=directory)), BOOT_EPP + '\n')

    def test_a_directory_that_went_is_stale(self):
        directory = self.open(POLICY_DIR + 'policy1', os.O_RDONLY)
        self.sim.command('mode passive')
        self.assert_errno('ESTALE', lambda: os.stat('scaling_driver', dir_fd=directory))

    def test_inotify_is_put_on_the_new_file(self):
        FileWatch(self, self.path(EPP))
        self.sim.command('mode passive')
        self.sim.command('mode active')
        watch = FileWatch(self, self.path(EPP))
        self.set_epp('policy1', 'power')
        self.assertIn(IN_MODIFY, watch.take())

    def test_many_removals_with_readers_hang_nobody(self):
        ended = threading.Event()

        def read_all_the_time():
            while not ended.is_set():
                try:
                    os.listdir(self.path(POLICY_DIR))
                    self.read(EPP)
                except OSError:
                    continue

        readers = [threading.Thread(target=read_all_the_time) for _ in range(4)]
        for reader in readers:
            reader.start()
        for _ in range(50):
            self.sim.command('mode passive')
            self.sim.command('mode active')
        ended.set()
        for reader in readers:
            reader.join()
        self.assertEqual(self.read(EPP), BOOT_EPP)


class FaultsMet(MountCase):

    def test_an_errno_for_the_operation_named(self):
        self.sim.fault(EPP, op='write', errno='EIO')
        self.assert_errno('EIO', self.set_epp, 'policy1', 'power')
        self.assertEqual(self.epp('policy1'), BOOT_EPP)
        self.assertEqual(self.epp('policy0'), BOOT_EPP)

    def test_an_errno_without_an_operation_is_for_all(self):
        fd = self.open(EPP)
        self.sim.fault('/sys/*/policy1/*', errno='EBUSY')
        self.assert_errno('EBUSY', read_once, fd)
        self.assert_errno('EBUSY', os.write, fd, b'power')
        self.assert_errno('EBUSY', os.open, self.path(EPP), os.O_RDONLY)

    def test_an_open_alone(self):
        fd = self.open(EPP)
        self.sim.fault(EPP, op='open', errno='EMFILE')
        self.assert_errno('EMFILE', os.open, self.path(EPP), os.O_RDONLY)
        self.assertEqual(read_once(fd), BOOT_EPP + '\n')

    def test_a_count(self):
        self.sim.fault(EPP, op='write', errno='EBUSY', count=2)
        for _ in range(2):
            self.assert_errno('EBUSY', self.set_epp, 'policy1', 'power')
        self.set_epp('policy1', 'power')
        self.assertEqual(self.epp('policy1'), 'power')
        self.assertEqual(self.sim.faults_met(), 2)

    def test_one_read_of_a_program_is_one_access(self):
        self.sim.fault(EPP, op='read', errno='EIO', count=2)
        fd = self.open(EPP)
        for _ in range(2):
            self.assert_errno('EIO', os.read, fd, 2)
        self.assertEqual([os.read(fd, 4), os.read(fd, 100)],
                         [BOOT_EPP[:4].encode(), (BOOT_EPP[4:] + '\n').encode()])

    def test_a_probability(self):
        self.sim.fault(EPP, op='read', errno='EIO', probability=0.5)
        fd = self.open(EPP)
        failed = 0
        for _ in range(200):
            try:
                read_once(fd)
            except OSError:
                failed += 1
        self.assertTrue(50 < failed < 150, failed)
        self.assertEqual(self.sim.faults_met(), failed)

    def test_a_short_and_an_empty_read(self):
        self.sim.fault(EPP, short=4, op='read')
        self.assertEqual(self.read(EPP), BOOT_EPP[:4])
        self.sim.clear_faults()
        self.sim.fault(EPP, 'empty')
        self.assertEqual(self.read(EPP), '')

    def test_a_short_write(self):
        self.sim.fault(EPP, short=5, op='write')
        self.assertEqual(os.write(self.open(EPP), b'power, or not'), 5)
        self.assertEqual(self.epp('policy1'), 'power')

    def test_a_file_that_vanishes(self):
        fd = self.open(EPP)
        self.assertTrue(os.path.exists(self.path(EPP)))
        self.sim.fault(EPP, 'vanish')
        self.assert_errno('ENOENT', os.open, self.path(EPP), os.O_RDONLY)
        self.assert_errno('ENOENT', os.stat, self.path(EPP))
        self.assertNotIn('energy_performance_preference', os.listdir(self.path(POLICY_DIR + 'policy1')))
        self.assert_errno('ENODEV', read_once, fd)
        self.assert_errno('ENODEV', os.write, fd, b'power')
        self.sim.clear_faults(EPP)
        self.assertEqual([read_once(fd), self.epp('policy1') + '\n'], [BOOT_EPP + '\n'] * 2)

    def test_a_directory_that_vanishes(self):
        directory = POLICY_DIR + 'policy1'
        os.listdir(self.path(directory))
        self.sim.fault(directory, 'vanish')
        self.assertFalse(os.path.exists(self.path(directory)))
        self.assertFalse(os.path.exists(self.path(EPP)))
        self.assertNotIn('policy1', os.listdir(self.path(POLICY_DIR)))
        self.sim.clear_faults()
        self.assertTrue(os.path.exists(self.path(EPP)))

    def test_a_delay_holds_up_nobody_else(self):
        self.sim.fault('/sys/*/policy1/*', op='read', delay_ms=600_000)
        threads = [threading.Thread(target=self.read_or_not, args=(EPP,)) for _ in range(40)]
        for thread in threads:
            thread.start()
        self.wait_for(lambda: self.sim.faults_met() == 40, 'all to wait')
        for name in ('policy0', 'policy2'):
            self.set_epp(name, 'power')
            self.assertEqual(self.epp(name), 'power')
        # A SIGTERM lets them go.
        self.assertEqual(self.sim.close(), 0)
        for thread in threads:
            thread.join()

    def read_or_not(self, path):
        try:
            self.read(path)
        except OSError:
            pass

    def test_a_delay_is_as_long_as_it_says(self):
        self.sim.fault(EPP, op='write', delay_ms=300, count=1)
        start = time.monotonic()
        self.set_epp('policy1', 'power')
        self.assertGreaterEqual(time.monotonic() - start, 0.3)
        self.assertEqual(self.epp('policy1'), 'power')

    def test_a_file_that_goes_in_a_delay(self):
        # Longer where this process was too slow to be within it.
        for delay_ms in (500, 5_000, 50_000):
            fd = self.open(EPP)
            self.sim.fault(EPP, op='write', delay_ms=delay_ms, count=1)
            met = self.sim.faults_met()
            errors = []
            thread = threading.Thread(target=self.write_to, args=(fd, errors))
            thread.start()
            self.wait_for(lambda: self.sim.faults_met() > met, 'the write to wait')
            self.sim.command('mode passive')
            thread.join()
            self.sim.command('mode active')
            if errors != [None]:
                break
        self.assertEqual(errors, [errno.ENODEV])

    @staticmethod
    def write_to(fd, errors):
        try:
            os.write(fd, b'power')
            errors.append(None)
        except OSError as error:
            errors.append(error.errno)

    def test_the_control_file_meets_none(self):
        self.sim.fault('/*', errno='EIO')
        self.sim.clear_faults()
        self.assertEqual(self.epp('policy1'), BOOT_EPP)

    def test_commands_that_make_no_sense(self):
        for command in ('nonsense', 'fault', 'fault x errno=EIO', 'fault /x', 'fault /x errno=EFOO',
                        'fault /x errno=524', 'fault /x delay-ms=-1', 'fault /x count=0 errno=EIO',
                        'fault /x errno=EIO probability=2', 'fault /x vanish count=1', 'fault /x  empty',
                        'cpu 99 offline', 'cpu 1 sideways'):
            with self.subTest(command=command):
                before = self.sim.stderr()
                self.assert_errno('EINVAL', self.sim.command, command)
                self.assertNotEqual(self.sim.stderr(), before)
        self.assertEqual(self.epp('policy1'), BOOT_EPP)


class Logged(MountCase):

    def test_a_write_is_logged_before_it_returns(self):
        since = self.sim.mark()
        before = time.monotonic_ns() // 1000
        self.set_epp('policy1', 'power')
        write, = self.sim.writes(since=since)
        self.assertEqual(write[1:], (os.getpid(), EPP, None, 'power'))
        self.assertTrue(before <= write.usec <= time.monotonic_ns() // 1000)

    def test_a_thread_s_write_is_its_process_s(self):
        since = self.sim.mark()
        thread = threading.Thread(target=self.set_epp, args=('policy1', 'power'))
        thread.start()
        thread.join()
        self.assertEqual([write.pid for write in self.sim.writes(since=since)], [os.getpid()])

    def test_who_wrote(self):
        since = self.sim.mark()
        other = self.start_program(['sh', '-c', f'echo power >{self.path(EPP)}'])
        self.wait_program(other)
        self.set_epp('policy0', 'power')
        self.assertEqual([write.path for write in self.sim.writes(since=since, pid=other.pid)], [EPP])
        self.assertEqual(len(self.sim.writes(since=since, not_pid=other.pid)), 1)

    def test_a_refused_write_is_logged_with_its_error(self):
        since = self.sim.mark()
        self.sim.fault(EPP, op='write', errno='EIO', count=1)
        for text in ('power', 'nonsense "\\\n\t\x01é'):
            self.assertRaises(OSError, self.set_epp, 'policy1', text)
        self.assertEqual([write[3:] for write in self.sim.writes('*/policy1/*', since=since)],
                         [('EIO', 'power'), ('EINVAL', 'nonsense "\\\n\t\x01é')])

    def test_commands_and_uevents_are_events(self):
        since = self.sim.mark()
        self.sim.command('cpu 1 offline')
        self.assertRaises(OSError, self.sim.command, 'nonsense')
        self.assertEqual([event[1:] for event in self.sim.events(since)],
                         [(0, '/devices/system/cpu/cpu1', None, 'offline cpu'),
                          (os.getpid(), '/simkernel/control', None, 'cpu 1 offline'),
                          (os.getpid(), '/simkernel/control', 'EINVAL', 'nonsense')])
        self.assertEqual(self.sim.writes(since=since), [])


class Uevents(MountCase):

    def test_libudev_receives_them(self):
        client = GUdev.Client.new(['cpu', 'power_supply'])
        received = []
        client.connect('uevent', lambda _client, action, device: received.append(
            (action, device.get_subsystem(), device.get_name(), device.get_sysfs_path())))
        self.sim.command('cpu 1 offline')
        self.sim.command('cpu 1 online')
        self.sim.command('supply AC online 0')
        self.wait_for(lambda: len(received) >= 3, 'three uevents')
        self.assertEqual(received[:2], [
            ('offline', 'cpu', 'cpu1', '/sys/devices/system/cpu/cpu1'),
            ('online', 'cpu', 'cpu1', '/sys/devices/system/cpu/cpu1')])
        self.assertEqual(received[2][:3], ('change', 'power_supply', 'AC'))

    def test_a_monitor_of_another_subsystem_does_not(self):
        others = GUdev.Client.new(['block'])
        wanted = GUdev.Client.new(['power_supply'])
        received = []
        for client in (others, wanted):
            client.connect('uevent', lambda _client, _action, device: received.append(
                device.get_subsystem()))
        self.sim.command('cpu 1 offline')
        self.sim.command('supply AC online 0')
        self.wait_for(lambda: received, 'the uevent')
        self.assertEqual(received, ['power_supply'])


class Size(sim_case.SimTestCase):

    def test_a_thousand_cpus_are_walked(self):
        self.make_tree('--cpus', '1024')
        policies = [name for name in os.listdir(self.path(POLICY_DIR)) if name.startswith('policy')]
        self.assertEqual(len(policies), 1024)
        n_files = sum(len(files) for _directory, _directories, files in os.walk(self.tree))
        self.assertGreater(n_files, 1024 * 20)
        self.assertEqual(self.epp('policy1023'), BOOT_EPP)
        self.assertEqual(self.read('/sys/devices/system/cpu/online'), '0-1023')


class End(MountCase):

    def test_a_term_unmounts_and_is_no_failure(self):
        fd = self.open(EPP)
        self.assertEqual(self.sim.close(), 0)
        self.assertFalse(os.path.ismount(self.tree))
        self.assertEqual(os.listdir(self.tree), [])
        with self.assertRaises(OSError):
            read_once(fd)

    def test_an_interrupt_too(self):
        self.sim.process.send_signal(signal.SIGINT)
        self.assertEqual(self.sim.process.wait(harness.TIMEOUT_SECONDS), 0)
        self.assertFalse(os.path.ismount(self.tree))

    def test_an_unmount_ends_it(self):
        self.assertEqual(libc.umount2(self.tree.encode(), 0), 0)
        self.assertEqual(self.sim.process.wait(harness.TIMEOUT_SECONDS), 0)

    def test_a_kill_hangs_nobody(self):
        fd = self.open(EPP)
        self.sim.fault(EPP, op='read', delay_ms=600_000)
        thread = threading.Thread(target=lambda: self.assertRaises(OSError, read_once, fd))
        thread.start()
        self.wait_for(lambda: self.sim.faults_met() == 1, 'the read to wait')
        self.sim.kill()
        thread.join(harness.TIMEOUT_SECONDS)
        self.assertFalse(thread.is_alive())
        self.assertRaises(OSError, self.epp, 'policy1')

    def test_a_tree_can_be_had_again_where_one_was(self):
        self.sim.kill()
        self.sim.close()
        again = simkernel.SimKernel(self.tree, directory=self.directory, build_root=harness.BUILD_ROOT)
        self.addCleanup(again.close)
        self.assertEqual(self.epp('policy1'), BOOT_EPP)

    def test_a_place_where_it_cannot_mount(self):
        file = os.path.join(self.directory, 'file')
        with open(file, 'w', encoding='ascii'):
            pass
        self.assertRaisesRegex(OSError, 'Not a directory', simkernel.SimKernel, file,
                               directory=self.directory, build_root=harness.BUILD_ROOT)
