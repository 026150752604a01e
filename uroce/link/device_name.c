/* SPDX-License-Identifier: MIT */
/* The name that programs find the device by, and that is in its captures. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "uroce.h"
#include "shown.h"

/* The kernel allows more, but some programs read a list of names, with ports behind a colon. */
bool device_name_is_valid(const char *name, size_t size)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char all[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

	return strnlen(name, size) < size && strspn(name, letters) > 0 && !name[strspn(name, all)];
}

static bool can_be_name(const char *name)
{
	return device_name_is_valid(name, IBV_SYSFS_NAME_MAX);
}

/* UROCE_NAME, or NULL: not set */
static const char *name_asked(void)
{
	const char *name = getenv("UROCE_NAME");

	return name && *name ? name : NULL;
}

const char *device_name(void)
{
	const char *name = name_asked();

	return name && can_be_name(name) ? name : UROCE_DEVICE;
}

int device_name_check(char *reason, size_t size)
{
	const char *name = name_asked();
	char visible[81];

	if (!name || can_be_name(name))
		return 0;
	snprintf(
		reason, size,
		"UROCE_NAME=%s cannot be the name of a device: take a letter, then letters, digits, "
		"_ and -, %d at most",
		shown(visible, sizeof visible, name, false), IBV_SYSFS_NAME_MAX - 1);
	errno = EINVAL;
	return -1;
}
