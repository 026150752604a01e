/* SPDX-License-Identifier: MIT */
/* The ladder as a page of HTML. Text from packets, peers or memory is escaped by markup_text(). */
#ifndef MODEL_PAGE_H
#define MODEL_PAGE_H

struct ladder;
struct text;

/* Appends the whole page. why: the text of explain, or ""; more: sections behind those of the
 * ladder, as HTML, or "". */
void page_write(const char *title, const struct ladder *l, const char *why, const char *more,
		struct text *d);
/* Appends a state diagram for each QP of the ladder. */
void page_qps(const struct ladder *l, struct text *d);

/* Appends text, escaped for HTML and XML, also for an attribute. */
void markup_text(struct text *d, const char *text);
/* The same of formatted text. */
void markup_textf(struct text *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* report.css and ladder.css. */
extern const char report_css[], ladder_css[];

#endif
