/* SPDX-License-Identifier: MIT */
#ifndef SHELL_WRITE_ALL_H
#define SHELL_WRITE_ALL_H

#include <stddef.h>

/* Writes all of it to a descriptor that blocks: a file. -1 with errno. */
int write_all(int fd, const void *data, size_t len);

#endif
