/* SPDX-License-Identifier: MIT */
/* What a record says, in one line: "qp0 {qp_state INIT port_num 1}" and "0", "qp0, qpn 17". */
#ifndef CALLS_CALL_TEXT_H
#define CALLS_CALL_TEXT_H

#include <stdio.h>

#include "call_format.h"
#include "call_record.h"

/* How the reader calls things. */
struct call_names {
	/* The name of an object that r has (v: as what; NULL: as one that it has made), or NULL:
	 * the address is written. */
	const char *(*object)(const struct call_names *n, const struct record *r,
			      const struct call_value *v, uint64_t address);
	/* Writes a place in memory ("buf+8"), after call_begin_text(); false: the address is
	 * written. May be NULL. */
	bool (*place)(const struct call_names *n, struct call_sink *k, uint64_t address);
	void *arg; /* theirs */
};

/* The arguments, as the command call takes them. */
void call_text_args(FILE *to, const struct call_names *n, const struct record *r);
/* What has come of it, without the name of call_text_named(): ", qpn 17", "ENOMEM", "0". */
void call_text_result(FILE *to, const struct call_names *n, const struct record *r);
/* The object whose name stands before the result: what was made, or the id that an event is
 * about. 0: none. */
uint64_t call_text_named(const struct record *r);

#endif
