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
#include "seeds.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

static const char usage[] =
	"usage: uroce [OPTION...] COMMAND [ARG...]\n"
	"                                run a program that uses RDMA verbs on uroce0\n"
	"       uroce status             the processes of this host that use it\n"
	"       uroce --library          where liburoce.so is: for LD_PRELOAD\n"
	"\n"
	"uroce0 is an RDMA device in user space: RoCEv2 on UDP port 4791, on the addresses of\n"
	"this host. It needs no RDMA hardware, no module of the kernel and no privilege.\n"
	"\n"
	"--order SEED[,far]     the device is as unkind as the specification allows: UROCE_ORDER\n"
	"--order-seeds N[,far]  runs the program with each seed from 1 to N, and says which fail\n"
	"--within SECONDS       the time for each of these runs, 60 if not given\n"
	"\n"
	"UROCE_DEVICES=rxe_0 the name of the device, for programs that look for one; several, each\n"
	"                   on interfaces of its own: uroce0:lo,uroce1:eth0:eth1\n"
	"UROCE_PCAP=FILE    writes all packets of the program to a pcapng file\n"
	"UROCE_FAULT=RULES  loses, delays or spoils packets: drop=5%,dup=2%;op=ACK,delay=2ms;\n"
	"                   fails requests: wc:status=RNR_RETRY_EXC_ERR:opcode=SEND:when=5;\n"
	"                   fails the port or connections: event:PORT_ERR:after=1s, cm:REJECTED\n"
	"UROCE_PROFILE=strict forgives nothing that most cards do not\n"
	"UROCE_FAULT_SEED=N makes the faults the same every time\n"
	"UROCE_ORDER=SEED   what the device may do early or late, it does so: see uroce(1)\n";

static int find_library(char *path, size_t size)
{
	if (launch_library(path, size) == 0)
		return 0;
	fprintf(stderr, "uroce: liburoce.so: %s: %s\n", strerror(errno), launch_remedy());
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
	if (print(STDOUT_FILENO) == 0)
		return EXIT_OK;
	fprintf(stderr, "uroce: status: %s\n", strerror(errno));
	return EXIT_FAILED;
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

/* Prepares the environment of the programs that are run. 0, or the exit status. */
static int prepare(const char *program)
{
	const char *why = launch_hindrance(program);
	char path[PATH_MAX];

	/* it is run all the same: it may start the program that the user means */
	if (why)
		fprintf(stderr, "uroce: %s is %s: it finds no device of uroce\n", program, why);

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
	return 0;
}

static int run_program(char **argv)
{
	int err;

	execvp(argv[0], argv);
	err = errno;
	fprintf(stderr, "uroce: %s: %s\n", argv[0], strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* --------------------------------------------------------------------- options -- */

struct run {
	const char *level; /* of all seeds: "" or ",far" */
	unsigned seeds;	   /* 0: one run */
	unsigned seconds;
};

static int bad_value(const char *option, const char *value, const char *want)
{
	fprintf(stderr, "uroce: %s %s: %s\n", option, value ? value : "", want);
	return -1;
}

/* Reads a number from 1 to most; *end: what follows. 0: it is none. */
static unsigned read_number(const char *text, unsigned long most, const char **end)
{
	char *rest;
	unsigned long n;

	errno = 0;
	n = text && *text >= '0' && *text <= '9' ? strtoul(text, &rest, 10) : 0;
	if (!n || n > most || errno)
		return 0;
	*end = rest;
	return (unsigned)n;
}

static int set_order(struct run *run, const char *value)
{
	(void)run;
	if (!value || !*value)
		return bad_value("--order", value, "a seed is missing: write 7 or 7,far");
	return setenv("UROCE_ORDER", value, 1); /* the library reads it, and says what is wrong */
}

static int set_seeds(struct run *run, const char *value)
{
	const char *end = "?";

	run->seeds = read_number(value, 1000000, &end);
	if (!run->seeds || (*end && strcmp(end, ",far") != 0))
		return bad_value("--order-seeds", value,
				 "not a number from 1 to 1000000: write 100 or 100,far");
	run->level = end;
	return 0;
}

static int set_seconds(struct run *run, const char *value)
{
	const char *end = "?";

	run->seconds = read_number(value, 86400, &end);
	return run->seconds && !*end
		       ? 0
		       : bad_value("--within", value, "not a number of seconds from 1 to 86400");
}

static const struct {
	const char *name;
	int (*set)(struct run *run, const char *value);
} options[] = {
	{ "--order", set_order },
	{ "--order-seeds", set_seeds },
	{ "--within", set_seconds },
};

/* Reads the options before the program, to which *argv is moved. 0, or -1. */
static int read_options(struct run *run, char ***argv)
{
	while (**argv && (**argv)[0] == '-') {
		const char *word = *(*argv)++;
		unsigned i = 0;

		if (strcmp(word, "--") == 0)
			break;
		while (i < sizeof options / sizeof *options && strcmp(word, options[i].name) != 0)
			i++;
		if (i == sizeof options / sizeof *options) {
			fprintf(stderr, "uroce: unknown option %s\n%s", word, usage);
			return -1;
		}
		if (options[i].set(run, **argv))
			return -1;
		++*argv;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct run run = { .level = "", .seconds = 60 };
	char path[PATH_MAX];
	int rc;

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
	argv++;
	if (read_options(&run, &argv))
		return EXIT_USAGE;
	if (!*argv) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	rc = prepare(argv[0]);
	if (rc)
		return rc;
	return run.seeds ? seeds_run(run.seeds, run.level, run.seconds, argv) : run_program(argv);
}
