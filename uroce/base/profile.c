/* SPDX-License-Identifier: MIT */
#include "profile.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool profile_is_strict;

int profile_setup(const char *text, char *reason, size_t size)
{
	profile_is_strict = text && strcmp(text, "strict") == 0;
	if (!text || !*text || profile_is_strict)
		return 0;
	snprintf(reason, size, "UROCE_PROFILE=%s is unknown: there is strict", text);
	errno = EINVAL;
	return -1;
}

bool profile_lacks(unsigned capability)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct has[2] = { 0 };

	return syscall(SYS_capget, &head, has) == 0 &&
	       !(has[capability / 32].effective >> capability % 32 & 1);
}
