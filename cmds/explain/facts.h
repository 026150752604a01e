/* SPDX-License-Identifier: MIT */
/*
 * What is known about the statuses, events, reasons, flags and attributes of verbs: tables that
 * `explain` reads. words.h has their names and meanings; these tables add what the two ends see,
 * the usual causes, the cures, and the source.
 */
#ifndef CMDS_FACTS_H
#define CMDS_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

struct word;

struct fact {
	uint64_t value;
	const char *here, *there; /* what the end that gets it sees, and the other end; or NULL */
	const char *causes;	  /* a line each, the usual one first; or NULL */
	const char *cures;	  /* a line each; or NULL. Without causes: more to know */
	const char *source;	  /* the man page, or the section of the specification */
	/* scripts/SCRIPT.rdma provokes it, and asserts what stands here; NULL: software devices
	 * cannot show it. scripts/tests/explain.sh holds the two together. */
	const char *script;
};

/* A cause of a fact that holds only for some functions, or only with some errnos. */
struct fact_cause {
	uint64_t value; /* of the fact */
	const char *of; /* their names, with ", " between; "ibv_destroy_*" is a pattern */
	const char *text;
};

/* Does it hold for the function or errno of that name? */
bool fact_cause_is_of(const struct fact_cause *cause, const char *name);

struct fact_family {
	const char *name;   /* what `explain NAME VALUE` takes: "wc-status" */
	const char *title;  /* "completion status" */
	const char *prefix; /* of the constants in the headers: "IBV_WC_" */
	const struct word *words;
	const struct fact *facts; /* ends with a NULL source */
	/* The libraries' own words for it, or a term in full; NULL: there are none. */
	const char *(*text)(uint64_t value);
	bool is_named; /* the values are not in any header: people know the names only */
	const struct fact_cause *causes; /* ends with a NULL text; NULL: there are none */
};

/* Ends with a NULL name. */
extern const struct fact_family fact_families[];

/* The tables, each in the file of its subject. */
extern const struct fact wc_status_facts[], wc_opcode_facts[], wr_opcode_facts[], send_flag_facts[],
	async_facts[], cm_event_facts[], rej_facts[], access_facts[], qp_attr_facts[],
	qp_state_facts[], qp_type_facts[], errno_facts[], port_space_facts[], rule_facts[],
	term_facts[];
extern const struct fact_cause cm_event_causes[], errno_causes[];
/* A term in full: also the title of its objects. */
const char *fact_term_text(uint64_t value);

/* The fact of a value, or NULL. */
const struct fact *fact_of(const struct fact_family *f, uint64_t value);

/* Looking things up by what a person types: a name with or without its prefix, in any case, a
 * number, the text of an error message, a part of these. */

struct found {
	const struct fact_family *family;
	const struct fact *fact;
};

#define FOUND_MAX 24

/* Those that fit text best, in family (NULL: in all): at most FOUND_MAX; returns how many. */
unsigned facts_find(const struct fact_family *family, const char *text, struct found *found);
/* The family called name, which may be shortened; or NULL. */
const struct fact_family *fact_family(const char *name);

#endif
