// SPDX-License-Identifier: GPL-2.0-or-later
// Evaluated once inside GNOME Shell, where Main is the Shell's own: what is to be seen of its power
// menu, and a pointer to use it with. gnome_shell.py calls what is in globalThis.driver.
globalThis.driver = (() => {
  const {Clutter, GLib} = imports.gi;
  const ORNAMENT_CHECK = 2; // PopupMenu.Ornament.CHECK

  const quickSettings = Main.panel.statusArea.quickSettings;
  const toggle = quickSettings._powerProfiles.quickSettingsItems[0];
  const pointer = Clutter.get_default_backend().get_default_seat()
    .create_virtual_device(Clutter.InputDeviceType.POINTER_DEVICE);

  const actors = {
    'quick settings': () => quickSettings,
    'toggle': () => toggle,
    'arrow': () => toggle._menuButton,
    'menu': () => toggle.menu.box,
  };
  const find = name => actors[name]?.() ?? toggle._profileItems.get(name);

  // [x, y, width, height] on the stage; null where it is not shown, or not laid out yet.
  const extents = actor => {
    if (!actor?.mapped || !actor.has_allocation())
      return null;
    const {origin, size} = actor.get_transformed_extents();
    const values = [origin.x, origin.y, size.width, size.height];
    return values.every(Number.isFinite) && size.width > 0 && size.height > 0 ? values : null;
  };

  // A menu says that it is open before it is to be seen.
  const isOpen = menu => menu.isOpen && menu.box.mapped && menu.box.get_paint_opacity() === 255;

  return {
    state: () => ({
      visible: toggle.visible,
      checked: toggle.checked,
      label: toggle.label,
      isPanelOpen: isOpen(quickSettings.menu),
      isOpen: isOpen(toggle.menu),
      profiles: [...toggle._profileItems.keys()],
      active: [...toggle._profileItems]
        .filter(([, item]) => item._ornament === ORNAMENT_CHECK)
        .map(([profile]) => profile),
      cached: toggle._proxy.ActiveProfile,
    }),

    extents: name => extents(find(name)),

    // Moves the pointer to the middle of an actor; where that is, once the actor has felt it.
    point(name) {
      const area = extents(find(name));
      if (!area)
        return null;
      const position = [area[0] + area[2] / 2, area[1] + area[3] / 2];
      pointer.notify_absolute_motion(GLib.get_monotonic_time(), ...position);
      return find(name).hover ? position : null;
    },

    // At the place where the pointer is.
    click() {
      for (const state of [Clutter.ButtonState.PRESSED, Clutter.ButtonState.RELEASED])
        pointer.notify_button(GLib.get_monotonic_time(), Clutter.BUTTON_PRIMARY, state);
    },
  };
})();
