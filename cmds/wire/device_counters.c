/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stddef.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "command/args.h"
#include "command/cmd.h"
#include "data/post.h"
#include "device/embedded.h"
#include "language/script.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"

struct counters {
	size_t n;
	struct counter_row {
		char name[64];
		uint64_t value;
	} rows[128];
};

#define LIFESPAN_MAX_MS 1000

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct counter_row *)a)->name, ((const struct counter_row *)b)->name);
}

static void add_row(struct counters *t, const char *name, uint64_t value)
{
	struct counter_row *row = &t->rows[t->n];

	if (t->n == sizeof t->rows / sizeof *t->rows || strlen(name) >= sizeof row->name)
		return;
	strcpy(row->name, name);
	row->value = value;
	t->n++;
}

/* A file that holds one number, and nothing else. */
static bool read_number(int dir, const char *name, uint64_t *value)
{
	char text[32], *end;
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false; /* this port does not count it: EOPNOTSUPP, EINVAL */
	text[n] = 0;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return end != text && (*end == '\n' || !*end) && !errno;
}

/* 0, or -1 with errno: the directory cannot be read. */
static int read_dir(struct counters *t, const char *path)
{
	DIR *d = opendir(path);
	size_t first = t->n;
	struct dirent *e;

	if (!d)
		return -1;
	while ((e = readdir(d))) {
		uint64_t value;

		/* lifespan says how old the others may be, in milliseconds */
		if (*e->d_name != '.' && strcmp(e->d_name, "lifespan") != 0 &&
		    read_number(dirfd(d), e->d_name, &value))
			add_row(t, e->d_name, value);
	}
	closedir(d);
	qsort(t->rows + first, t->n - first, sizeof *t->rows, by_name);
	return 0;
}

static void add_embedded_rows(struct counters *t, const struct embedded_api *api)
{
	struct uroce_counter c[64];
	unsigned n = api->counters(c, sizeof c / sizeof *c);

	for (unsigned i = 0; i < n && i < sizeof c / sizeof *c; i++)
		add_row(t, c[i].name, c[i].value);
	qsort(t->rows, t->n, sizeof *t->rows, by_name);
}

/* The kernel asks the driver again only for values that are older than their lifespan. */
static void outlive(struct session *s, const char *ports)
{
	uint64_t ms;
	int dir = open(ports, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return;
	if (read_number(dir, "hw_counters/lifespan", &ms))
		loop_wait(s->loop, NULL, NULL,
			  (int64_t)(ms < LIFESPAN_MAX_MS ? ms : LIFESPAN_MAX_MS));
	close(dir);
}

/* Reads all counters of a port into t, the first of them those of the driver
 * (ports/N/hw_counters in sysfs; on the embedded device its own), then those of the port
 * (ports/N/counters), each sorted by name. -1 with s->fail filled. */
static int read_counters(struct session *s, const struct dev *dev, unsigned port,
			 struct counters *t)
{
	static const char *const dirs[] = { "hw_counters", "counters" };
	const struct embedded_api *api = embedded_api();
	char ports[PATH_MAX - 16], path[PATH_MAX];
	int err = 0, there = 0;

	t->n = 0;
	if (api) {
		add_embedded_rows(t, api);
		return 0;
	}
	snprintf(ports, sizeof ports, "%s/ports/%u", dev->v->device->ibdev_path, port);
	outlive(s, ports);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", ports, dirs[i]);
		if (read_dir(t, path) == 0)
			there++;
		else
			err = errno;
	}
	if (there)
		return 0;
	return fail(s, "counters", "ENOENT", "%s has no counters: %s", ports, strerror(err));
}

/* The value of a name in t, or 0. */
static uint64_t counter_value(const struct counters *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->rows[i].name, name) == 0)
			return t->rows[i].value;
	return 0;
}

#define UNDERSTANDING "understanding"

struct counters_args {
	struct dev *dev;
	struct num port;
	bool all;
	Tcl_Obj *body;
};

static int check_port(struct session *s, const struct counters_args *a)
{
	unsigned ports = a->dev->attr.orig_attr.phys_port_cnt;

	if (a->port.v <= ports)
		return 0;
	return fail(s, "counters", "EINVAL", "-port %u: %s has %u", (unsigned)a->port.v,
		    a->dev->o.name, ports);
}

/* All are in the value; those that are zero are printed only when all shall be. before: NULL,
 * or what is subtracted. */
static void out_counters(struct out *o, const struct counters *t, const struct counters *before,
			 bool all)
{
	unsigned shown = 0;

	for (size_t i = 0; i < t->n; i++) {
		const char *name = t->rows[i].name;
		int64_t v =
			(int64_t)(t->rows[i].value - (before ? counter_value(before, name) : 0));

		if (v == 0 && !all) {
			out_int(o, name, v, NULL);
			continue;
		}
		out_int(o, name, v, before ? "  %-28s %+" PRId64 "\n" : "  %-28s %" PRId64 "\n",
			name, v);
		shown++;
	}
	if (!shown)
		out_text(o, before ? "  nothing was counted\n" : "  all zero\n");
}

/* --------------------------------------------------------------- counters -- */

static const struct arg counters_arg_table[] = {
	POS_OPT("device", counters_args, dev, kind_dev, "name as devices lists it"),
	OPT("port", counters_args, port, kind_u8, "port of the device", .dflt = "1", .min = 1),
	SWITCH("all", counters_args, all, "print those too that are zero"), ARGS_END
};

static int counters_exec(struct session *s, const void *args, struct out *o)
{
	const struct counters_args *a = args;
	struct counters *t = arena_alloc(&s->arena, sizeof *t);

	if (check_port(s, a) || read_counters(s, a->dev, (unsigned)a->port.v, t))
		return -1;
	out_counters(o, t, NULL, a->all);
	return 0;
}

static const struct cmd_eg counters_egs[] = { { "counters -all", "duplicate_request" },
					      { "dict get [counters] sent_pkts", NULL },
					      { NULL, NULL } };

const struct cmd cmd_counters = {
	.name = "counters",
	.family = UNDERSTANDING,
	.summary = "what a device has counted: packets, retries, errors",
	.text = "The counters of the driver (hw_counters) and of the port, as a dict. Of the\n"
		"embedded device they are those of this process, named as rdma_rxe names them, and\n"
		"some more: bad_... for packets that it refused, fault_... for those that 'fault\n"
		"wire' hit. What the names stand for is told by the driver's manual; on rxe\n"
		"completer_retry_err are time-outs, duplicate_request and out_of_seq_request are\n"
		"what the peer sent twice, or sent although something before it was lost.",
	.examples = counters_egs,
	.args = counters_arg_table,
	.size = sizeof(struct counters_args),
	.flags = CMD_NO_RECORD,
	.exec = counters_exec,
};

/* -------------------------------------------------------- counters around -- */

static const struct arg around_arg_table[] = {
	POS("body", counters_args, body, kind_script, "what to run"),
	OPT("device", counters_args, dev, kind_dev, "name as devices lists it"),
	OPT("port", counters_args, port, kind_u8, "port of the device", .dflt = "1", .min = 1),
	SWITCH("all", counters_args, all, "print those too that have not changed"), ARGS_END
};

static int around_exec(struct session *s, const void *args, struct out *o)
{
	const struct counters_args *a = args;
	struct counters *before = arena_alloc(&s->arena, sizeof *before);
	struct counters *after = arena_alloc(&s->arena, sizeof *after);
	int rc;

	if (check_port(s, a) || read_counters(s, a->dev, (unsigned)a->port.v, before))
		return -1;
	rc = script_body(s, a->body);
	if (rc != TCL_OK)
		return rc == TCL_ERROR ? -1 : rc;
	Tcl_ResetResult(s->tcl);
	if (obj_gone(a->dev))
		return fail(s, "counters around", "ENODEV", "the body has closed the device");
	if (read_counters(s, a->dev, (unsigned)a->port.v, after))
		return -1;
	out_counters(o, after, before, a->all);
	return 0;
}

static const struct cmd_eg around_egs[] = {
	{ "counters around { post write buf -len 8 -remote [get window addr] "
	  "-rkey [get window rkey]; poll }",
	  "sent_pkts" },
	{ "dict get [counters around { sleep 1ms }] retry_exceeded_err", "0" },
	{ NULL, NULL }
};

const struct cmd cmd_counters_around = {
	.name = "counters around",
	.family = UNDERSTANDING,
	.summary = "how the counters change while a script runs",
	.text = "Reads the counters, runs the body, and reads them again: the differences, as a\n"
		"dict that has all counters. What the body's commands have to say is printed as if\n"
		"they were typed one by one. Where both ends are in this session and on one\n"
		"device, both are counted; so is what other programs do meanwhile.",
	.setup = POST_SETUP,
	.examples = around_egs,
	.args = around_arg_table,
	.size = sizeof(struct counters_args),
	.flags = CMD_EVALS,
	.exec = around_exec,
};
