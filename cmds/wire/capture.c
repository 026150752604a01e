/* SPDX-License-Identifier: MIT */
/* capture start, capture stop: write packets to a pcapng file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "alloc.h"
#include "command/args.h"
#include "command/cmd.h"
#include "device/device.h"
#include "file/file.h"
#include "objects.h"
#include "output/out.h"
#include "tap.h"
#include "session.h"
#include "wire/wire.h"

#define FAMILY "understanding"

struct capture {
	struct packet_source *source; /* NULL: the embedded device writes the file itself */
	int fd;
	int err; /* errno that ended the writing, or 0 */
	char *path;
};

static void write_packet(void *arg, const struct uroce_packet *p)
{
	struct capture *c = arg;

	if (c->err || pcapng_write(c->fd, p) == 0)
		return;
	c->err = errno;
	save_ends(c->path, c->err);
}

/* Writes the packets that are still queued, and closes the source. */
static void stop_capture(struct session *s)
{
	struct capture *c = s->ctx->capture;

	if (!c->source) {
		c->err = embedded_api()->capture(NULL) ? errno : 0;
		return;
	}
	packet_source_drain(c->source);
	packet_source_close(c->source);
	if (close(c->fd) && !c->err)
		c->err = errno;
}

static void free_capture(struct session *s)
{
	free(s->ctx->capture->path);
	free(s->ctx->capture);
	s->ctx->capture = NULL;
}

void capture_end(struct session *s)
{
	if (!s->ctx->capture)
		return;
	stop_capture(s);
	if (s->ctx->capture->err)
		save_ends(s->ctx->capture->path, s->ctx->capture->err);
	free_capture(s);
}

/* ------------------------------------------------------------------- start -- */

struct capture_args {
	const char *path;
	struct dev *dev;
	bool force;
};

static const struct arg start_args[] = {
	POS("file", capture_args, path, kind_path, "pcapng file to write"),
	POS_OPT("device", capture_args, dev, kind_dev, "name as devices lists it"),
	SWITCH("force", capture_args, force, "replace an existing file"), ARGS_END
};

/* Opens the file again by its descriptor, because its path was checked already. */
static int begin_capture(struct session *s, struct capture *c, const struct capture_args *a, int fd)
{
	const struct embedded_api *api = embedded_api();
	char again[64];

	snprintf(again, sizeof again, "/proc/self/fd/%d", fd);
	if (api)
		return api->capture(again) ? fail_call(s, errno, "uroce_capture", "%s", a->path)
					   : 0;
	c->fd = pcapng_open(again, a->dev->o.name, false);
	if (c->fd < 0)
		return fail_call(s, errno, "capture start", "%s", a->path);
	c->source = packet_source_open(s, "capture start", a->dev, write_packet, c);
	if (c->source)
		return 0;
	close(c->fd);
	return -1;
}

static int start_exec(struct session *s, const void *args, struct out *o)
{
	const struct capture_args *a = args;
	struct capture *c;
	int fd, rc;

	(void)o;
	if (s->ctx->capture) {
		fail(s, "capture start", "EBUSY", "capture start: %s is being written",
		     s->ctx->capture->path);
		return fail_next(s, "capture stop");
	}
	fd = save_growing(s, a->path, a->force, 0600);
	if (fd < 0)
		return -1;
	c = xcalloc(1, sizeof *c);
	c->path = xstrdup(a->path);
	rc = begin_capture(s, c, a, fd);
	close(fd);
	if (rc) {
		free(c->path);
		free(c);
		return -1;
	}
	s->ctx->capture = c;
	return 0;
}

#define SETUP                                                      \
	"reg 4096 -name window -access local-write,remote-write\n" \
	"listen 7471 -address 10.0.0.1 -accept\nconnect 10.0.0.1 7471\nreg 4096 -name buf\n"

static const struct cmd_eg start_egs[] = {
	{ "capture start eg.pcapng", NULL },
	{ "post write buf -len 8 -remote [get window addr] -rkey [get window rkey]; poll", NULL },
	{ "capture stop", "eg.pcapng" },
	{ NULL, NULL }
};

const struct cmd cmd_capture_start = {
	.name = "capture start",
	.family = FAMILY,
	.summary = "write packets to a file, for Wireshark",
	.text = "For the embedded device it writes all packets of this process, with the effects of\n"
		"'fault wire' as comments; for others the packets of the network interface, which needs\n"
		"root. The file grows with each packet; an existing one is replaced only with -force. A\n"
		"script may write below its own directory (or --allow-dir). Read the file with 'wire\n"
		"read' or Wireshark.",
	.setup = SETUP,
	.examples = start_egs,
	.args = start_args,
	.size = sizeof(struct capture_args),
	.exec = start_exec,
};

/* -------------------------------------------------------------------- stop -- */

static int stop_exec(struct session *s, const void *args, struct out *o)
{
	struct capture *c = s->ctx->capture;
	int err;

	(void)args;
	if (!c) {
		fail(s, "capture stop", "ENOENT", "capture stop: nothing is being written");
		return fail_next(s, "capture start FILE.pcapng");
	}
	stop_capture(s);
	err = c->err;
	if (err) {
		fail_call(s, err, "write", "%s", c->path);
		fail_row(s, "written", "the packets before that");
		fail_next(s, "wire read %s", c->path);
	} else {
		out_str(o, NULL, c->path, "%s is written: wire read %s\n", c->path, c->path);
	}
	free_capture(s);
	return err ? -1 : 0;
}

static const struct cmd_eg stop_egs[] = { { "capture start eg-stop.pcapng; capture stop", NULL },
					  { "catch {capture stop} why; echo $why", "nothing" },
					  { NULL, NULL } };

const struct cmd cmd_capture_stop = {
	.name = "capture stop",
	.family = FAMILY,
	.summary = "end the capture",
	.text = "Then the file is complete. The end of the session ends a capture, too.",
	.setup = SETUP,
	.examples = stop_egs,
	.exec = stop_exec,
};
