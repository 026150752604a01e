/* SPDX-License-Identifier: MIT */
/*
 * Starting a program with a library that is loaded before those that the program is linked to:
 * liburoce.so, to run it on the embedded device, or libvtrace.so.
 */
#ifndef UROCE_TOOL_LAUNCH_H
#define UROCE_TOOL_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

/* Is liburoce.so loaded in this process? */
bool launch_loaded(void);
/* The devices that liburoce.so has in this process and those that it starts, as UROCE_DEVICES has
 * them. The name of the first; does one of them have that name? */
const char *launch_devices(void);
const char *launch_device_name(void);
bool launch_has_device(const char *name);
/* Writes the path of a library: beside this program in its build tree, or where it was installed.
 * 0, or -1 with errno (ENOENT: not there). */
int launch_find(const char *library, char *path, size_t size);
/* The remedy if it is not there. */
const char *launch_remedy(void);
/* Puts it into LD_PRELOAD for the programs that this process executes from now on. 0, or -1
 * with errno (EINVAL: a colon or semicolon in its path). */
int launch_preload(const char *library);
/* Both for liburoce.so. */
int launch_library(char *path, size_t size);
int launch_prepare(void);

/* Why the library cannot be loaded before that program, in words that follow "is". NULL: it can be,
 * or that is not known. */
const char *launch_hindrance(const char *program);

#endif
