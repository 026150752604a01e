/* SPDX-License-Identifier: MIT */
/* show_kernel_test SCRATCH: what is destroyed and made behind the session's back is marked. */
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "objects.h"
#include "output/out.h"
#include "resources/show_process.h"
#include "session_rig.h"

/* The value of show -kernel, to be released. */
static Tcl_Obj *shown(struct session *s)
{
	struct out *o = out_new(false);
	Tcl_Obj *value;

	CHECK_INT(show_kernel(s, o), 0);
	value = out_value(o);
	Tcl_IncrRefCount(value);
	out_free(o);
	return value;
}

static Tcl_Obj *member(Tcl_Obj *dict, const char *name)
{
	Tcl_Obj *key = Tcl_NewStringObj(name, -1), *value = NULL;

	Tcl_IncrRefCount(key);
	CHECK_INT(Tcl_DictObjGet(NULL, dict, key, &value), TCL_OK);
	Tcl_DecrRefCount(key);
	CHECK(value);
	return value;
}

/* How many objects of the device have a line, and how many of them do not agree. */
static void counts(struct session *s, int *lines, int *disagree)
{
	Tcl_Obj *all = shown(s);

	CHECK_INT(Tcl_DictObjSize(NULL, member(all, "uroce0"), lines), TCL_OK);
	CHECK_INT(Tcl_GetIntFromObj(NULL, member(all, "disagree"), disagree), TCL_OK);
	Tcl_DecrRefCount(all);
}

static int agrees(struct session *s, const char *name)
{
	Tcl_Obj *all = shown(s);
	int yes = -1;

	CHECK_INT(Tcl_GetBooleanFromObj(NULL, member(member(member(all, "uroce0"), name), "agrees"),
					&yes),
		  TCL_OK);
	Tcl_DecrRefCount(all);
	return yes;
}

int main(int argc, char **argv)
{
	struct session *s = rig_new(argc > 1 ? argv[1] : ".");
	int lines, disagree, before;
	struct mr *mr = obj_first(s, &mr_class);
	struct ibv_mr gone;
	struct ibv_pd *more;

	CHECK(mr);
	counts(s, &before, &disagree);
	CHECK_INT(disagree, 0);

	gone = *mr->v;
	CHECK_INT(ibv_dereg_mr(mr->v), 0);
	mr->v = &gone;
	counts(s, &lines, &disagree);
	CHECK_INT(lines, before);
	CHECK_INT(disagree, 1);
	CHECK_INT(agrees(s, mr->o.name), 0);

	mr->v = ibv_reg_mr(mr->pd->v, mr->buf, mr->len, (int)mr->access);
	CHECK(mr->v);
	more = ibv_alloc_pd(mr->pd->dev->v);
	counts(s, &lines, &disagree);
	CHECK_INT(lines, before + 1);
	CHECK_INT(disagree, 1);
	CHECK_INT(agrees(s, mr->o.name), 1);
	CHECK_INT(ibv_dealloc_pd(more), 0);
	counts(s, &lines, &disagree);
	CHECK_INT(disagree, 0);
	rig_free(s);
	return checks_end();
}
