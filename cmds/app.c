/* SPDX-License-Identifier: MIT */
/*
 * The verbs' part of the shell: the live context, asynchronous events, the prompt, versions, help
 * pages.
 */
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "alloc.h"
#include "call/calling.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "device/async.h"
#include "own_model.h"
#include "device/device.h"
#include "explain/explain.h"
#include "help/help.h"
#include "faults/fault_made.h"
#include "live_context.h"
#include "objects.h"
#include "own_rows.h"
#include "peer/peer.h"
#include "qp/qp.h"
#include "session.h"
#include "timeline/timeline.h"
#include "view/view.h"
#include "wire/wire.h"
#include "words.h"

/*
 * Asynchronous events. Destroying an object blocks until its events are acknowledged, so events are
 * copied and acknowledged at once.
 */

#define KEPT 256 /* events that were not taken by wait */

/* The object of which the event speaks; the device, unless the event has one that is known here. */
static struct obj *affected_object(struct session *s, struct dev *dev,
				   const struct ibv_async_event *ev)
{
	const struct call_struct *of = call_objects[OBJECT_ASYNC_EVENT].of;
	struct obj *o = NULL;
	void *v;

	for (const struct call_value *f = of->fields; f->name && !o; f++)
		if (f->kind == CALL_OBJECT && call_field_is_set(of, f, ev, 0, 0)) {
			memcpy(&v, (const char *)ev + f->offset, sizeof v);
			o = handle_find(s, f->object, v);
		}
	return o ? o : &dev->o;
}

static void note_on(struct obj *o, enum ibv_event_type type)
{
	if (o->class == &cq_class && type == IBV_EVENT_CQ_ERR)
		((struct cq *)o)->broken = true;
	else if (o->class == &srq_class && type == IBV_EVENT_SRQ_LIMIT_REACHED)
		((struct srq *)o)->limit =
			0; /* the event is one-shot: modify the SRQ to arm it again */
	else if (o->class == &qp_class)
		qp_history_sync((struct qp *)o, word_name(async_words, type));
}

static void keep_event(struct session *s, enum ibv_event_type type, const struct obj *o,
		       const char *rule)
{
	struct async_event *ev = xcalloc(1, sizeof *ev), *old;
	unsigned n = 0;

	ev->type = type;
	snprintf(ev->obj, sizeof ev->obj, "%s", o->name);
	ev->serial = o->serial;
	snprintf(ev->rule, sizeof ev->rule, "%s", rule ? rule : "");
	TAILQ_INSERT_TAIL(&s->ctx->asyncs, ev, link);
	TAILQ_FOREACH(old, &s->ctx->asyncs, link)
		n++;
	if (n > KEPT) {
		old = TAILQ_FIRST(&s->ctx->asyncs);
		TAILQ_REMOVE(&s->ctx->asyncs, old, link);
		free(old);
	}
}

static void on_async_ready(void *arg, int fd, short revents)
{
	struct dev *dev = arg;
	struct session *s = dev->s;
	struct ibv_async_event ev;
	const char *means, *rule;
	struct obj *o;

	(void)fd, (void)revents;
	obj_ref(dev);
	while (!obj_gone(dev) && ibv_get_async_event(dev->v, &ev) == 0) {
		o = affected_object(s, dev, &ev);
		ibv_ack_async_event(&ev);
		note_on(o, ev.event_type);
		rule = fault_made_async(dev->v->device, ev.event_type);
		keep_event(s, ev.event_type, o, rule);
		means = word_help(async_words, ev.event_type);
		notice_post(s->notices, NOTICE_ASYNC, "%s: %s: %s%s%s", o->name,
			    word_name(async_words, ev.event_type),
			    means ? means : ibv_event_type_str(ev.event_type),
			    rule ? "; on purpose: " : "", rule ? rule : "");
	}
	obj_unref(dev);
}

void async_watch(struct session *s, struct dev *dev)
{
	int fd = dev->v->async_fd;

	dev->s = s;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	loop_watch(s->loop, fd, POLLIN, on_async_ready, dev);
}

void async_unwatch(struct session *s, struct dev *dev)
{
	loop_unwatch(s->loop, dev->v->async_fd);
}

static void async_free(struct session *s)
{
	struct async_event *ev;

	while ((ev = TAILQ_FIRST(&s->ctx->asyncs))) {
		TAILQ_REMOVE(&s->ctx->asyncs, ev, link);
		free(ev);
	}
}

/**
 * Where a machine has no RDMA device, rdmash brings its own: uroce0 speaks RoCEv2 on UDP
 * port 4791, as kernel drivers and network cards do, but from user space: it needs no
 * hardware, no module of the kernel and no privilege. It is used when there is no other
 * device, and with --device uroce0. It is slower than hardware, and else behaves as the
 * specification says: what goes over its wire can be captured and read with Wireshark, and
 * it talks to real devices on other hosts.
 *
 *   rdmash --device uroce0         this device, whatever else there is
 *   uroce rping -s -a 127.0.0.1    any other program that uses RDMA verbs
 *   uroce status                   the processes of this host that use it
 *
 * The programs of one user on a host, 63 at most, share UDP port 4791; another user needs a
 * network of its own (unshare -rn). Two terminals with 127.0.0.1 are enough to try both ends
 * of everything.
 *
 *   UROCE_DEVICES=rxe_0  the device's name, for programs that look for one;
 *                        several, with their interfaces: uroce0:lo,uroce1:eth0
 *   UROCE_PCAP=FILE      writes all packets of a program to a file
 *   UROCE_FAULT=drop=5%  loses packets; 'help fault wire' has the other faults;
 *                        dir=out, op=ACK and psn=N say which packets; ';'
 *                        separates rules
 *   UROCE_FAULT_SEED=7   makes that the same every time
 */
const struct topic topic_uroce = { .name = "uroce", .title = "The embedded device" };

/** The way of 'post write buf', from the key to the packet and back:
 *
 *   the prompt     reads the line, and Tcl cuts it into words
 *   the command    makes a work request of the words, and checks it first
 *   the record     notes each call of libibverbs and librdmacm
 *   the library    of the system, or of uroce0, puts the request into the
 *                  send queue of the QP; nothing waits for it
 *   the device     makes packets of it: RoCEv2, UDP port 4791
 *   the peer       its device looks for the QP, checks PSN, key, range and
 *                  rights, stores the bytes and answers with an ACK; its
 *                  program takes no part
 *   the device     retires the request, and puts a completion into the CQ
 *   poll           takes it from there, finds its request, and tells
 *
 * timeline, trace, step, explain, export and report read the record; the commands know
 * nothing of them. While the session waits, events of the connection manager and of the
 * device are taken, too: they are the lines with '*'. docs/architecture.md of the source
 * names the functions. */
const struct topic topic_architecture = { .name = "architecture", .title = "How it works" };

static int app_open(struct session *s)
{
	own_rows_begin();
	own_model_begin(&s->commands);
	s->ctx = xcalloc(1, sizeof *s->ctx);
	obj_store_init(&s->ctx->store);
	TAILQ_INIT(&s->ctx->asyncs);
	TAILQ_INIT(&s->ctx->requests);
	TAILQ_INIT(&s->ctx->over);
	TAILQ_INIT(&s->ctx->events);
	return 0;
}

static void app_close(struct session *s)
{
	if (!s->ctx)
		return;
	view_end(s);
	capture_end(s);
	peer_end_all(s); /* while the objects of this end still exist */
	cm_close(s);
	obj_destroy_all(s);
	obj_store_free(&s->ctx->store);
	async_free(s);
	wire_end(s);
	call_trace_end();
	timeline_end(s);
	free(s->ctx);
	s->ctx = NULL;
}

/* Shows packets and events that happened during the command. */
static void app_after(struct session *s)
{
	call_trace_watch(s);
	own_check_after(s);
	wire_drain(s);
	timeline_drain(s);
	view_after(s);
}

/* "rxe0 qp0:RTS": the device, the current QP and its state as the device has it now. */
static void app_prompt(struct session *s, struct text *prompt)
{
	struct qp *qp = s->ctx->qp;
	struct obj *dev = obj_first(s, &dev_class);

	if (qp)
		dev = &qp->pd->dev->o;
	xappendf(prompt, "%s", dev ? dev->name : "rdmash");
	if (qp)
		xappendf(prompt, " %s:%s", qp->o.name,
			 word_name(qp_state_words, qp_history_sync(qp, NULL)));
}

/* Unsignaled sends complete in silence: nothing is known of them. */
static void app_unfinished(struct session *s, struct text *sends, struct text *connections)
{
	const struct id *id;
	struct qp *qp;

	obj_foreach_of(qp, s, &qp_class) {
		const struct outstanding out = own_outstanding(qp, false);
		const unsigned n = out.n - out.unsignaled;

		if (n && qp_history_sync(qp, NULL) != IBV_QPS_ERR)
			xappendf(sends, "%s%u send%s of %s", text_len(sends) ? ", " : "", n,
				 n == 1 ? "" : "s", qp->o.name);
	}
	obj_foreach_of(id, s, &id_class)
		if (id->state == ID_ESTABLISHED)
			xappendf(connections, "%s%s with %s", text_len(connections) ? ", " : "",
				 id->o.name, id_peer(id));
}

static void app_names(struct session *s, Tcl_Obj *list)
{
	struct obj *o;

	obj_foreach(o, s) {
		value_append(list, o->name);
		value_append(list, o->class->prefix);
	}
}

static Tcl_Obj *app_objects(struct session *s)
{
	struct out *out = out_new(false);
	Tcl_Obj *all;
	struct obj *o;

	out_dict(out, NULL);
	obj_foreach(o, s) {
		if (o->life != OBJ_LIVES) /* it is being destroyed */
			continue;
		out_dict(out, o->name);
		o->class->describe(s, o, out);
		out_end(out);
	}
	out_end(out);
	all = out_value(out);
	out_free(out);
	return all;
}

/* Lists the providers (user-space drivers of libibverbs); each has a file of its name. */
static void app_version(struct text *text)
{
	glob_t found = { 0 };

	text_add(text, "libibverbs " VERBS_VERSION "  librdmacm " RDMACM_VERSION);
	if (glob("/etc/libibverbs.d/*.driver", 0, NULL, &found) == 0)
		text_add(text, "  providers");
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *name = basename(found.gl_pathv[i]);

		text_add(text, " ");
		text_add_bytes(text, name, strcspn(name, "."));
	}
	globfree(&found);
}

/* Records notices, except those for library events, which the record contains already. */
static void app_noticed(enum notice_kind kind, const char *text)
{
	if (kind == NOTICE_PEER || kind == NOTICE_CHECK)
		own_notice(text, kind == NOTICE_CHECK);
}

static bool app_is_embedded(void)
{
	return embedded_api() != NULL;
}

const struct app app = {
	.start = embedded_start,
	.open = app_open,
	.prompted = timeline_begin,
	.close = app_close,
	.before = call_trace_watch,
	.release = obj_release,
	.after = app_after,
	.prompt = app_prompt,
	.unfinished = app_unfinished,
	.version = app_version,
	.explain = why_word,
	.circumstances = cm_circumstances,
	.causes = explain_fail_causes,
	.meet = cm_meet,
	.names = app_names,
	.objects = app_objects,
	.is_embedded = app_is_embedded,
	.noticed = app_noticed,
};
