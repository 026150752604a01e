/* SPDX-License-Identifier: MIT */
/* The way from a served rdmash to the one that serves it: for serve.c. */
#ifndef SHELL_SERVE_OUT_H
#define SHELL_SERVE_OUT_H

#include <json-c/json.h>
#include <stdbool.h>

struct session;

/* From now on standard output, standard error and notices go to the other end as messages,
 * over what was standard output. That descriptor is standard error's then, for libraries and
 * programs that write to it. */
void serve_divert(struct session *s);
/* Sends {name: body}; takes body. Waits until there is room. */
void serve_send(const char *name, struct json_object *body);
/* Sends what was printed without a newline, too. */
void serve_flush(void);
/* The other end does not read any more. */
bool serve_deaf(void);
/* Text as a JSON string; NULL is an empty one. */
struct json_object *serve_str(const char *text);

#endif
