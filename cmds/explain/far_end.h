/* SPDX-License-Identifier: MIT */
/*
 * The other end of a QP, where it can be looked at: in this process, or in a peer that this one
 * has started. Both tell of their objects in the same form, that of `show`.
 */
#ifndef CMDS_EXPLAIN_FAR_END_H
#define CMDS_EXPLAIN_FAR_END_H

#include <stdbool.h>
#include <stdint.h>
#include <tcl.h>

struct session;

struct far_end {
	char whose[40];	  /* "", or "b: " of the peer b */
	Tcl_Obj *objects; /* a dict of dicts; NULL: the end is not to be seen from here */
	Tcl_Obj *qp;	  /* in it */
	const char *name; /* of the QP */
};

/* Looks for the QP numbered qpn that talks to the one numbered mine. To be freed. */
struct far_end far_end_find(struct session *s, uint32_t qpn, uint32_t mine);
void far_end_free(struct far_end *f);

/* Attributes of an object: "" and 0 when there is none called key. */
const char *far_text(Tcl_Obj *object, const char *key);
uint64_t far_number(Tcl_Obj *object, const char *key);
/* Does the comma list of words under key have word? */
bool far_allows(Tcl_Obj *object, const char *key, const char *word);
/* The region or window there whose key (rkey or lkey) is value, or NULL. */
Tcl_Obj *far_region(const struct far_end *f, const char *key, uint32_t value);

#endif
