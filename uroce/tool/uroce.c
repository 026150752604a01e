/* SPDX-License-Identifier: MIT */
/* uroce COMMAND: runs a program on the embedded device. uroce status: shows the processes that use
 * it. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

static const char usage[] =
	"usage: uroce COMMAND [ARG...]   run a program that uses RDMA verbs on uroce0\n"
	"       uroce status             the processes of this host that use it\n"
	"       uroce --library          where liburoce.so is: for LD_PRELOAD\n"
	"\n"
	"uroce0 is an RDMA device in user space: RoCEv2 on UDP port 4791, on the addresses of\n"
	"this host. It needs no RDMA hardware, no module of the kernel and no privilege.\n"
	"\n"
	"UROCE_NAME=rxe_0   the name of the device, for programs that look for one\n"
	"UROCE_PCAP=FILE    writes all packets of the program to a pcapng file\n"
	"UROCE_FAULT=RULES  loses, delays or spoils packets: drop=5%,dup=2%;op=ACK,delay=2ms\n"
	"UROCE_FAULT_SEED=N makes the faults the same every time\n";

static int find_library(char *path, size_t size)
{
	if (launch_library(path, size) == 0)
		return 0;
	fprintf(stderr,
		"uroce: liburoce.so: %s (it belongs beside this program, or where it was "
		"installed)\n",
		strerror(errno));
	return -1;
}

static int print_status(void)
{
	char path[PATH_MAX];
	int (*print)(int fd);
	void *lib;

	if (find_library(path, sizeof path))
		return EXIT_FAILED;
	lib = dlopen(path, RTLD_NOW);
	if (!lib) {
		fprintf(stderr, "uroce: %s\n", dlerror());
		return EXIT_FAILED;
	}
	print = (int (*)(int))dlsym(lib, "uroce_status");
	if (!print) {
		fprintf(stderr, "uroce: %s is of another version\n", path);
		return EXIT_FAILED;
	}
	return print(STDOUT_FILENO) ? EXIT_FAILED : EXIT_OK;
}

/* Puts the folder bin/ beside the library first into PATH: what is in it answers for the system's
 * programs that ask the kernel for devices. 0, or -1 with errno. */
static int put_stand_ins_first(const char *library)
{
	const char *path = getenv("PATH");
	char *list;
	int rc;

	if (asprintf(&list, "%.*s/bin%s%s", (int)(strrchr(library, '/') - library), library,
		     path && *path ? ":" : "", path ? path : "") < 0)
		return -1;
	rc = setenv("PATH", list, 1);
	free(list);
	return rc;
}

static int run_program(char **argv)
{
	const char *why = launch_hindrance(argv[0]);
	char path[PATH_MAX];
	int err;

	/* it is run all the same: it may start the program that the user means */
	if (why)
		fprintf(stderr, "uroce: %s is %s: it finds no device of uroce\n", argv[0], why);

	if (find_library(path, sizeof path))
		return EXIT_CANNOT_RUN;
	if (launch_prepare()) {
		fprintf(stderr, "uroce: cannot preload %s: %s\n", path,
			errno == EINVAL ? "its path has a colon or a semicolon" : strerror(errno));
		return EXIT_CANNOT_RUN;
	}
	if (put_stand_ins_first(path)) {
		fprintf(stderr, "uroce: PATH: %s\n", strerror(errno));
		return EXIT_CANNOT_RUN;
	}
	execvp(argv[0], argv);
	err = errno;
	fprintf(stderr, "uroce: %s: %s\n", argv[0], strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];

	if (argc < 2) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		fputs(usage, stdout);
		return EXIT_OK;
	}
	if (strcmp(argv[1], "--library") == 0) {
		if (find_library(path, sizeof path))
			return EXIT_FAILED;
		puts(path);
		return EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("uroce " RDMASH_VERSION);
		return EXIT_OK;
	}
	if (strcmp(argv[1], "status") == 0)
		return print_status();
	if (argv[1][0] == '-' && strcmp(argv[1], "--") != 0) {
		fprintf(stderr, "uroce: unknown option %s\n%s", argv[1], usage);
		return EXIT_USAGE;
	}
	argv += strcmp(argv[1], "--") == 0 ? 2 : 1;
	if (!*argv) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	return run_program(argv);
}
