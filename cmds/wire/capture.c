/* SPDX-License-Identifier: MIT */
/* capture start, capture stop: write packets to a pcapng file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "alloc.h"
#include "command/cmd.h"
#include "data/post.h"
#include "device/device.h"
#include "file/file.h"
#include "help/help.h"
#include "live_context.h"
#include "object_args.h"
#include "objects.h"
#include "out.h"
#include "session.h"
#include "tap.h"
#include "wire/wire.h"

/** For Wireshark's filter line, and 'tshark -r FILE -Y FILTER':
 *
 *   infiniband.mad.attributeid == 0x10     connection requests
 *   infiniband.bth.opcode == 10            RDMA WRITE in one packet (RC)
 *   infiniband.reth                        packets with an address and a key
 *   infiniband.aeth                        ACKs, NAKs, and READ responses
 *   infiniband.aeth.syndrome.opcode == 1   RNR NAKs: no receive was posted
 *   infiniband.aeth.syndrome.opcode == 3   other NAKs
 *
 * For tcpdump, and Wireshark's capture dialog:
 *
 *   udp port 4791                          RoCEv2
 *
 * docs/capture.md has more, and those that do not work. */
const struct topic topic_filter = {
	.name = "filter",
	.title = "filters of captures, for Wireshark and tcpdump",
};

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

/* Opens the file again through its descriptor: a second look-up of the path, which was checked,
 * could find another file. */
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

/** On the embedded device it writes all packets of this process, with the effects of 'fault
 * wire' as comments. On other devices it writes the packets of the network interface,
 * which needs root. The file grows with each packet; an existing one is replaced only with
 * -force. A script may write files below its own directory (or --allow-dir). Read the file
 * with 'wire read' or Wireshark.
 * > capture start eg.pcapng
 * > post write buf -len 8 -remote [get window addr] -rkey [get window rkey]; poll
 * > capture stop => eg.pcapng */
const struct cmd cmd_capture_start = {
	.name = "capture start",
	.family = FAMILY,
	.summary = "write packets to a file, for Wireshark",
	.setup = POST_SETUP,
	.args = start_args,
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

/** Writes the last packets and closes the file. The end of the session ends a capture, too.
 * > capture start eg-stop.pcapng; capture stop
 * > catch {capture stop} why; echo $why => nothing */
const struct cmd cmd_capture_stop = {
	.name = "capture stop",
	.family = FAMILY,
	.summary = "end the capture",
	.setup = POST_SETUP,
	.exec = stop_exec,
};
