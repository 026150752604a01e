/* SPDX-License-Identifier: MIT */
/*
 * The known facts about the statuses, events, reasons, flags and attributes of verbs, and about
 * rules and terms: what the two ends see, the usual causes, the cures, and the source. It stands in
 * the texts of facts/. facts.py makes these tables of them, and the tables of names in words.h.
 */
#ifndef MODEL_FACTS_H
#define MODEL_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorded.h"

struct word;

struct fact_cause {
	/* It holds only for these functions or errnos, with ", " between them; "ibv_destroy_*" is a
	 * pattern. NULL: it always holds. */
	const char *of;
	const char *text;
};

/* Does it hold for the function or errno of that name? cause->of must not be NULL. */
bool fact_cause_is_of(const struct fact_cause *cause, const char *name);

/* Unknown facts are NULL. Lists of strings end with NULL. */
struct fact {
	uint64_t value;
	const char *text;		 /* a term in full: also the title of its objects */
	const char *const *names;	 /* further ones, as good as the one in words */
	const char *const *synonyms;	 /* words that people look for when they mean this */
	const char *here, *there;	 /* what the end that gets it sees, and the other end */
	const struct fact_cause *causes; /* the usual one first; ends with a NULL text */
	const char *const *cures;	 /* without causes: more to know */
	const char *source; /* never NULL: the man page, or the section of the specification */
	/* scripts/SCRIPT.rdma provokes it, and asserts what stands here; NULL: software devices
	 * cannot show it. scripts/tests/explain/facts.sh holds the two together. */
	const char *script;
};

struct fact_family {
	const char *name;   /* what `explain NAME VALUE` takes: "wc-status" */
	const char *title;  /* "completion status" */
	const char *prefix; /* of the constants in the headers: "IBV_WC_" */
	const struct word *words;
	const struct fact *facts;	     /* ends with a NULL source */
	const char *(*text)(uint64_t value); /* the libraries' own words for it; or NULL */
	bool is_named; /* the values are not in any header: people know the names only */
};

/* Ends with a NULL name. */
extern const struct fact_family fact_families[];

/* fact_family.text of the families that have one. */
const char *fact_wc_status_text(uint64_t value);
const char *fact_async_text(uint64_t value);
const char *fact_cm_event_text(uint64_t value);
const char *fact_errno_text(uint64_t value);

/* The fact of a value, or NULL. */
const struct fact *fact_of(const struct fact_family *f, uint64_t value);

/* In what a provider of libibverbs differs from others. */

struct difference {
	enum call_row row; /* where it is met */
	const char *text;
	const char *source; /* NULL ends the list */
};

struct provider {
	const char *name, *title;
	uint32_t vendor, first_part; /* vendor_id; the least vendor_part_id */
	const char *vendor_source;   /* of these numbers */
	const struct difference *rows;
};

/* facts/providers.txt; ends with a NULL name. */
extern const struct provider providers[];

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
