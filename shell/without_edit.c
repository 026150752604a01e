/* SPDX-License-Identifier: MIT */
/* Stands in for edit.c and notice.c until they are merged. */
#include <stdio.h>
#include <stdlib.h>
#include "edit.h"
#include "notice.h"
#include "xmem.h"
const char *const notice_words[NOTICE_KINDS] = { "cm", "async", "cq" };
struct notices { unsigned shown; };
struct notices *notices_new(void) { struct notices *n = xcalloc(1, sizeof *n); n->shown = 7; return n; }
void notices_free(struct notices *n) { free(n); }
void notices_editor(struct notices *n, struct edit *e) { (void)n, (void)e; }
void notices_show(struct notices *n, unsigned kinds) { n->shown = kinds; }
unsigned notices_shown(const struct notices *n) { return n->shown; }
void notices_color(struct notices *n, bool on) { (void)n, (void)on; }
void notice_post(struct notices *n, enum notice_kind kind, const char *fmt, ...) { (void)n, (void)kind, (void)fmt; }
struct edit *edit_new(struct loop *l, const struct edit_ops *ops, void *ctx, const char *history) { (void)l, (void)ops, (void)ctx, (void)history; return NULL; }
void edit_free(struct edit *e) { (void)e; }
enum edit_end edit_read(struct edit *e, Tcl_DString *block) { (void)e, (void)block; return EDIT_EOF; }
void edit_above(struct edit *e, const char *text) { (void)e; fputs(text, stdout); }
void edit_hints(struct edit *e, bool on) { (void)e, (void)on; }
void edit_panic(struct edit *e) { (void)e; }
