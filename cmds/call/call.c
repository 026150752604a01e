/* SPDX-License-Identifier: MIT */
/* call: calls any function of libibverbs and librdmacm by its name. buf: memory for it. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "call/calling.h"
#include "command/cmd.h"
#include "explain/explain.h"
#include "refused_calls.h"
#include "out.h"
#include "qp/qp.h"
#include "recorded.h"
#include "resources/mr.h"
#include "session.h"
#include "words.h"

struct call_cmd_args {
	const struct call_fn *fn;
	struct many words; /* of Tcl_Obj * */
	const char *name;
	struct num within;
	Tcl_Obj *with;
};

/* The descriptor on which the function waits, or -1. */
static int fd_of(const struct calling *c)
{
	const void *p = (const void *)(uintptr_t)c->arg[0];
	const struct rdma_cm_id *id = p;

	if (!c->fn->waits)
		return -1;
	switch (c->fn->args[0].object) {
	case OBJECT_CONTEXT:
		return ((const struct ibv_context *)p)->async_fd;
	case OBJECT_COMP_CHANNEL:
		return ((const struct ibv_comp_channel *)p)->fd;
	case OBJECT_EVENT_CHANNEL:
		return ((const struct rdma_event_channel *)p)->fd;
	default:
		return c->fn->needs & NEED_SEND_CHANNEL	  ? id->send_cq_channel->fd
		       : c->fn->needs & NEED_RECV_CHANNEL ? id->recv_cq_channel->fd
							  : id->channel->fd;
	}
}

/* The errno of a result, or 0: the call succeeded. */
static int errno_of(const struct call_fn *fn, uint64_t result)
{
	int64_t rc = fn->result.size == 8 ? (int64_t)result : (int32_t)result;

	switch (fn->says) {
	case RESULT_STATUS:
		return rc > 0 ? (int)rc : rc == 0 ? 0 : errno ? errno : (int)-rc;
	case RESULT_COUNT:
		return rc >= 0 ? 0 : errno ? errno : rc == -1 ? ENOENT : (int)-rc;
	case RESULT_POINTER:
		return result ? 0 : errno ? errno : EOPNOTSUPP;
	default:
		return 0;
	}
}

/* Calls the function, which does not block: the event loop waits for its descriptor, so that events
 * are handled and Ctrl-C works. Returns an errno, or 0. */
static int invoke_when_ready(struct calling *c, int fd, uint64_t within_ms, uint64_t *result)
{
	int flags = fcntl(fd, F_GETFL), err;
	int64_t end = loop_now() + (int64_t)within_ms * 1000000, left;
	enum loop_end how = LOOP_DONE;

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	for (;;) {
		errno = 0;
		*result = c->fn->invoke(c->arg);
		err = errno_of(c->fn, *result);
		left = (end - loop_now()) / 1000000;
		if ((err != EAGAIN && err != EINTR) || left <= 0 || how != LOOP_DONE)
			break;
		how = loop_wait_fd(c->s->loop, fd, POLLIN, left);
	}
	fcntl(fd, F_SETFL, flags);
	return err != EAGAIN ? err : how == LOOP_INTERRUPTED ? EINTR : ETIMEDOUT;
}

static int invoke_or_wait(struct calling *c, uint64_t within_ms, uint64_t *result)
{
	int fd = fd_of(c);

	if (fd >= 0)
		return invoke_when_ready(c, fd, within_ms, result);
	errno = 0;
	*result = c->fn->invoke(c->arg);
	return errno_of(c->fn, *result);
}

/* Adds a row with the work request at which the library stopped. */
static void add_bad_row(struct calling *c)
{
	for (unsigned i = 0; c->fn->args[i].name; i++) {
		const struct ibv_recv_wr *bad, *wr;
		unsigned n = 0;

		if (i == 0 || c->fn->args[i].kind != CALL_BAD)
			continue;
		wr = (const void *)(uintptr_t)c->arg[i - 1];
		bad = *(const struct ibv_recv_wr **)(uintptr_t)c->arg[i];
		for (; wr && wr != bad; n++) /* all kinds begin with wr_id and next */
			wr = wr->next;
		if (wr)
			fail_row(c->s, c->fn->args[i].name, "number %u of the list, wr_id %llu",
				 n + 1, (unsigned long long)wr->wr_id);
	}
}

/* Has it failed with a code of getaddrinfo(3), which is no errno? -1 says that errno has the
 * reason. */
static const char *lookup_code(const struct calling *c, uint64_t result)
{
	return c->fn == &call_table[ROW_rdma_getaddrinfo] && (int)result < -1
		       ? why_lookup_name((int)result)
		       : NULL;
}

static int fail_lookup(struct calling *c, const char *code, int result, const char *words)
{
	fail(c->s, c->fn->name, code, "%s: %s: %s (%s)", c->fn->name, words, gai_strerror(result),
	     code);
	return fail_row(c->s, "in C", "%s", c->fn->prototype);
}

static int fail_explained(struct calling *c, int err, const char *words)
{
	const char *device = NULL, *meaning = word_help(errno_words, (uint64_t)err);

	for (unsigned i = 0; i < c->nused && !device; i++)
		if (handle_context(c->used[i]))
			device = ibv_get_device_name(handle_context(c->used[i])->device);
	fail_call(c->s, err, c->fn->name, "%s", words);
	add_bad_row(c);
	if (err == ENOENT && c->fn->args[0].name && c->fn->args[0].object == OBJECT_CQ_EX)
		fail_row(c->s, "means", "the CQ has no completion, or no further one");
	else if ((err == EOPNOTSUPP || err == ENOSYS) && device)
		fail_row(c->s, "cause", "%s does not support this", device);
	else if (meaning)
		fail_row(c->s, "means", "%s", meaning);
	call_fail_why(c->s);
	return fail_row(c->s, "in C", "%s", c->fn->prototype);
}

/* An id without a QP and an SRQ uses nothing but its event channel. */
static void unuse_destroyed(struct obj *id)
{
	const struct rdma_cm_id *v = handle_pointer(id, OBJECT_CM_ID);

	if (v->qp || v->srq)
		return;
	for (unsigned i = 0; i < OBJ_USES; i++) {
		struct obj *used = id->uses[i].used;

		if (used && !handle_pointer(used, OBJECT_EVENT_CHANNEL))
			obj_unuse(id, used);
	}
}

/* Updates what the call may have changed: the objects that an id uses, and the states of QPs. */
static void update_used(struct calling *c)
{
	if (c->fn == &call_table[ROW_rdma_destroy_qp] || c->fn == &call_table[ROW_rdma_destroy_srq])
		unuse_destroyed(c->used[0]);
	for (unsigned i = 1; i < c->nused && c->fn->ties; i++)
		obj_use(c->used[0], c->used[i]);
	for (unsigned i = 0; i < c->nused; i++)
		if (c->used[i]->class == &qp_class)
			qp_history_asked((struct qp *)c->used[i], c->fn->name);
}

/* Makes the new id of a CONNECT_REQUEST an object. The event uses its ids. */
static void adopt_id_of_event(struct calling *c, struct rdma_cm_event *ev, struct obj *event)
{
	struct obj *id = handle_find(c->s, OBJECT_CM_ID, ev->id);

	if (!id && ev->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		id = handle_adopt(c, OBJECT_CM_ID, ev->id, NULL);
	obj_use(event, id);
	obj_use(event, handle_find(c->s, OBJECT_CM_ID, ev->listen_id));
}

/* The object of p, which the call has created (name NULL: the next number) or found. */
static struct obj *object_of(struct calling *c, const struct call_value *v, void *p,
			     const char *name)
{
	struct obj *o;

	if (v->role == CALL_FOUND)
		return handle_find(
			c->s, v->object == OBJECT_QP_EX ? OBJECT_QP : v->object,
			v->object == OBJECT_QP_EX ? (void *)&((struct ibv_qp_ex *)p)->qp_base : p);
	o = handle_adopt(c, v->object, p, name);
	if (v->object == OBJECT_CM_EVENT)
		adopt_id_of_event(c, p, o);
	return o;
}

/* The object that the call has created or found; NULL: none. */
static struct obj *resulting_object(struct calling *c, uint64_t result, const char *name)
{
	struct ibv_async_event *event;

	if (c->fn->says == RESULT_POINTER && c->fn->result.kind == CALL_OBJECT)
		return object_of(c, &c->fn->result, (void *)(uintptr_t)result, name);
	for (unsigned i = 0; c->fn->args[i].name; i++) {
		const struct call_value *v = &c->fn->args[i];

		if (v->kind != CALL_OBJECT || (v->role != CALL_MADE && v->role != CALL_FOUND))
			continue;
		if (v->object != OBJECT_ASYNC_EVENT)
			return object_of(c, v, *(void **)(uintptr_t)c->arg[i], name);
		event = malloc(sizeof *event);
		if (event)
			memcpy(event, (void *)(uintptr_t)c->arg[i], sizeof *event);
		return object_of(c, v, event, name);
	}
	return NULL;
}

/* Destroys the object as the command destroy does, which refuses while other objects use it. */
static int destroy_object(struct calling *c)
{
	struct lib_obj *lib = handle_as_lib(c->used[0]);

	if (lib)
		lib->ends = c->fn;
	return obj_destroy(c->s, c->used[0], false);
}

static bool destroys_object(const struct call_fn *fn)
{
	return fn->args[0].name && fn->args[0].role == CALL_GONE;
}

static int set_members(struct calling *c, Tcl_Obj *dict)
{
	const struct call_value *v = &c->fn->args[0];
	const struct call_struct *of = v->name && v->kind == CALL_OBJECT
					       ? call_objects[v->object].of
					       : NULL;

	if (!dict)
		return 0;
	if (v->object == OBJECT_QP_EX && of)
		return call_set(c, of, dict, (void *)(uintptr_t)c->arg[0], 0);
	return fail(c->s, "args", "BADVALUE",
		    "call: -with sets wr_id and wr_flags of a QP, for "
		    "functions that begin with ibv_wr_");
}

static int name_is_free(struct session *s, const char *name)
{
	struct obj *probe = name ? obj_new(s, &pd_class, name) : NULL;

	if (name && !probe)
		return -1;
	if (probe)
		obj_discard(s, probe);
	return 0;
}

static int run_call(struct calling *c, const struct call_cmd_args *a, struct out *o)
{
	Tcl_Obj *words = Tcl_NewListObj((int)a->words.n, a->words.v);
	struct obj *made;
	uint64_t result = 0;
	int err;

	Tcl_IncrRefCount(words);
	err = invoke_or_wait(c, a->within.v, &result);
	if (err) {
		const char *code = lookup_code(c, result);

		if (code)
			fail_lookup(c, code, (int)result, Tcl_GetString(words));
		else
			fail_explained(c, err, Tcl_GetString(words));
		Tcl_DecrRefCount(words);
		return -1;
	}
	Tcl_DecrRefCount(words);
	made = resulting_object(c, result, a->name);
	call_rules_after(c, result);
	update_used(c);
	handle_add_membership(c);
	call_result(c, result, made ? made->name : NULL, o);
	return 0;
}

static const struct arg call_args[] = {
	POS("function", call_cmd_args, fn, kind_function, "its name in C"),
	POS_MIXED("argument", call_cmd_args, words, kind_obj, "in the order of the C function"),
	OPT("name", call_cmd_args, name, kind_str, "name of the object that it creates"),
	OPT("within", call_cmd_args, within, kind_ms, "how long the function may wait",
	    .dflt = "5000"),
	OPT("with", call_cmd_args, with, kind_obj,
	    "wr_id and wr_flags, as a dict, set in the QP before an ibv_wr_ function"),
	ARGS_END
};

static int fail_left_out(struct session *s, const struct call_fn *fn)
{
	fail(s, "call", "EOPNOTSUPP", "%s cannot be called here: %s", fn->name, fn->why);
	return fail_row(s, "in C", "%s", fn->prototype);
}

static int call_check(struct session *s, int n, Tcl_Obj *const words[])
{
	void *mark = arena_alloc(&s->arena, 0);
	struct calling c = { .s = s, .ahead = true };
	int rc;

	if (!words[0] || kind_function.parse(s, &call_args[0], words[0], &c.fn))
		return words[0] ? -1 : 0;
	rc = c.fn->why ? fail_left_out(s, c.fn) : call_words(&c, n - 1, words + 1);
	arena_free(&s->arena, mark);
	return rc;
}

static int call_exec(struct session *s, const void *args, struct out *o)
{
	const struct call_cmd_args *a = args;
	struct calling c = { .s = s, .fn = a->fn };
	struct obj *group;

	if (a->fn->why)
		return fail_left_out(s, a->fn);
	if (!call_present(a->fn))
		return fail(s, "call", "ENOSYS",
			    "the installed libraries have no %s; it came with rdma-core %u",
			    a->fn->name, a->fn->since);
	if (name_is_free(s, a->name) || call_words(&c, (int)a->words.n, a->words.v) ||
	    call_rules(&c) || handle_check_membership(&c) || set_members(&c, a->with))
		return -1;
	group = handle_of_membership(&c);
	if (group)
		return obj_destroy(s, group, false);
	return destroys_object(a->fn) ? destroy_object(&c) : run_call(&c, a, o);
}

/** The arguments are in the order of the C function. An object is given by its name; a flag
 * or an enumerator by its word, with or without the prefix; several flags as a comma list;
 * a struct as a dict of its members ('cap.max_send_wr 8' or 'cap {max_send_wr 8}'); work
 * requests as a dict or a list of dicts; an address as HOST or {HOST PORT}. Leave out what
 * follows from other arguments: out-parameters, the length of a list or of bytes,
 * comp_mask, a mask at the end. Leave out pointers for the caller's own use (cq_context,
 * qp_context), too. The value is the result of the function: an object's name, a number,
 * an out-parameter, or a dict of several out-parameters.
 *
 * Memory is given as an object and an offset (mr0+64, buf0), and must be within that
 * object; plain addresses need --unsafe. Functions, descriptors and pointers of a C
 * program cannot be given. A call that would crash the program, because the library does
 * not check its arguments, is refused. If the device does not support something, the
 * error has its errno.
 *
 * 'help call FUNCTION' shows a function with its structs; 'help coverage' lists all
 * functions.
 * > call ibv_alloc_pd [call ibv_get_device_name [dict get [open] name]] => pd
 * > call ibv_query_srq srq0 => max_wr
 * > call ibv_modify_srq srq0 {srq_limit 4}
 * > call ibv_rate_to_mbps 100_GBPS */
const struct cmd cmd_call = {
	.name = "call",
	.family = "every function",
	.summary = "call a function of libibverbs or librdmacm by its name",
	.calls = NULL,
	.setup = "srq",
	.args = call_args,
	.exec = call_exec,
	.check = call_check,
	.complete = call_complete,
	.complete_dict = call_complete_dict,
	.hint = call_hint,
	.help = call_help,
};

/* ---------------------------------------------------------------------------- buf -- */

struct buf_args {
	struct num len;
	const char *name;
};

static const struct arg buf_args[] = { POS("size", buf_args, len, kind_size, "bytes", .min = 1),
				       OPT("name", buf_args, name, kind_str, "name of the object"),
				       ARGS_END };

static int buf_exec(struct session *s, const void *args, struct out *o)
{
	const struct buf_args *a = args;
	struct lib_obj *buf = handle_make_buf(s, a->name, a->len.v);

	if (!buf)
		return -1;
	buf->o.class->describe(s, &buf->o, o);
	return 0;
}

/** For call: ibv_reg_mr and similar functions take existing memory, buf0 or buf0+64. The
 * memory is page-aligned and zeroed. reg allocates and registers in one step.
 * > buf 4096 => buf buf0
 * > call ibv_reg_mr [dict get [pd] name] buf0 4096 LOCAL_WRITE => mr */
const struct cmd cmd_buf = {
	.name = "buf",
	.family = "every function",
	.summary = "allocate memory without registering it",
	.args = buf_args,
	.exec = buf_exec,
};
