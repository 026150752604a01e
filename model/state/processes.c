/* SPDX-License-Identifier: MIT */
#include "processes.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch.h"

/* Finds a function of liburoce.so, which is loaded if this process does not use the device. */
static void *find_symbol(const char *name)
{
	static void *library;
	char path[PATH_MAX];
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found && !library && launch_library(path, sizeof path) == 0)
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return found || !library ? found : dlsym(library, name);
}

struct uroce_inventory *process_inventory(pid_t pid)
{
	struct uroce_inventory *(*ask)(pid_t pid);
	void *found = find_symbol("uroce_inventory_of_process");

	memcpy(&ask, &found, sizeof ask);
	errno = ENOSYS;
	return ask ? ask(pid) : NULL;
}

struct uroce_inventory *process_inventory_of_qpn(uint32_t qpn)
{
	struct uroce_inventory *(*ask)(uint32_t qpn);
	void *found = find_symbol("uroce_inventory_of_qpn");

	memcpy(&ask, &found, sizeof ask);
	errno = ENOSYS;
	return ask ? ask(qpn) : NULL;
}

unsigned process_inventories(pid_t *pids, unsigned n)
{
	unsigned (*ask)(pid_t * pids, unsigned n);
	void *found = find_symbol("uroce_inventory_processes");

	memcpy(&ask, &found, sizeof ask);
	return ask ? ask(pids, n) : 0;
}

const struct uroce_qp_row *process_qp(const struct uroce_inventory *inv, uint32_t qpn)
{
	inventory_foreach(inv, UROCE_QP, uroce_qp_row, row)
		if (row->qpn == qpn)
			return row;
	return NULL;
}

const char *process_program(pid_t pid, char *name, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	f = fopen(path, "re");
	if (!f || !fgets(name, (int)size, f))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	if (f)
		fclose(f);
	return name;
}
