/* SPDX-License-Identifier: MIT */
/*
 * Output: one writer for values, text, JSON and CSV.
 *
 * A fact is written once: key, value, and the text for a person. The shell makes a Tcl value
 * of it, and decides whether and in which format it is printed; vtrace writes the text or JSON.
 */
#ifndef COMMON_OUT_H
#define COMMON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "painted.h"

struct json_object;
struct out;
struct word;

enum out_format { OUT_TEXT, OUT_JSON, OUT_CSV, OUT_FORMATS };
extern const char *const out_formats[OUT_FORMATS]; /* "text" "json" "csv" */

/* text false: nothing will be printed, so only values are stored. */
struct out *out_new(bool text);
void out_free(struct out *o);

/* Write a value. The first call decides the type of the root: out_list() makes a list, a scalar
 * with key NULL a scalar, anything else a dict. Inside a list keys are NULL. fmt is the text for a
 * person (NULL: none); it contains its own blanks and newline, and may contain text from a peer:
 * what prints it escapes it. */
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
/* A value that is JSON already. */
void out_parsed(struct out *o, const char *key, const char *json);
/* Copies the value called key from the dict of another output; it becomes the root of o. */
void out_copy(struct out *o, const struct out *from, const char *key);
/* A list of the names of the bits that are set. No text. */
void out_flags(struct out *o, const char *key, const struct word *words, uint64_t bits);
/* Bytes: hex digits in JSON and CSV. */
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

/* Appends the output in this format, without colours and ending with a newline; nothing if it is
 * empty. */
void out_print(const struct out *o, enum out_format f, struct text *text);

/* Appends a cell of CSV; first: without a comma before it. */
void out_csv_cell(struct text *d, const char *cell, bool first);

/* The value that was written, which stays with o; NULL: nothing. Its strings for which
 * out_is_bytes() holds are the hex digits of bytes. */
struct json_object *out_json(const struct out *o);
bool out_is_bytes(struct json_object *value);
const struct painted *out_painted_text(const struct out *o);

/* A value of the caller's own kind that an output keeps. */
struct out_twin {
	void *value;   /* NULL: none */
	bool replaces; /* what was written; else it is another form of that */
	const char *(*string)(void *value);
	void (*release)(void *value); /* called by out_free() */
};
struct out_twin *out_twin(struct out *o);

#endif
