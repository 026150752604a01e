/* SPDX-License-Identifier: MIT */
/* A program that loads libibverbs itself, as libfabric and Python do: finds one function by
 * dlsym(3) and others by dlvsym(3), opens a device and closes it. */
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DEEPBIND 0 /* a sanitizer refuses it */
#else
#define DEEPBIND RTLD_DEEPBIND
#endif

static void *find(void *library, const char *name, const char *version)
{
	void *found = version ? dlvsym(library, name, version) : dlsym(library, name);

	if (!found) {
		fprintf(stderr, "%s: %s\n", name, dlerror());
		exit(1);
	}
	return found;
}

int main(void)
{
	void *library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL | DEEPBIND);
	struct ibv_device **(*get_list)(int *);
	struct ibv_context *(*open_device)(struct ibv_device *);
	int (*close_device)(struct ibv_context *);
	struct ibv_device **list;
	struct ibv_context *context;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	get_list = (struct ibv_device * *(*)(int *)) find(library, "ibv_get_device_list", NULL);
	open_device = (struct ibv_context * (*)(struct ibv_device *))
		find(library, "ibv_open_device", "IBVERBS_1.1");
	close_device = (int (*)(struct ibv_context *))find(library, "ibv_close_device",
							   "IBVERBS_1.1");
	list = get_list(NULL);
	context = list && list[0] ? open_device(list[0]) : NULL;
	if (!context || close_device(context))
		return 1;
	puts("1 ibv_get_device_list\n1 ibv_open_device\n1 ibv_close_device");
	return 0;
}
