/* SPDX-License-Identifier: MIT */
/* What the verbs add to the shell: the live context, the prompt, versions. */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "async.h"
#include "objects.h"
#include "qp_history.h"
#include "session.h"
#include "words.h"
#include "xmem.h"

static int app_open(struct session *s)
{
	s->ctx = xcalloc(1, sizeof *s->ctx);
	TAILQ_INIT(&s->ctx->objs);
	TAILQ_INIT(&s->ctx->asyncs);
	return 0;
}

static void app_close(struct session *s)
{
	if (!s->ctx)
		return;
	obj_destroy_all(s);
	async_free(s);
	free(s->ctx);
	s->ctx = NULL;
}

/* "rxe0 qp0:RTS": the device, the current QP and its state as the device has it now. */
static void app_prompt(struct session *s, Tcl_DString *prompt)
{
	struct qp *qp = s->ctx->qp;
	struct obj *o, *dev = NULL;

	obj_foreach (o, s)
		if (o->class == &dev_class && !dev)
			dev = o;
	if (qp)
		dev = &qp->pd->dev->o;
	Tcl_DStringAppend(prompt, dev ? dev->name : "rdmash", -1);
	if (!qp)
		return;
	Tcl_DStringAppend(prompt, " ", 1);
	Tcl_DStringAppend(prompt, qp->o.name, -1);
	Tcl_DStringAppend(prompt, ":", 1);
	Tcl_DStringAppend(prompt,
			  word_name(qp_state_words, qp_history_sync(qp, "device")), -1);
}

const struct app app = {
	.open = app_open,
	.close = app_close,
	.prompt = app_prompt,
	.explain = word_explain,
};
