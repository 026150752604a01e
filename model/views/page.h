/* SPDX-License-Identifier: MIT */
/* The page: one document in HTML, which shows the values that it is given as JSON: in itself, or by
 * a server. Text from packets, peers or memory is escaped here. */
#ifndef MODEL_VIEWS_PAGE_H
#define MODEL_VIEWS_PAGE_H

#include <stdbool.h>
#include <stdint.h>

struct ladder;
struct ladder_row;
struct out;
struct text;

#define PAGE_NONCE 33 /* bytes, with the null byte at the end */

/* The rows of the page: a ladder, and what is known beside it. */
struct page_rows {
	const char *title, *why; /* why: of what failed last, or "" */
	const struct ladder *l;
	char *const *whys;	/* of each row: why it has failed, or NULL; or NULL */
	const unsigned *states; /* of each row: the number of its objects; or NULL */
};

/* Writes title, summary, why, ladder and rows into the open dict. */
void page_rows_out(struct out *o, const struct page_rows *rows);
/* The time after which the objects are as the row has left them; CLOCK_REALTIME, ns. */
int64_t page_row_time(const struct ladder_row *r);
#define PAGE_ID 32 /* bytes of the name of a row, with the null byte at the end */
/* The index of the row with that id, which page_rows_out() has written of it, also in an earlier
 * ladder of the same record; -1: it has none. */
int page_row_of(const struct ladder *l, const char *id);

/* Writes an end for each place of the ladder from the first one on, into the open list: the states
 * of its QPs up to row n - 1, as the rows tell them. */
void page_ladder_ends_out(struct out *o, const struct ladder *l, unsigned first, unsigned n);

/* A random word: the scripts and styles of one document have it, those that a peer has sent do not.
 */
void page_nonce(char nonce[PAGE_NONCE]);
/* Appends the document. values: those of page_rows_out(), NULL: they are asked of the server that
 * it came from. states: a list of the ends at each number in page_rows.states, as JSON; the last
 * one is that of the end. */
void page_document(struct text *d, const char *title, const char *nonce, const struct out *values,
		   const char *states);
/* Writes the ends as they were after the first n rows, or, n 0, as they are at the end, into the
 * open list. False: they are those of the last call. */
typedef bool page_ends_at(void *arg, unsigned n, struct out *o);
/* Appends the document with all values in it; it has the ends from row first on. Sets rows->states,
 * which is of no use afterwards. */
void page_file(struct text *d, struct page_rows *rows, unsigned first, page_ends_at *ends_at,
	       void *arg);
/* Appends the document of a ladder alone. why: the text of explain, or "". */
void page_of_ladder(const char *title, const struct ladder *l, const char *why, struct text *d);

/* Appends formatted text, escaped for HTML and XML, also for an attribute. */
void page_markupf(struct text *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* page.css, ladder.css and page.js. */
extern const char page_css[], ladder_css[], page_js[];

#endif
