/* SPDX-License-Identifier: MIT */
/* A web server on the event loop, for one browser user of this host: an address of loopback, a
 * secret word in each request, GET alone. It has no thread. */
#ifndef CMDS_VIEW_SERVER_H
#define CMDS_VIEW_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;
struct text;
struct view_server;

#define VIEW_TOKEN 33 /* bytes of the secret word, with the null byte at the end */

/* Appends the state as JSON. row: the id of an earlier row, "": now; seen: the version that the
 * browser has, 0: none. */
typedef void view_state(void *arg, const char *row, uint64_t seen, struct text *to);

/* Starts it; port 0: any. Who has the right word gets the page, and what state() says. NULL with
 * s->fail filled. */
struct view_server *view_server_new(struct session *s, uint16_t port, view_state *state, void *arg);
void view_server_free(struct view_server *v);
/* "http://127.0.0.1:41234/TOKEN/"; valid as long as the server. */
const char *view_server_address(const struct view_server *v);

#endif
