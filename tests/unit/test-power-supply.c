/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/power-supply.h"
#include "scratch.h"

#define CLASS "sys/class/power_supply/"

/* Each entry is "file=text" below the class directory, or "file->target" for a link. */
typedef struct {
  const char *name;
  EppdPowerSource source;
  const char *files[12];
} Case;

#define AC      EPPD_POWER_SOURCE_AC
#define BATTERY EPPD_POWER_SOURCE_BATTERY

#define LAPTOP_BATTERY "BAT0/type=Battery\n", "BAT0/status=Discharging\n", "BAT0/online=1\n"

static const Case cases[] = {
    {"no-class-directory", AC, {NULL}},
    {"desktop-without-supplies", AC, {"notes=a file\n"}},
    {"mains-online", AC, {LAPTOP_BATTERY, "AC/type=Mains\n", "AC/online=1\n"}},
    {"mains-offline", BATTERY, {LAPTOP_BATTERY, "AC/type=Mains\n", "AC/online=0\n"}},
    {"mains-online-fixed", AC, {LAPTOP_BATTERY, "AC/type=Mains\n", "AC/online=2\n"}},
    {"battery-alone", BATTERY, {LAPTOP_BATTERY}},
    {"two-batteries", BATTERY, {LAPTOP_BATTERY, "BAT1/type=Battery\n"}},
    {"ups-online", AC, {"ups/type=UPS\n", "ups/online=1\n"}},
    {"wireless-charger", AC, {LAPTOP_BATTERY, "w/type=Wireless\n", "w/online=1\n"}},
    {"slow-charger-online-while-discharging",
     AC,
     {LAPTOP_BATTERY, "usb/type=USB\n", "usb/online=1\n"}},

    /* Peripherals */
    {"mouse-of-a-desktop", AC, {"mouse/type=Battery\n", "mouse/scope=Device\n"}},
    {"mouse-without-scope",
     AC,
     {"hidpp/type=Battery\n", "hidpp/status=Discharging\n",
      "hidpp/device/subsystem->../../../../bus/hid"}},
    {"headset-without-scope",
     AC,
     {"headset/type=Battery\n", "headset/device/subsystem->/sys/class/bluetooth"}},
    {"laptop-and-mouse-on-battery",
     BATTERY,
     {LAPTOP_BATTERY, "AC/type=Mains\n", "AC/online=0\n", "mouse/type=Battery\n",
      "mouse/scope=Device\n"}},
    {"charging-tablet-does-not-feed-us",
     BATTERY,
     {LAPTOP_BATTERY, "tablet/type=USB\n", "tablet/scope=Device\n", "tablet/online=1\n"}},
    {"system-battery-of-hid-says-so",
     BATTERY,
     {"b/type=Battery\n", "b/scope=System\n", "b/device/subsystem->/sys/bus/hid"}},
    {"battery-of-acpi", BATTERY, {"BAT0/type=Battery\n", "BAT0/device/subsystem->/sys/bus/acpi"}},

    /* USB-C */
    {"usb-c-charging",
     AC,
     {LAPTOP_BATTERY, "ucsi/type=USB\n", "ucsi/online=1\n",
      "ucsi/device/typec/port0/power_role=source [sink]\n"}},
    {"usb-c-feeding-a-phone",
     BATTERY,
     {LAPTOP_BATTERY, "ucsi/type=USB\n", "ucsi/online=1\n",
      "ucsi/device/typec/port0/power_role=[source] sink\n"}},
    {"usb-c-type-with-a-suffix",
     BATTERY,
     {LAPTOP_BATTERY, "ucsi/type=USB_C\n", "ucsi/online=1\n",
      "ucsi/device/typec/port0/power_role=[source]\n"}},
    {"usb-c-several-ports-one-charging",
     AC,
     {LAPTOP_BATTERY, "ucsi/type=USB\n", "ucsi/online=1\n",
      "ucsi/device/typec/port0/power_role=[source] sink\n",
      "ucsi/device/typec/port1/power_role=source [sink]\n",
      "ucsi/device/typec/port0-partner/usb_mode=x\n"}},
    {"dock-feeds-and-a-port-is-source",
     AC,
     {LAPTOP_BATTERY, "AC/type=Mains\n", "AC/online=1\n", "ucsi/type=USB\n", "ucsi/online=1\n",
      "ucsi/device/typec/port0/power_role=[source] sink\n"}},
    {"usb-c-odd-role",
     AC,
     {LAPTOP_BATTERY, "ucsi/type=USB\n", "ucsi/online=1\n", "ucsi/device/typec/port0/power_role=\n",
      "ucsi/device/typec/port1/power_role=what\n"}},
    {"role-of-no-usb-supply-is-ignored",
     AC,
     {LAPTOP_BATTERY, "AC/type=Mains\n", "AC/online=1\n",
      "AC/device/typec/port0/power_role=[source] sink\n"}},

    /* Odd files */
    {"no-type-is-skipped", AC, {"x/online=0\n"}},
    {"empty-type-is-skipped", AC, {"x/type=\n", "x/online=0\n"}},
    {"no-online-is-not-feeding", BATTERY, {LAPTOP_BATTERY, "AC/type=Mains\n"}},
    {"odd-online-is-not-feeding", BATTERY, {LAPTOP_BATTERY, "AC/type=Mains\n", "AC/online=yes\n"}},
    {"negative-online-is-not-feeding",
     BATTERY,
     {LAPTOP_BATTERY, "AC/type=Mains\n", "AC/online=-1\n"}},
    {"link-loop", BATTERY, {LAPTOP_BATTERY, "loop->loop"}},
    {"unknown-type-online", AC, {LAPTOP_BATTERY, "x/type=Unknown\n", "x/online=1\n"}},
};

static void
make_entry(const Scratch *dir, const char *entry)
{
  g_auto(GStrv) link = g_strsplit(entry, "->", 2);
  g_auto(GStrv) file = g_strsplit(entry, "=", 2);
  g_autofree char *path = g_strconcat(CLASS, link[1] ? link[0] : file[0], NULL);

  if (link[1])
    scratch_symlink(dir, link[1], path);
  else
    scratch_write(dir, path, file[1]);
}

static void
test_source(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);

  for (gsize i = 0; i < G_N_ELEMENTS(c->files) && c->files[i]; i++)
    make_entry(dir, c->files[i]);
  g_assert_cmpint(eppd_power_supply_read(root), ==, (int)c->source);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/power-supply/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_source);
  }
  return g_test_run();
}
