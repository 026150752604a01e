/* SPDX-License-Identifier: MIT */
/* What the verbs add to the shell: the live context, the prompt, versions. */
#include <glob.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "async.h"
#include "call/call_trace.h"
#include "connection/cm_events.h"
#include "connection/cm_meet.h"
#include "device/embedded.h"
#include "objects.h"
#include "own_rows.h"
#include "peer/peer.h"
#include "qp/qp_history.h"
#include "session.h"
#include "timeline/timeline.h"
#include "topics.h"
#include "wire/wire_on.h"
#include "words.h"
#include "alloc.h"

static int app_open(struct session *s)
{
	own_rows_begin();
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
	capture_end(s);
	peer_end_all(s); /* while what this end has still answers them */
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

/* What has passed by now. */
static void app_after(struct session *s)
{
	call_trace_watch(s);
	wire_drain(s);
	timeline_drain(s);
}

/* "rxe0 qp0:RTS": the device, the current QP and its state as the device has it now. */
static void app_prompt(struct session *s, Tcl_DString *prompt)
{
	struct qp *qp = s->ctx->qp;
	struct obj *dev = obj_first(s, &dev_class);

	if (qp)
		dev = &qp->pd->dev->o;
	Tcl_DStringAppend(prompt, dev ? dev->name : "rdmash", -1);
	if (!qp)
		return;
	Tcl_DStringAppend(prompt, " ", 1);
	Tcl_DStringAppend(prompt, qp->o.name, -1);
	Tcl_DStringAppend(prompt, ":", 1);
	Tcl_DStringAppend(prompt, word_name(qp_state_words, qp_history_sync(qp, "device")), -1);
}

static void app_names(struct session *s, Tcl_Obj *list)
{
	struct obj *o;

	obj_foreach(o, s) {
		Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(o->name, -1));
		Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(o->class->prefix, -1));
	}
}

static Tcl_Obj *app_objects(struct session *s)
{
	struct out *out = out_new(false);
	Tcl_Obj *all;
	struct obj *o;

	out_dict(out, NULL);
	obj_foreach(o, s) {
		if (o->life != OBJ_LIVES) /* the call that destroys it has been made */
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

/* A provider is a driver of libibverbs in user space; each leaves a file of its name. */
static void app_version(Tcl_DString *text)
{
	glob_t found = { 0 };

	Tcl_DStringAppend(text, "libibverbs " VERBS_VERSION "  librdmacm " RDMACM_VERSION, -1);
	if (glob("/etc/libibverbs.d/*.driver", 0, NULL, &found) == 0)
		Tcl_DStringAppend(text, "  providers", -1);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *name = basename(found.gl_pathv[i]);

		Tcl_DStringAppend(text, " ", 1);
		Tcl_DStringAppend(text, name, (int)strcspn(name, "."));
	}
	globfree(&found);
}

/* What is taken from the libraries is in the record by itself. */
static void app_noticed(enum notice_kind kind, const char *text)
{
	if (kind == NOTICE_PEER)
		own_notice(text, false);
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
	.version = app_version,
	.explain = word_explain,
	.circumstances = cm_circumstances,
	.meet = cm_meet,
	.names = app_names,
	.objects = app_objects,
	.noticed = app_noticed,
	.topics = cmd_topics,
};
