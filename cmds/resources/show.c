/* SPDX-License-Identifier: MIT */
/* show, get and destroy: commands for objects of any class. */
#include <limits.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "language/interp.h"
#include "live_context.h"
#include "object_args.h"
#include "objects.h"
#include "output/print.h"
#include "resources/show_process.h"
#include "session.h"

/* ------------------------------------------------------------------- show -- */

/* Writes an object: a line of the tree, and its values under its name. */
static void show_one(struct session *s, struct obj *o, struct out *out)
{
	out_dict(out, o->name);
	o->class->describe(s, o, out);
	out_end(out);
}

/* An object is shown below the youngest object that it uses. */
static struct obj *parent_of(const struct obj *o)
{
	struct obj *last = NULL;

	for (unsigned i = 0; i < OBJ_USES; i++) {
		struct obj *used = o->uses[i].used;

		if (used && (!last || used->serial > last->serial))
			last = used;
	}
	return last;
}

static void show_tree(struct session *s, struct obj *o, unsigned depth, struct out *out)
{
	struct obj_use *u;

	out_text(out, "%*s", (int)depth * 2, "");
	show_one(s, o, out);
	obj_foreach_user(u, o)
		if (u->user->life != OBJ_NEW && parent_of(u->user) == o)
			show_tree(s, u->user, depth + 1, out);
}

static void show_all(struct session *s, struct out *out)
{
	struct obj *o;

	obj_foreach(o, s)
		if (!parent_of(o))
			show_tree(s, o, 0, out);
}

/* The class that word names as its objects are named: "qp" for qp0. NULL: none. */
static const struct obj_class *class_called(const char *word)
{
	static const struct obj_class *const classes[] = {
		&dev_class, &pd_class, &cc_class, &cq_class, &srq_class, &qp_class,  &mr_class,
		&mw_class,  &ah_class, &ec_class, &id_class, &oob_class, &tcp_class, &tcpl_class
	};

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strcmp(classes[i]->prefix, word) == 0)
			return classes[i];
	return NULL;
}

static int show_class(struct session *s, const struct obj_class *class, struct out *out)
{
	struct obj *o = obj_first(s, class);

	if (!o) {
		fail(s, "args", "ENOENT", "there is no %s", class->title);
		return class->remedy ? fail_next(s, "%s", class->remedy) : -1;
	}
	out_dict(out, NULL);
	for (; o; o = obj_next_alike(o))
		show_one(s, o, out);
	return 0;
}

struct show_args {
	Tcl_Obj *name;
	struct num process, within;
	bool watch;
};

/* The name of an object, here or in another process. */
static const struct arg_kind kind_name = { .word = "object",
					   .size = sizeof(Tcl_Obj *),
					   .parse = args_parse_obj,
					   .complete = obj_arg_complete };

static const struct arg show_args[] = {
	POS_OPT("object", show_args, name, kind_name,
		"its name, or qp, mr, ...: all of a kind; left out: all, as a tree"),
	OPT("process", show_args, process, kind_u32,
	    "objects of another program on uroce0: its process ID", .min = 1, .max = INT_MAX),
	SWITCH("watch", show_args, watch, "states and queues of all QPs, again and again"),
	OPT("within", show_args, within, kind_ms, "with -watch: how long (default: until Ctrl-C)"),
	ARGS_END
};

/* Writes one object, what it uses, and what uses it. */
static void show_whole(struct session *s, struct obj *obj, struct out *o)
{
	struct obj_use *u;
	unsigned n = 0;

	obj->class->describe(s, obj, o);
	out_list(o, "uses");
	for (unsigned i = 0; i < OBJ_USES; i++) {
		const struct obj *used = obj->uses[i].used;

		if (used)
			out_str(o, NULL, used->name, "%s%s", n++ ? " " : "  uses ", used->name);
	}
	out_end(o);
	out_text(o, "\n");
	out_list(o, "users");
	obj_foreach_user(u, obj)
		if (u->user->life != OBJ_NEW)
			out_str(o, NULL, u->user->name, "  used by %s\n", u->user->name);
	out_end(o);
}

static int show_exec(struct session *s, const void *args, struct out *o)
{
	const struct show_args *a = args;
	const struct obj_class *class;
	struct obj *obj = NULL;

	if (a->watch) {
		show_watch(s, a->within.set ? (int64_t)a->within.v : INT_MAX, o);
		return 0;
	}
	if (a->process.set)
		return show_process(s, (pid_t)a->process.v, a->name ? Tcl_GetString(a->name) : NULL,
				    o);
	class = a->name && !obj_find(s, NULL, Tcl_GetString(a->name))
			? class_called(Tcl_GetString(a->name))
			: NULL;
	if (class)
		return show_class(s, class, o);
	if (a->name && obj_arg_parse(s, &show_args[0], a->name, &obj))
		return -1;
	if (!obj) {
		out_dict(o, NULL);
		if (TAILQ_EMPTY(&s->ctx->store.all))
			out_text(o, "no objects yet\n  next        reg 4096\n");
		show_all(s, o);
		return 0;
	}
	show_whole(s, obj, o);
	return 0;
}

/** Without a name all objects are shown as a tree: each is below the youngest object that
 * it uses. An object must be destroyed before those above it.
 *
 * -process shows the objects of another program that uses uroce0 and runs as the same
 * user, with or without vtrace: how full its queues are, what its regions let the peer do,
 * and the peer of each QP, with its process if that is on this host. A QP that you name, or
 * the only one, is shown with its states, as qp-state draws them. The program is neither
 * stopped nor changed. '!uroce status' lists the processes.
 *
 * -watch shows the states of all QPs and how much is posted to their queues in one line, which
 * is drawn again when something changes, until Ctrl-C. 'view' shows more, in a browser.
 *
 * Objects of this process that the kernel has on another device are shown by rdma(8): '!rdma
 * resource show qp', or pd, cq, mr, srq, cm_id. Keys of regions need CAP_NET_ADMIN.
 * > show => mr0
 * > show mr0 => uses pd0
 * > show mr => mr mr0
 * > show mr0 -process [pid] => 4096 B
 * > show -watch -within 60 => no QP
 * > destroy -all; show => no objects yet */
const struct cmd cmd_show = {
	.name = "show",
	.family = "resources",
	.summary = "show one object, or all as a tree",
	.setup = "reg 4096",
	.args = show_args,
	.flags = CMD_NO_RECORD,
	.exec = show_exec,
};

/* -------------------------------------------------------------------- get -- */

struct get_args {
	struct obj *obj;
	const char *attr;
};

static const struct arg get_args[] = {
	POS("object", get_args, obj, kind_any, "its name"),
	POS_OPT("attribute", get_args, attr, kind_str, "left out: all, as a dict"), ARGS_END
};

static int no_attr(struct session *s, const struct get_args *a, Tcl_Obj *all)
{
	SCOPED_LIST(names);

	dict_append_keys(all, names);
	fail(s, "get", "ENOENT", "%s has no attribute %s%s", a->obj->name, a->attr,
	     mistake_did_you_mean(cmd_suggest(a->attr, names)));
	fail_row(s, "one of", "%s", Tcl_GetString(names));
	return -1;
}

/* Completes the attributes after the name of an object. */
static void get_complete(struct session *s, int objc, Tcl_Obj *const objv[], Tcl_Obj *words)
{
	struct obj *o = objc == 1 && !s->at ? obj_find(s, NULL, Tcl_GetString(objv[0])) : NULL;
	struct out *all;
	Tcl_Obj *dict;

	if (!o)
		return;
	all = out_new(false);
	o->class->describe(s, o, all);
	dict = out_value(all);
	Tcl_IncrRefCount(dict);
	dict_append_keys(dict, words);
	Tcl_DecrRefCount(dict);
	out_free(all);
}

static int show_get_exec(struct session *s, const void *args, struct out *o)
{
	const struct get_args *a = args;
	struct out *all = out_new(false);
	Tcl_Obj *dict;
	int rc = 0;

	a->obj->class->describe(s, a->obj, a->attr ? all : o);
	if (!a->attr) {
		out_free(all);
		return 0;
	}
	dict = out_value(all);
	Tcl_IncrRefCount(dict);
	if (!dict_get(dict, a->attr))
		rc = no_attr(s, a, dict);
	else
		out_copy(o, all, a->attr);
	Tcl_DecrRefCount(dict);
	out_free(all);
	return rc;
}

/** For scripts: set k [get mr0 rkey]. Numbers are decimal; format 0x%x makes them
 * hexadecimal.
 * > get mr0 len => 4096
 * > format 0x%x [get mr0 rkey] => 0x */
const struct cmd cmd_get = {
	.name = "get",
	.family = "resources",
	.summary = "get an attribute of an object",
	.setup = "reg 4096",
	.args = get_args,
	.flags = CMD_NO_RECORD,
	.exec = show_get_exec,
	.complete = get_complete,
};

/* ---------------------------------------------------------------- destroy -- */

struct destroy_args {
	struct many objs; /* of struct obj * */
	bool cascade, all;
};

static const struct arg destroy_args[] = {
	POS_MANY("object", destroy_args, objs, kind_any, "names of objects"),
	SWITCH("cascade", destroy_args, cascade, "first destroy the objects that use them"),
	SWITCH("all", destroy_args, all, "destroy all objects"), ARGS_END
};

static bool is_named(const struct destroy_args *a, const struct obj *o)
{
	struct obj *const *v = a->objs.v;

	for (size_t i = 0; i < a->objs.n; i++)
		if (v[i] == o)
			return true;
	return false;
}

/* A list of "name serial title" of all objects but the named ones. The caller releases it. */
static Tcl_Obj *list_others(struct session *s, const struct destroy_args *a)
{
	Tcl_Obj *others = Tcl_NewListObj(0, NULL);
	const struct obj *o;

	obj_foreach(o, s) {
		Tcl_Obj *other[] = { Tcl_NewStringObj(o->name, -1),
				     Tcl_NewWideIntObj((Tcl_WideInt)o->serial),
				     Tcl_NewStringObj(obj_title(o), -1) };

		if (!is_named(a, o))
			Tcl_ListObjAppendElement(NULL, others, Tcl_NewListObj(3, other));
	}
	Tcl_IncrRefCount(others);
	return others;
}

/* Writes which of the others were destroyed, too: as the value, and in a line. */
static void out_gone(struct session *s, Tcl_Obj *others, struct out *o)
{
	Tcl_Obj **other, **v;
	Tcl_Size words;
	Tcl_Size n;
	int shown = 0;

	out_list(o, NULL);
	Tcl_ListObjGetElements(NULL, others, &n, &other);
	for (int i = 0; i < n; i++) {
		const struct obj *there;
		Tcl_WideInt serial;

		Tcl_ListObjGetElements(NULL, other[i], &words, &v);
		Tcl_GetWideIntFromObj(NULL, v[1], &serial);
		there = obj_find(s, NULL, Tcl_GetString(v[0]));
		if (there && there->serial == (uint64_t)serial)
			continue;
		out_str(o, NULL, Tcl_GetString(v[0]), "%s%s (%s)",
			shown++ ? ", " : "also destroyed: ", Tcl_GetString(v[0]),
			Tcl_GetString(v[2]));
	}
	out_end(o);
	out_text(o, "%s", shown ? "\n" : "");
}

static int destroy_exec(struct session *s, const void *args, struct out *o)
{
	const struct destroy_args *a = args;
	struct obj **v = a->objs.v;
	Tcl_Obj *others;
	int rc = 0;

	if (!a->objs.n && !a->all)
		return fail(s, "destroy", "MISSING",
			    "nothing to destroy: name objects ('show' lists them), or give -all");
	if (a->all)
		return obj_destroy_each(s);
	others = a->cascade ? list_others(s, a) : NULL;
	for (size_t i = 0; i < a->objs.n && rc == 0; i++)
		if (!obj_gone(v[i]))
			rc = obj_destroy(s, v[i], a->cascade);
	if (others) {
		if (rc == 0)
			out_gone(s, others, o);
		Tcl_DecrRefCount(others);
	}
	return rc;
}

/** An object that others use is not destroyed: the error names the users. -cascade destroys
 * these first, in order, and shows which; its value is a list of their names. At the end of
 * the session all remaining objects are destroyed in the same way.
 * > destroy mr0
 * > destroy pd0 -cascade => mr1 (memory region) */
const struct cmd cmd_destroy = {
	.name = "destroy",
	.family = "resources",
	.summary = "destroy objects",
	.calls =
		"ibv_destroy_qp(3), ibv_destroy_srq(3), ibv_destroy_cq(3), ibv_destroy_ah(3), "
		"ibv_destroy_comp_channel(3), ibv_dereg_mr(3), ibv_dealloc_mw(3), ibv_dealloc_pd(3), "
		"rdma_destroy_qp(3), rdma_destroy_id(3), rdma_destroy_event_channel(3)",
	.setup = "reg 4096; reg 4096",
	.args = destroy_args,
	.exec = destroy_exec,
};
