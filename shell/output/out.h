/* SPDX-License-Identifier: MIT */
/*
 * Output: one writer for values, text, JSON and CSV.
 *
 * A handler states each fact once: key, value, and the text a person reads. The value
 * becomes the Tcl result of the command; what is printed, if anything is, the shell
 * decides.
 */
#ifndef SHELL_OUT_H
#define SHELL_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

#include "output/print.h"

struct out;

enum out_format { OUT_TEXT, OUT_JSON, OUT_CSV, OUT_FORMATS };
extern const char *const out_formats[OUT_FORMATS]; /* "text" "json" "csv" */

/* text false: nothing will be printed of it, so that only values are kept. */
struct out *out_new(bool text);
void out_free(struct out *o);

/* Values. The first call decides the root: out_list() a list, a scalar with key NULL a
 * scalar, anything else a dict. Inside a list keys are NULL. The text after the value is
 * for a person (NULL: none); it must carry its own blanks and newline, and may hold whatever
 * a peer has sent: print.h makes it visible. */
void out_str(struct out *o, const char *key, const char *value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void out_int(struct out *o, const char *key, int64_t value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void out_u64(struct out *o, const char *key, uint64_t value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void out_double(struct out *o, const char *key, double value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void out_bool(struct out *o, const char *key, bool value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The value called key in the dict of another output becomes the root here. */
void out_copy(struct out *o, const struct out *from, const char *key);
/* Bytes: a Tcl byte array; hex digits in JSON and CSV. */
void out_bytes(struct out *o, const char *key, const void *data, size_t len);

/* Scopes: values up to out_end() go into the dict or list called key. */
void out_dict(struct out *o, const char *key);
void out_list(struct out *o, const char *key);
void out_end(struct out *o);

/* Text alone, and the colour of what follows (nothing without colour). */
void out_text(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void out_paint(struct out *o, enum paint p);

/* The value is this Tcl object, whatever else is stated: results of scripts. With a text it
 * is printed as JSON too, as a string. */
void out_obj(struct out *o, Tcl_Obj *value);

/* The value as a Tcl object (a new one, reference count 0); an empty string if none. */
Tcl_Obj *out_value(const struct out *o);
/* Appends it as text without colours, with its last newline; nothing when there is nothing
 * to say. */
void out_print(const struct out *o, enum out_format f, Tcl_DString *text);

/* Prints it to standard output. */
void out_show(struct out *o, enum out_format f);
/* Prints one line of text; as a JSON string or a CSV cell where that is the format. */
void out_line(enum out_format f, const char *text);
/* The same of a user's own data: see print_data(). newline: in text, too. */
void out_exact(enum out_format f, const char *text, bool newline);

#endif
