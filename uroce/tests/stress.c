// SPDX-License-Identifier: MIT
/*
 * Operations of all kinds in both directions between two processes, on several QPs, with
 * lists of memory, inline data, windows and fences, of 0 to 64 KiB: every byte is verified at
 * both ends, and that there are no others; atomics count once; completions come in order.
 *
 *   stress [-n 20000]			two processes on this host
 *   stress -l PORT			waits for the other end
 *   stress -c HOST:PORT [options]	the other end, whose options both use
 *
 * It uses verbs only, whatever the device. On the embedded one, with faults:
 *
 *   UROCE_FAULT='dir=out,drop=5%,dup=2%,reorder=5%,corrupt=1%' uroce stress -n 1000000
 *   UROCE_FAULT='dir=out,drop=20%' uroce stress -f -r 3 -n 100000
 *
 * -v: when something is wrong both ends print their last packets. -f: a QP may end in
 * RETRY_EXC_ERR, but in nothing else, and what was completed before is right; then both ends make
 * new QPs and go on. -e client|server|both: that end is rdma_rxe of Linux 6.12. It does no READs of
 * more than one packet and gets no READs and WRITEs of no bytes: interop/reads.rdma shows what it
 * does with these.
 */
#include "stress.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "uroce.h"

static const char *who = "stress";
static bool tracing;

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "%s: ", who);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	if (tracing)
		trace_print(who);
	exit(1);
}

static void usage(void)
{
	fputs("usage: stress [-l PORT | -c HOST:PORT] [-d DEVICE] [-g GID-INDEX] [-n OPERATIONS]\n"
	      "              [-q QPS] [-m MTU] [-t TIMEOUT] [-r RETRIES] [-s SEED] [-o KIND,...] [-f] [-v]\n"
	      "              [-e client|server|both]\n",
	      stderr);
	exit(2);
}

/* ------------------------------------------------------------------------ options -- */

struct options {
	struct setting s;
	const char *device, *listen, *connect;
	int gid_index;
	bool trace;
};

static uint64_t number(const char *s, uint64_t least, uint64_t most)
{
	char *end;
	uint64_t n = strtoull(s, &end, 0);

	if (!*s || *end || n < least || n > most)
		die("%s: not a number from %llu to %llu", s, (unsigned long long)least,
		    (unsigned long long)most);
	return n;
}

static uint32_t read_mtu(const char *s)
{
	uint32_t mtu = IBV_MTU_256;
	uint64_t bytes = number(s, 256, 4096);

	while (128u << mtu < bytes)
		mtu++;
	return mtu;
}

static uint32_t read_kinds(char *list)
{
	uint32_t kinds = 0;

	for (char *save = NULL, *s = strtok_r(list, ",", &save); s;
	     s = strtok_r(NULL, ",", &save)) {
		unsigned k = 0;

		while (k < KINDS && strcmp(s, kind_names[k]) != 0)
			k++;
		if (k == KINDS)
			die("%s: there are send, send_imm, send_inv, write, write_imm, read, swap and add",
			    s);
		kinds |= 1u << k;
	}
	return kinds;
}

static uint32_t read_ends(const char *s)
{
	static const char *const ends[] = { "client", "server", "both" };
	uint32_t n = 0;

	while (n < 3 && strcmp(s, ends[n]) != 0)
		n++;
	if (n == 3)
		die("%s: neither client, server nor both", s);
	return n + 1;
}

static struct options read_options(int argc, char **argv)
{
	struct options o = {
		.s = { .seed = 1,
		       .operations = 20000,
		       .qps = 4,
		       .kinds = (1u << KINDS) - 1,
		       .mtu = IBV_MTU_1024,
		       .timeout = 13, /* 34 ms: a process may have to wait for a processor */
		       .retries = 7 },
		.gid_index = -1,
	};

	for (int c; (c = getopt(argc, argv, "l:c:d:g:n:q:m:t:r:s:o:e:fv")) != -1;) {
		switch (c) {
		case 'l':
			o.listen = optarg;
			break;
		case 'c':
			o.connect = optarg;
			break;
		case 'd':
			o.device = optarg;
			break;
		case 'g':
			o.gid_index = (int)number(optarg, 0, 255);
			break;
		case 'n':
			o.s.operations = number(optarg, 1, UINT64_MAX / 2);
			break;
		case 'q':
			o.s.qps = (uint32_t)number(optarg, 1, QPS_MAX);
			break;
		case 'm':
			o.s.mtu = read_mtu(optarg);
			break;
		case 't':
			o.s.timeout = (uint32_t)number(optarg, 1, 31);
			break;
		case 'r':
			o.s.retries = (uint32_t)number(optarg, 0, 7);
			break;
		case 's':
			o.s.seed = number(optarg, 0, UINT64_MAX);
			break;
		case 'o':
			o.s.kinds = read_kinds(optarg);
			break;
		case 'e':
			o.s.rxe_newer = read_ends(optarg);
			break;
		case 'f':
			o.s.may_fail = 1;
			break;
		case 'v':
			o.trace = true;
			break;
		default:
			usage();
		}
	}
	if (optind != argc || (o.listen && o.connect) || !o.s.kinds)
		usage();
	return o;
}

/* ------------------------------------------------------------------ the other end -- */

static int tcp(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = host ? 0 : AI_PASSIVE };
	struct addrinfo *list;
	int error = getaddrinfo(host, port, &hints, &list), on = 1, fd, accepted;

	if (error)
		die("%s:%s: %s", host ? host : "", port, gai_strerror(error));
	fd = socket(list->ai_family, SOCK_STREAM, 0);
	if (host) {
		if (fd < 0 || connect(fd, list->ai_addr, list->ai_addrlen) != 0)
			die("%s:%s: %s", host, port, strerror(errno));
	} else {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (fd < 0 || bind(fd, list->ai_addr, list->ai_addrlen) != 0 || listen(fd, 1) != 0)
			die("port %s: %s", port, strerror(errno));
		printf("stress: listening\n");
		fflush(stdout);
		accepted = accept(fd, NULL, NULL);
		if (accepted < 0)
			die("port %s: %s", port, strerror(errno));
		close(fd);
		fd = accepted;
	}
	freeaddrinfo(list);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static int tcp_connect(const char *where)
{
	char *host = strdup(where), *colon = host ? strrchr(host, ':') : NULL;
	int fd;

	if (!colon)
		usage();
	*colon = '\0';
	fd = tcp(host, colon + 1);
	free(host);
	return fd;
}

/* ------------------------------------------------------------------------- report -- */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void print_embedded(unsigned (*get)(struct uroce_counter *, unsigned))
{
	struct uroce_counter c[64];
	unsigned n = get(c, 64);

	for (unsigned i = 0; i < n && i < 64; i++)
		if (c[i].value)
			printf(" %s %llu", c[i].name, (unsigned long long)c[i].value);
}

static void print_kernel(const struct end *e)
{
	char pattern[256];
	glob_t g;

	snprintf(pattern, sizeof(pattern), "/sys/class/infiniband/%s/ports/1/hw_counters/*",
		 ibv_get_device_name(e->ctx->device));
	if (glob(pattern, 0, NULL, &g) != 0)
		return;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "r");
		long long value;

		if (f && fscanf(f, "%lld", &value) == 1 && value)
			printf(" %s %lld", strrchr(g.gl_pathv[i], '/') + 1, value);
		if (f)
			fclose(f);
	}
	globfree(&g);
}

static void report(const struct end *e, double time)
{
	unsigned (*get)(struct uroce_counter *, unsigned) = (unsigned (*)(
		struct uroce_counter *, unsigned))dlsym(RTLD_DEFAULT, "uroce_counters");
	uint64_t all = 0;

	for (unsigned k = 0; k < KINDS; k++)
		all += e->count[k];
	printf("%s: %llu operations of %llu bytes verified in %.1f s (%llu rounds on %u QPs):", who,
	       (unsigned long long)all, (unsigned long long)e->bytes, time,
	       (unsigned long long)e->round, e->s.qps);
	for (unsigned k = 0; k < KINDS; k++)
		printf(" %s %llu", kind_names[k], (unsigned long long)e->count[k]);
	if (e->s.may_fail)
		printf("\n%s: %llu ended in RETRY_EXC_ERR, %llu after them were not carried out",
		       who, (unsigned long long)e->failures,
		       (unsigned long long)(e->unfinished - e->failures));
	printf("\n%s: counters:", who);
	if (get)
		print_embedded(get);
	else
		print_kernel(e);
	printf("\n");
	fflush(stdout);
}

/* --------------------------------------------------------------------------- runs -- */

static void run(const struct options *o, unsigned me, int control)
{
	struct end e = { .s = o->s, .me = me, .control = control, .gid_index = o->gid_index };
	double start = seconds();
	uint64_t posted = 0;

	who = me ? "server" : "client";
	end_open(&e, o->device);
	tracing = o->trace;
	if (tracing)
		trace_begin();
	for (; posted < e.s.operations; e.round++) {
		round_run(&e);
		for (unsigned q = 0; q < e.s.qps; q++)
			posted += e.lane[q].out.n + e.lane[q].in.n;
	}
	report(&e, seconds() - start);
	end_close(&e);
	close(control);
}

static int run_both(const struct options *o)
{
	int pair[2], status;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || (child = fork()) < 0)
		die("%s", strerror(errno));
	close(pair[child ? 1 : 0]);
	run(o, !child, pair[child ? 0 : 1]);
	if (!child)
		return 0;
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		die("the other process has crashed");
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	struct options o = read_options(argc, argv);

	if (o.listen)
		run(&o, 1, tcp(NULL, o.listen));
	else if (o.connect)
		run(&o, 0, tcp_connect(o.connect));
	else
		return run_both(&o);
	return 0;
}
