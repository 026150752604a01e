/* SPDX-License-Identifier: MIT */
#include "view/view_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "file/file.h"
#include "loop.h"
#include "page.h"
#include "session.h"
#include "text.h"

#define CONNECTIONS 32
#define IDLE_S	    10		/* a browser that neither asks nor reads is dropped */
#define MEMORY	    (32 * 1024) /* of a connection, for its request */

static struct {
	__typeof__(MHD_start_daemon) *start_daemon;
	__typeof__(MHD_stop_daemon) *stop_daemon;
	__typeof__(MHD_run) *run;
	__typeof__(MHD_get_timeout) *get_timeout;
	__typeof__(MHD_get_daemon_info) *get_daemon_info;
	__typeof__(MHD_lookup_connection_value) *lookup_connection_value;
	__typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
	__typeof__(MHD_add_response_header) *add_response_header;
	__typeof__(MHD_queue_response) *queue_response;
	__typeof__(MHD_destroy_response) *destroy_response;
} mhd;

#define X(name_) { "MHD_" #name_, offsetof(__typeof__(mhd), name_) },
static const struct dynamic_function functions[] = {
	X(start_daemon) X(stop_daemon) X(run) X(get_timeout) X(get_daemon_info)
		X(lookup_connection_value) X(create_response_from_buffer) X(add_response_header)
			X(queue_response) X(destroy_response)
};
#undef X
static const char *const libraries[] = { "libmicrohttpd.so.12", "libmicrohttpd.so", NULL };

struct view_server {
	struct session *s;
	struct MHD_Daemon *daemon;
	view_state *state;
	void *arg;
	int fd; /* epoll, of all its sockets */
	struct loop_timer *timer;
	uint16_t port;
	char token[VIEW_TOKEN], address[64 + VIEW_TOKEN];
};

/* --------------------------------------------------------------------- answers -- */

/* Queues an answer with that text; what it may load and run, no other answer says. */
static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, const char *type,
			      const char *text, size_t len)
{
	static const char *const headers[][2] = {
		{ "Cache-Control", "no-store" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "X-Frame-Options", "DENY" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
	};
	struct MHD_Response *r = mhd.create_response_from_buffer(len, (void *)(uintptr_t)text,
								 MHD_RESPMEM_MUST_COPY);
	enum MHD_Result rc;

	if (!r)
		return MHD_NO;
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		mhd.add_response_header(r, headers[i][0], headers[i][1]);
	mhd.add_response_header(r, "Content-Type", type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		mhd.add_response_header(r, "Allow", "GET");
	rc = mhd.queue_response(c, status, r);
	mhd.destroy_response(r);
	return rc;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
	return answer(c, status, "text/plain; charset=utf-8", why, strlen(why));
}

/* Another name of this host may be one that an attacker's name server gives. */
static bool is_host(const struct view_server *v, const char *host)
{
	char numeric[32], named[32];

	snprintf(numeric, sizeof numeric, "127.0.0.1:%u", v->port);
	snprintf(named, sizeof named, "localhost:%u", v->port);
	return host && (strcmp(host, numeric) == 0 || strcmp(host, named) == 0);
}

/* The part that follows the word in the path "/WORD/..."; NULL: it is not there. Takes as long
 * whatever is wrong. */
static const char *after_token(const struct view_server *v, const char *path)
{
	const size_t n = VIEW_TOKEN - 1;
	unsigned differs = 0;

	if (strlen(path) < n + 2 || path[0] != '/' || path[n + 1] != '/')
		return NULL;
	for (size_t i = 0; i < n; i++)
		differs |= (unsigned char)path[1 + i] ^ (unsigned char)v->token[i];
	return differs ? NULL : path + n + 2;
}

static const char *argument(struct MHD_Connection *c, const char *key)
{
	const char *text = mhd.lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, key);

	return text ? text : "";
}

static enum MHD_Result answer_page(struct MHD_Connection *c)
{
	char nonce[PAGE_NONCE];
	SCOPED_TEXT(text);

	page_nonce(nonce);
	page_document(&text, "RDMA session", nonce, NULL, "");
	return answer(c, MHD_HTTP_OK, "text/html; charset=utf-8", text_str(&text), text_len(&text));
}

static enum MHD_Result answer_state(const struct view_server *v, struct MHD_Connection *c)
{
	const char *row = argument(c, "row");
	SCOPED_TEXT(text);

	v->state(v->arg, strlen(row) < PAGE_ID ? row : "", strtoull(argument(c, "seen"), NULL, 10),
		 &text);
	return answer(c, MHD_HTTP_OK, "application/json", text_str(&text), text_len(&text));
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *path,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **of_request)
{
	const struct view_server *v = arg;
	const char *what = after_token(v, path);

	(void)version, (void)upload, (void)of_request;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0) {
		*upload_size = 0;
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	}
	if (!is_host(v, mhd.lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST)))
		return refuse(c, MHD_HTTP_MISDIRECTED_REQUEST, "not this host\n");
	if (!what)
		return refuse(c, MHD_HTTP_FORBIDDEN,
			      "the address that 'view' prints has a secret word\n");
	if (!*what)
		return answer_page(c);
	if (strcmp(what, "state") == 0)
		return answer_state(v, c);
	return refuse(c, MHD_HTTP_NOT_FOUND, "there is no such page\n");
}

/* -------------------------------------------------------------------- event loop -- */

static void on_ready(void *arg, int fd, short revents);

static void on_timer(void *arg)
{
	struct view_server *v = arg;

	v->timer = NULL;
	on_ready(v, v->fd, 0);
}

static bool is_full(const struct view_server *v)
{
	return mhd.get_daemon_info(v->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)
		       ->num_connections >= CONNECTIONS;
}

static void on_ready(void *arg, int fd, short revents)
{
	struct view_server *v = arg;
	const bool was_full = is_full(v);
	MHD_UNSIGNED_LONG_LONG ms = 0;

	(void)fd, (void)revents;
	mhd.run(v->daemon);
	if (v->timer)
		loop_cancel(v->s->loop, v->timer);
	/* it listens again in the run after the one that has made room */
	v->timer = (was_full && !is_full(v)) || mhd.get_timeout(v->daemon, &ms) == MHD_YES
			   ? loop_after(v->s->loop, (int64_t)ms, on_timer, v)
			   : NULL;
}

static int load(struct session *s)
{
	const char *why;

	if (mhd.run)
		return 0;
	why = file_load_library(libraries, functions, sizeof functions / sizeof *functions, &mhd);
	if (!why)
		return 0;
	fail(s, "view", "ENOENT", "libmicrohttpd cannot be loaded: %s", why);
	return fail_row(s, "needs",
			"the package libmicrohttpd12 (Debian), or libmicrohttpd of your system");
}

static struct MHD_Daemon *start_daemon(struct view_server *v, uint16_t port)
{
	struct sockaddr_in here = { .sin_family = AF_INET,
				    .sin_port = htons(port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	return mhd.start_daemon(MHD_USE_EPOLL, port, NULL, NULL, on_request, v,
				MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&here,
				MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
				MHD_OPTION_LISTEN_BACKLOG_SIZE, (unsigned)CONNECTIONS,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_END);
}

struct view_server *view_server_new(struct session *s, uint16_t port, view_state *state, void *arg)
{
	struct view_server *v;

	if (load(s))
		return NULL;
	v = xcalloc(1, sizeof *v);
	v->s = s;
	v->state = state;
	v->arg = arg;
	page_nonce(v->token);
	v->daemon = start_daemon(v, port);
	if (!v->daemon) {
		fail(s, "view", "EADDRINUSE", "port %u of 127.0.0.1 cannot be opened: %s", port,
		     strerror(errno));
		fail_next(s, "view    (any free port)");
		free(v);
		return NULL;
	}
	v->port = mhd.get_daemon_info(v->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
	v->fd = mhd.get_daemon_info(v->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	snprintf(v->address, sizeof v->address, "http://127.0.0.1:%u/%s/", v->port, v->token);
	loop_watch(s->loop, v->fd, POLLIN, on_ready, v);
	return v;
}

void view_server_free(struct view_server *v)
{
	if (v->timer)
		loop_cancel(v->s->loop, v->timer);
	loop_unwatch(v->s->loop, v->fd);
	mhd.stop_daemon(v->daemon);
	free(v);
}

const char *view_server_address(const struct view_server *v)
{
	return v->address;
}
