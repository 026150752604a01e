/* SPDX-License-Identifier: MIT */
/* counters, counters around: the counters of a device's driver and port, as sysfs has them. */
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
#include "command/cmd.h"
#include "data/post.h"
#include "device/device.h"
#include "language/script.h"
#include "object_args.h"
#include "objects.h"
#include "out.h"
#include "session.h"

#define LIFESPAN "lifespan" /* a file beside the driver's counters, in ms */
#define STALE_US 20000	    /* the kernel gives out a driver's counters for 10 to 16 ms */

struct counters {
	size_t n;
	struct counter_row {
		char name[64];
		uint64_t value;
	} rows[128];
};

static int compare_counter_names(const void *a, const void *b)
{
	return strcmp(((const struct counter_row *)a)->name, ((const struct counter_row *)b)->name);
}

static void add_counter(struct counters *t, const char *name, uint64_t value)
{
	struct counter_row *row = &t->rows[t->n];

	if (t->n == sizeof t->rows / sizeof *t->rows || strlen(name) >= sizeof row->name)
		return;
	strcpy(row->name, name);
	row->value = value;
	t->n++;
}

static void sort_counters(struct counters *t, size_t first)
{
	qsort(t->rows + first, t->n - first, sizeof *t->rows, compare_counter_names);
}

/* Reads a file that contains one number. */
static bool read_number(int dir, const char *name, uint64_t *value)
{
	char text[32], *end;
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false; /* this port does not have the counter: EOPNOTSUPP, EINVAL */
	text[n] = 0;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return end != text && (*end == '\n' || !*end) && !errno;
}

/* Adds the counters in a directory of the port in sysfs, sorted. False: there is none. */
static bool add_directory(struct counters *t, const struct ibv_device *device, unsigned port,
			  const char *name)
{
	char path[PATH_MAX];
	size_t first = t->n;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof path, "%s/ports/%u/%s", device->ibdev_path, port, name);
	d = opendir(path);
	if (!d)
		return false;
	while ((e = readdir(d))) {
		uint64_t value;

		if (*e->d_name != '.' && strcmp(e->d_name, LIFESPAN) != 0 &&
		    read_number(dirfd(d), e->d_name, &value))
			add_counter(t, e->d_name, value);
	}
	closedir(d);
	sort_counters(t, first);
	return true;
}

static void add_embedded_rows(struct counters *t, const struct embedded_api *api)
{
	struct uroce_counter c[64];
	unsigned n = api->counters(c, sizeof c / sizeof *c);

	for (unsigned i = 0; i < n && i < sizeof c / sizeof *c; i++)
		add_counter(t, c[i].name, c[i].value);
	sort_counters(t, 0);
}

/* Reads all counters of a port into t: first those of the driver (or of the embedded device), then
 * those of the port, each group sorted by name. -1 with s->fail filled. */
static int read_counters(struct session *s, const struct dev *dev, unsigned port,
			 struct counters *t)
{
	const struct embedded_api *api = embedded_api();
	struct ibv_device *device = dev->v->device;
	bool has_driver, has_port;

	t->n = 0;
	if (api) {
		add_embedded_rows(t, api);
		return 0;
	}
	usleep(STALE_US);
	has_driver = add_directory(t, device, port, "hw_counters");
	has_port = add_directory(t, device, port, "counters");
	if (has_driver || has_port)
		return 0;
	return fail(s, "counters", "ENOENT", "port %u of %s has no counters", port, dev->o.name);
}

/* The value of a counter in t, or 0. */
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

static int check_port_number(struct session *s, const struct counters_args *a)
{
	unsigned ports = a->dev->attr.orig_attr.phys_port_cnt;

	if (a->port.v <= ports)
		return 0;
	return fail(s, "counters", "EINVAL", "-port %u: %s has %u", (unsigned)a->port.v,
		    a->dev->o.name, ports);
}

/* Writes all counters as the value, and prints those that are not zero, or (all) each of them.
 * before: earlier values to subtract, or NULL. */
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
		out_text(o, before ? "  no counter has changed\n" : "  all zero\n");
}

/* --------------------------------------------------------------- counters -- */

static const struct arg counters_arg_table[] = {
	POS_OPT("device", counters_args, dev, kind_dev, "name as devices lists it"),
	OPT("port", counters_args, port, kind_u8, "port of the device", .dflt = "1", .min = 1),
	SWITCH("all", counters_args, all, "print counters that are zero, too"), ARGS_END
};

static int counters_exec(struct session *s, const void *args, struct out *o)
{
	const struct counters_args *a = args;
	struct counters *t = arena_alloc(&s->arena, sizeof *t);

	if (check_port_number(s, a) || read_counters(s, a->dev, (unsigned)a->port.v, t))
		return -1;
	out_counters(o, t, NULL, a->all);
	return 0;
}

/** The value is a dict of the counters of the driver (hw_counters) and of the port. The
 * counters of the embedded device cover this process. They have the names of rdma_rxe, and
 * there are some more: bad_... for packets that the device rejected, fault_... for packets
 * that 'fault wire' changed. The driver's manual explains the names: on rxe,
 * completer_retry_err counts time-outs, duplicate_request counts requests that the peer
 * sent again, and out_of_seq_request counts requests that arrived after a lost one.
 * > counters -all => duplicate_request
 * > dict get [counters] sent_pkts */
const struct cmd cmd_counters = {
	.name = "counters",
	.family = UNDERSTANDING,
	.summary = "show the counters of a device: packets, retries, errors",
	.args = counters_arg_table,
	.flags = CMD_NO_RECORD,
	.exec = counters_exec,
};

/* -------------------------------------------------------- counters around -- */

static const struct arg around_arg_table[] = {
	POS("body", counters_args, body, kind_script, "what to run"),
	OPT("device", counters_args, dev, kind_dev, "name as devices lists it"),
	OPT("port", counters_args, port, kind_u8, "port of the device", .dflt = "1", .min = 1),
	SWITCH("all", counters_args, all, "print counters that did not change, too"), ARGS_END
};

static int around_exec(struct session *s, const void *args, struct out *o)
{
	const struct counters_args *a = args;
	struct counters *before = arena_alloc(&s->arena, sizeof *before);
	struct counters *after = arena_alloc(&s->arena, sizeof *after);
	int rc;

	if (check_port_number(s, a) || read_counters(s, a->dev, (unsigned)a->port.v, before))
		return -1;
	rc = script_body(s, a->body);
	if (rc != TCL_OK)
		return rc == TCL_ERROR ? -1 : rc;
	Tcl_ResetResult(s->tcl);
	if (obj_gone(a->dev))
		return fail(s, "counters around", "ENODEV", "the body closed the device");
	if (read_counters(s, a->dev, (unsigned)a->port.v, after))
		return -1;
	out_counters(o, after, before, a->all);
	return 0;
}

/** Reads the counters, runs the body, and reads the counters again. The value is a dict of
 * the differences of all counters. Results of the body's commands are printed as if you
 * had typed them. The counters of a device count all its traffic: that of both ends if
 * both are on it, and that of other programs.
 * > counters around { post write buf -len 8 -remote [get window addr] -rkey [get window rkey];
 *   poll } => sent_pkts
 * > dict get [counters around { sleep 1ms }] retry_exceeded_err => 0 */
const struct cmd cmd_counters_around = {
	.name = "counters around",
	.family = UNDERSTANDING,
	.summary = "show how the counters change while a script runs",
	.setup = POST_SETUP,
	.args = around_arg_table,
	.flags = CMD_EVALS,
	.exec = around_exec,
};
