/* SPDX-License-Identifier: MIT */
/*
 * The data that both ends of a connection exchange by hand, and its exchange over TCP.
 *
 * It is untrusted: every number is checked for its range, and unknown fields are ignored.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "alloc.h"
#include "device/device.h"
#include "language/interp.h"
#include "loop.h"
#include "objects.h"
#include "output/out.h"
#include "qp/qp.h"
#include "session.h"
#include "spec_tables.h"
#include "tcp/tcp_socket.h"
#include "words.h"

#define VALUE_MAX 128 /* characters of one value */
/* json-c makes UINT64_MAX of every larger number, so that it says nothing. */
#define NUMBER_MAX (UINT64_MAX - 1)

struct peer_field {
	const char *name;
	size_t offset, size;
	uint64_t min, max;
	bool need;
};

#define FIELD(name, min, max, need)                                                            \
	{                                                                                      \
#name, offsetof(struct qp_peer, name), sizeof(((struct qp_peer *)NULL)->name), \
			min, max, need                                                         \
	}

static const struct peer_field fields[] = {
	FIELD(qpn, 1, 0xffffff, true),	   FIELD(psn, 0, 0xffffff, true),
	FIELD(qkey, 0, UINT32_MAX, false), FIELD(lid, 0, UINT16_MAX, false),
	FIELD(gid_index, 0, 0xff, false),  FIELD(addr, 0, NUMBER_MAX, false),
	FIELD(len, 0, NUMBER_MAX, false),  FIELD(rkey, 0, UINT32_MAX, false),
};

/* Copies the text of a value into buf: 1; 0: there is none; -1: it is no number or text.
 */
struct value_source {
	int (*get)(const struct value_source *from, const char *key, char buf[VALUE_MAX]);
	void *data;
};

static int fail_bad_value(struct session *s, const char *what, const char *why)
{
	return fail(s, "peer", "EPROTO", "the peer's %s %s", what, why);
}

static int take_number(struct session *s, const struct peer_field *f, const char *text,
		       struct qp_peer *p)
{
	void *at = (char *)p + f->offset;
	uint64_t v = 0;
	bool fits;

	if (!args_number(text, &v, &fits) || !fits || v < f->min || v > f->max)
		return fail(s, "peer", "EPROTO",
			    "the peer's %s '%s' is not a number from %llu to %llu", f->name, text,
			    (unsigned long long)f->min, (unsigned long long)f->max);
	switch (f->size) {
	case 2:
		*(uint16_t *)at = (uint16_t)v;
		break;
	case 4:
		*(uint32_t *)at = (uint32_t)v;
		break;
	case 8:
		*(uint64_t *)at = v;
		break;
	}
	return 0;
}

static int take_numbers(struct session *s, const struct value_source *from, struct qp_peer *p)
{
	char text[VALUE_MAX];

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		int got = from->get(from, fields[i].name, text);

		if (got < 0)
			return fail_bad_value(s, fields[i].name, "is not a number");
		if (!got && fields[i].need)
			return fail_bad_value(s, fields[i].name, "is missing");
		if (got && take_number(s, &fields[i], text, p))
			return -1;
	}
	return 0;
}

static int take_words(struct session *s, const struct value_source *from, struct qp_peer *p)
{
	char text[VALUE_MAX];
	const struct word *w;
	int got;

	got = from->get(from, "gid", text);
	if (got < 0 || (got && *text && !gid_parse(text, &p->gid)))
		return fail_bad_value(s, "gid", "is not an address");
	got = from->get(from, "type", text);
	w = got > 0 ? args_word(qp_type_words, text) : NULL;
	if (got < 0 || (got && !w))
		return fail_bad_value(s, "type", "is not RC, UC or UD");
	if (w)
		p->type = (enum ibv_qp_type)w->value;
	got = from->get(from, "mtu", text);
	w = got > 0 ? args_word(mtu_words, text) : NULL;
	if (got < 0 || (got && !w))
		return fail_bad_value(s, "mtu", "is not 256, 512, 1024, 2048 or 4096");
	if (w)
		p->mtu = (enum ibv_mtu)w->value;
	return 0;
}

static int take_peer(struct session *s, const struct value_source *from, struct qp_peer *p)
{
	static const union ibv_gid none;
	struct qp_peer new = { .known = true };

	if (take_numbers(s, from, &new) || take_words(s, from, &new))
		return -1;
	if (!new.lid && memcmp(&new.gid, &none, sizeof none) == 0)
		return fail_bad_value(s, "address", "is missing: neither a gid nor a lid");
	*p = new;
	return 0;
}

static int get_dict(const struct value_source *from, const char *key, char buf[VALUE_MAX])
{
	Tcl_Obj *v = dict_get(from->data, key);

	if (!v)
		return 0;
	return snprintf(buf, VALUE_MAX, "%s", Tcl_GetString(v)) < VALUE_MAX ? 1 : -1;
}

int qp_peer_from_dict(struct session *s, Tcl_Obj *dict, struct qp_peer *p)
{
	struct value_source from = { .get = get_dict, .data = dict };
	int n;

	if (Tcl_DictObjSize(NULL, dict, &n) != TCL_OK) {
		const char *word = Tcl_GetString(dict);

		fail(s, "peer", "EINVAL", "'%s' does not tell QP number, PSN and GID", word);
		fail_row(s, "like", "{qpn 17 psn 4711 gid ::ffff:10.0.0.2}");
		return obj_find(s, &qp_class, word) ? fail_next(s, "-peer [qp-info %s]", word) : -1;
	}
	return take_peer(s, &from, p);
}

static int get_json(const struct value_source *from, const char *key, char buf[VALUE_MAX])
{
	struct json_object *v;

	if (!json_object_object_get_ex(from->data, key, &v) || !v)
		return 0;
	if (!json_object_is_type(v, json_type_int) && !json_object_is_type(v, json_type_string))
		return -1;
	return snprintf(buf, VALUE_MAX, "%s", json_object_get_string(v)) < VALUE_MAX ? 1 : -1;
}

int qp_peer_from_json(struct session *s, const char *text, size_t len, struct qp_peer *p)
{
	struct json_tokener *tok = json_tokener_new_ex(4);
	struct json_object *j = tok ? json_tokener_parse_ex(tok, text, (int)len) : NULL;
	struct value_source from = { .get = get_json, .data = j };
	int rc;

	if (!j || !json_object_is_type(j, json_type_object))
		rc = fail(s, "peer", "EPROTO", "the peer's message is not a JSON object%s%s",
			  tok && !j ? ": " : "",
			  tok && !j ? json_tokener_error_desc(json_tokener_get_error(tok)) : "");
	else
		rc = take_peer(s, &from, p);
	json_object_put(j);
	if (tok)
		json_tokener_free(tok);
	return rc;
}

int qp_peer_adopt(struct session *s, struct qp *qp, const struct qp_peer *p)
{
	if (p->type && p->type != qp->type)
		return fail(s, "peer", "EPROTO", "the peer's QP is %s, %s is %s",
			    word_name(qp_type_words, p->type), qp->o.name,
			    word_name(qp_type_words, qp->type));
	qp->peer = *p;
	return 0;
}

static void put_number(struct json_object *j, const char *key, uint64_t v)
{
	json_object_object_add(j, key, json_object_new_uint64(v));
}

/* Eight groups of four digits, which Python programs (pyverbs) parse. */
static const char *gid_groups(const union ibv_gid *gid, char text[41])
{
	for (int i = 0; i < 8; i++)
		snprintf(text + 5 * i, 6, "%02x%02x%s", gid->raw[2 * i], gid->raw[2 * i + 1],
			 i < 7 ? ":" : "");
	return text;
}

char *qp_peer_to_json(const struct qp_peer *p)
{
	struct json_object *j = json_object_new_object();
	char *text, gid[41];

	put_number(j, "qpn", p->qpn);
	put_number(j, "psn", p->psn);
	put_number(j, "lid", p->lid);
	json_object_object_add(j, "gid", json_object_new_string(gid_groups(&p->gid, gid)));
	put_number(j, "rkey", p->rkey);
	put_number(j, "addr", p->addr);
	put_number(j, "len", p->len);
	put_number(j, "gid_index", p->gid_index);
	put_number(j, "qkey", p->qkey);
	put_number(j, "mtu", p->mtu ? 128u << p->mtu : 0);
	json_object_object_add(j, "type",
			       json_object_new_string(word_name(qp_type_words, p->type)));
	text = xstrdup(json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN));
	json_object_put(j);
	return text;
}

void qp_peer_out(struct out *o, const struct qp_peer *p)
{
	const char *type = p->type ? word_name(qp_type_words, p->type) : "";

	if (p->type)
		out_str(o, "type", type, NULL);
	out_u64(o, "qpn", p->qpn, "%s%sqpn %u", type, *type ? "  " : "", p->qpn);
	out_u64(o, "psn", p->psn, "  psn %u", p->psn);
	out_u64(o, "lid", p->lid, "  lid %u", p->lid);
	out_str(o, "gid", gid_text(&p->gid), "  gid %s", gid_text(&p->gid));
	out_u64(o, "gid_index", p->gid_index, NULL);
	if (p->mtu)
		out_int(o, "mtu", mtu_bytes(p->mtu), "  mtu %u", mtu_bytes(p->mtu));
	out_u64(o, "qkey", p->qkey, NULL);
	if (p->qkey)
		out_text(o, "  qkey 0x%x", p->qkey);
	out_text(o, "\n");
	if (!p->rkey && !p->addr)
		return;
	out_u64(o, "addr", p->addr, "  addr 0x%llx", (unsigned long long)p->addr);
	out_u64(o, "rkey", p->rkey, "  rkey 0x%x", p->rkey);
	out_u64(o, "len", p->len, "  len %llu\n", (unsigned long long)p->len);
}

/* The exchange. The length comes from the peer: it is checked before anything is allocated for it.
 */

#define EXCHANGE_MAX 65536 /* largest message in bytes */

static void end_exchange(struct exchange *x, enum exchange_end end, int err, const char *why)
{
	x->end = end;
	x->err = err;
	x->why = why;
	if (x->fd >= 0) {
		loop_unwatch(x->loop, x->fd);
		if (!x->keep || end != EXCHANGE_DONE) {
			close(x->fd);
			x->fd = -1;
		}
	}
	x->done(x->arg);
}

static void on_socket_ready(void *arg, int fd, short revents);

static void watch_socket(struct exchange *x)
{
	loop_watch(x->loop, x->fd, x->sending ? POLLOUT : POLLIN, on_socket_ready, x);
}

/* One direction is done: changes to the other, or ends. */
static void next_direction(struct exchange *x)
{
	if (!x->listens_next && x->sending) {
		end_exchange(x, EXCHANGE_DONE, 0, NULL);
	} else if (x->sending) {
		x->sending = false;
		watch_socket(x);
	} else if (x->listens_next) { /* a server: it has sent already */
		end_exchange(x, EXCHANGE_DONE, 0, NULL);
	} else {
		x->sending = true;
		watch_socket(x);
	}
}

static void send_some(struct exchange *x)
{
	ssize_t n = send(x->fd, x->out + x->sent, x->out_len - x->sent, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		end_exchange(x, EXCHANGE_FAILED, errno, "sending to the peer");
		return;
	}
	x->sent += (size_t)n;
	if (x->sent == x->out_len)
		next_direction(x);
}

/* Checks the length in the received header. */
static bool take_head(struct exchange *x)
{
	uint32_t len;

	memcpy(&len, x->head, sizeof len);
	len = ntohl(len);
	if (!len || len > EXCHANGE_MAX) {
		end_exchange(x, EXCHANGE_FAILED, EPROTO,
			     "the peer's message has no length between "
			     "1 and 65536: is this another protocol?");
		return false;
	}
	x->in_len = len;
	x->in = xcalloc(1, x->in_len + 1);
	return true;
}

static void receive_some(struct exchange *x)
{
	size_t head = sizeof x->head;
	bool in_head = x->got < head;
	void *at = in_head ? (void *)(x->head + x->got) : (void *)(x->in + (x->got - head));
	size_t want = in_head ? head - x->got : head + x->in_len - x->got;
	ssize_t n = recv(x->fd, at, want, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		end_exchange(x, EXCHANGE_FAILED, n ? errno : ECONNRESET,
			     n ? "receiving from the peer"
			       : "the peer closed before its message was complete");
		return;
	}
	x->got += (size_t)n;
	if (in_head && x->got == head && !take_head(x))
		return;
	if (x->got >= head && x->got == head + x->in_len)
		next_direction(x);
}

static void exchange_connected(struct exchange *x)
{
	int err = sock_error(x->fd);

	if (err) {
		end_exchange(x, EXCHANGE_FAILED, err, "connecting");
		return;
	}
	x->connecting = false;
	watch_socket(x);
}

static void on_socket_ready(void *arg, int fd, short revents)
{
	struct exchange *x = arg;

	(void)fd, (void)revents;
	if (x->connecting)
		exchange_connected(x);
	else if (x->sending)
		send_some(x);
	else
		receive_some(x);
}

void exchange_begin(struct exchange *x, struct loop *loop, int fd, bool server, const char *text,
		    void (*done)(void *arg), void *arg)
{
	uint32_t len = htonl((uint32_t)strlen(text));

	*x = (struct exchange){ .loop = loop,
				.fd = fd,
				.sending = server,
				.listens_next = server,
				.connecting = !server,
				.done = done,
				.arg = arg };
	x->out_len = sizeof len + strlen(text);
	x->out = xcalloc(1, x->out_len);
	memcpy(x->out, &len, sizeof len);
	memcpy(x->out + sizeof len, text, strlen(text));
	loop_watch(loop, fd, x->sending || x->connecting ? POLLOUT : POLLIN, on_socket_ready, x);
}

void exchange_end(struct exchange *x)
{
	if (x->loop && x->fd >= 0) {
		loop_unwatch(x->loop, x->fd);
		close(x->fd);
	}
	free(x->out);
	free(x->in);
	*x = (struct exchange){ .fd = -1 };
}
