/* SPDX-License-Identifier: MIT */
/* The devices of this process, by UROCE_DEVICES: their names, and the interfaces that each has. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "uroce.h"
#include "shown.h"

struct device_asked {
	const char *name;
	const char *interfaces; /* "lo:eth0"; NULL: all that no other device has */
};

struct devices_asked {
	char text[1024]; /* the value of the variable, in which separators are zero bytes */
	unsigned n;
	struct device_asked of[DEVICES_MAX];
};

static struct devices_asked asked = { .n = 1, .of = { { UROCE_DEVICE, NULL } } };
static char names[DEVICES_MAX * IBV_SYSFS_NAME_MAX] = UROCE_DEVICE; /* with commas between */

/* The kernel allows more, but some programs read a list of names, with ports behind a colon. */
bool device_name_is_valid(const char *name, size_t size)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char all[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

	return strnlen(name, size) < size && strspn(name, letters) > 0 && !name[strspn(name, all)];
}

/* Is the interface, a name of n bytes, in a list? */
static bool has_interface(const char *list, const char *name, size_t n)
{
	for (size_t len; list; list = list[len] ? list + len + 1 : NULL) {
		len = strcspn(list, ":");
		if (len == n && memcmp(list, name, n) == 0)
			return true;
	}
	return false;
}

/* The device that has the interface, or NULL. */
static const struct device_asked *find_owner(const struct devices_asked *d, const char *name,
					     size_t n)
{
	const struct device_asked *rest = NULL;

	for (const struct device_asked *of = d->of; of < d->of + d->n; of++) {
		if (has_interface(of->interfaces, name, n))
			return of;
		if (!of->interfaces)
			rest = of;
	}
	return rest;
}

__attribute__((format(printf, 3, 4))) static int refuse(char *reason, size_t size,
							const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, size, format, args);
	va_end(args);
	errno = EINVAL;
	return -1;
}

static int check_interfaces(const struct devices_asked *d, const char *list, char *why, size_t size)
{
	for (size_t len; list; list = list[len] ? list + len + 1 : NULL) {
		const struct device_asked *owner;

		len = strcspn(list, ":");
		if (!len || len >= IF_NAMESIZE)
			return refuse(why, size, "'%.*s' cannot be the name of an interface",
				      (int)len, list);
		owner = find_owner(d, list, len);
		if ((owner && owner->interfaces) ||
		    has_interface(list[len] ? list + len + 1 : NULL, list, len))
			return refuse(why, size, "it has the interface %.*s twice", (int)len, list);
	}
	return 0;
}

/* Adds "uroce1:v0:v1". */
static int add_device(struct devices_asked *d, char *text, char *why, size_t size)
{
	struct device_asked new = { .name = strsep(&text, ":"), .interfaces = text };

	if (!device_name_is_valid(new.name, IBV_SYSFS_NAME_MAX))
		return refuse(why, size,
			      "'%s' cannot be the name of a device: take a letter, then letters, "
			      "digits, _ and -, %d at most",
			      new.name, IBV_SYSFS_NAME_MAX - 1);
	if (d->n == DEVICES_MAX)
		return refuse(why, size, "there are more than %d devices", DEVICES_MAX);
	for (unsigned i = 0; i < d->n; i++) {
		if (strcmp(d->of[i].name, new.name) == 0)
			return refuse(why, size, "it has the device %s twice", new.name);
		if (!d->of[i].interfaces && !new.interfaces)
			return refuse(why, size,
				      "neither %s nor %s has an interface of its own: write "
				      "%s:INTERFACE",
				      d->of[i].name, new.name, new.name);
	}
	if (check_interfaces(d, new.interfaces, why, size) != 0)
		return -1;
	d->of[d->n++] = new;
	return 0;
}

/* Reads the variable. -1: why (of size bytes) says what is wrong, and *d has no devices. */
static int read_devices(struct devices_asked *d, char *why, size_t size)
{
	const char *text = getenv("UROCE_DEVICES");
	char *rest = d->text;

	d->n = 0;
	if (!text || !*text)
		text = getenv("UROCE_NAME"); /* until release 0.4 */
	if (!text || !*text)
		text = UROCE_DEVICE;
	if (strlen(text) >= sizeof d->text)
		return refuse(why, size, "it has more than %zu characters", sizeof d->text - 1);
	strcpy(d->text, text);
	while (rest)
		if (add_device(d, strsep(&rest, ","), why, size) != 0) {
			d->n = 0;
			return -1;
		}
	return 0;
}

void devices_read(void)
{
	char why[200];
	size_t n = 0;

	if (read_devices(&asked, why, sizeof why) != 0) {
		asked.n = 1;
		asked.of[0] = (struct device_asked){ .name = UROCE_DEVICE };
	}
	for (unsigned i = 0; i < asked.n; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? "," : "",
				      asked.of[i].name);
}

int devices_check(char *reason, size_t size)
{
	struct devices_asked now;
	char why[200], visible[200];

	if (read_devices(&now, why, sizeof why) == 0)
		return 0;
	return refuse(reason, size, "UROCE_DEVICES: %s",
		      shown(visible, sizeof visible, why, false));
}

unsigned device_count(void)
{
	return asked.n;
}

const char *device_name(unsigned device)
{
	return asked.of[device].name;
}

const char *device_names(void)
{
	return names;
}

unsigned device_of_interface(const char *name)
{
	const struct device_asked *owner = find_owner(&asked, name, strlen(name));

	return owner ? (unsigned)(owner - asked.of) : asked.n;
}

bool device_has_all(void)
{
	return asked.n == 1 && !asked.of[0].interfaces;
}
