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

/* Writes summary, why, ladder and rows into the open dict. why: of what failed last, or "". A row
 * with a new state of a QP has its drawing, where the ladder is all that is known of that end. */
void page_rows_out(struct out *o, const struct ladder *l, const char *why);
/* The time after which the objects are as the row has left them; CLOCK_REALTIME, ns. */
int64_t page_row_time(const struct ladder_row *r);
#define PAGE_ID 32 /* bytes of the name of a row, with the null byte at the end */
/* The index of the row with that id, which page_rows_out() has written of it, also in an earlier
 * ladder of the same record; -1: it has none. */
int page_row_of(const struct ladder *l, const char *id);

/* A random word: the scripts and styles of one document have it, those that a peer has sent do not.
 */
void page_nonce(char nonce[PAGE_NONCE]);
/* Appends the document. values: those of page_rows_out(), NULL: they are asked of the server that
 * it came from. past: a list of JSON, of the ends after each row, and at the end; null: they are
 * those of the row before. */
void page_document(struct text *d, const char *title, const char *nonce, const struct out *values,
		   const char *past);
/* Appends the document with all values in it. why and past: see above. */
void page_file(struct text *d, const char *title, const struct ladder *l, const char *why,
	       const char *past);

/* Appends formatted text, escaped for HTML and XML, also for an attribute. */
void page_markupf(struct text *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* page.css, ladder.css and page.js. */
extern const char page_css[], ladder_css[], page_js[];

#endif
