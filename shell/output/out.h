/* SPDX-License-Identifier: MIT */
/*
 * Output: one writer for values, text, JSON and CSV.
 *
 * A command writes each fact once: key, value, and the text for a person. The value becomes the Tcl
 * result of the command; the shell decides whether and in which format it is printed.
 */
#ifndef SHELL_OUT_H
#define SHELL_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

#include "output/print.h"

struct text;
struct out;

enum out_format { OUT_TEXT, OUT_JSON, OUT_CSV, OUT_FORMATS };
extern const char *const out_formats[OUT_FORMATS]; /* "text" "json" "csv" */

/* text false: nothing will be printed, so only values are stored. */
struct out *out_new(bool text);
void out_free(struct out *o);

/* Write a value. The first call decides the type of the root: out_list() makes a list, a scalar
 * with key NULL a scalar, anything else a dict. Inside a list keys are NULL. fmt is the text for a
 * person (NULL: none); it contains its own blanks and newline, and may contain text from a peer:
 * print.h escapes it. */
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
/* Copies the value called key from the dict of another output; it becomes the root of o. */
void out_copy(struct out *o, const struct out *from, const char *key);
/* Bytes: a Tcl byte array; hex digits in JSON and CSV. */
void out_bytes(struct out *o, const char *key, const void *data, size_t len);

/* Open a scope: values up to out_end() go into the dict or list called key. */
void out_dict(struct out *o, const char *key);
void out_list(struct out *o, const char *key);
void out_end(struct out *o);

/* Write text without a value, and set the colour of the following text. */
void out_text(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void out_paint(struct out *o, enum paint p);
/* Appends text in this colour. */
void out_painted(struct out *o, enum paint p, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* false: nothing will be printed, so a command need not build a long text. */
bool out_has_text(const struct out *o);

/* Sets the whole value to a Tcl object, such as the result of a script; other values are ignored.
 * In JSON it is printed as a string if there is a text. */
void out_obj(struct out *o, Tcl_Obj *value);

/* The value as a Tcl object, an empty string if there is none. The caller does not own a reference;
 * the object may belong to o. */
Tcl_Obj *out_value(const struct out *o);
/* The same, and o keeps a reference to it. */
Tcl_Obj *out_keep_value(struct out *o);
/* Is it the very object that out_keep_value() has returned? */
bool out_is_value(const struct out *o, const Tcl_Obj *value);
/* Appends the output in this format, without colours and ending with a newline; nothing if it is
 * empty. */
void out_print(const struct out *o, enum out_format f, struct text *text);

/* Prints it to standard output. */
void out_show(struct out *o, enum out_format f);
/* Prints one line of text; as a JSON string or a CSV cell where that is the format. */
void out_line(enum out_format f, const char *text);
/* The same for a user's own data: see print_data(). newline: adds one in text format, too. */
void out_exact(enum out_format f, const char *text, bool newline);

#endif
