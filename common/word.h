/* SPDX-License-Identifier: MIT */
/* Names of numbers. */
#ifndef COMMON_WORD_H
#define COMMON_WORD_H

#include <stdint.h>

struct text;

/* A word of an enum or flag list; a table of them ends with NULL. */
struct word {
	const char *name; /* as in verbs.h without the prefix: "RDMA_WRITE" */
	uint64_t value;
	const char *help;
};

/* Finds an entry by name or unique prefix; case and '-' or '_' do not matter. NULL: none or
 * several. */
const struct word *word_find(const struct word *words, const char *name);
/* The name of a value in a table, or NULL. */
const char *word_known(const struct word *words, uint64_t value);
/* Appends the names of the bits set, joined by sep; unknown bits in hex. */
void word_flag_names(const struct word *words, uint64_t bits, const char *sep, struct text *d);
/* The name of value, or its number: never NULL; as temp_text(). */
const char *word_name(const struct word *words, uint64_t value);
/* The meaning of the value, or NULL. */
const char *word_help(const struct word *words, uint64_t value);
/* "LOCAL_WRITE,REMOTE_READ", or "0"; as temp_text(). */
char *word_flags(const struct word *words, uint64_t bits);
/* Changes the name, in place, to how it is typed: "remote-write" of "REMOTE_WRITE". */
char *word_typed(char *text);
#endif
