/* SPDX-License-Identifier: MIT */
/* Calls of the connection manager, and its events. */
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "words.h"

/* An address that the user may give as an argument: "address[0]". */
static const char *host_expr(struct program *p, const struct sockaddr_storage *ss, char port[8])
{
	socklen_t len = ss->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
						  : sizeof(struct sockaddr_in);
	char host[64] = "?";
	unsigned i;

	getnameinfo((const struct sockaddr *)ss, len, host, sizeof host, port, 8,
		    NI_NUMERICHOST | NI_NUMERICSERV);
	if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0)
		return text("\"%s\"", host);
	for (i = 0; i < p->naddresses && strcmp(p->address[i], host); i++)
		;
	if (i == ADDRESSES)
		return text("\"%s\"", host);
	if (i == p->naddresses)
		snprintf(p->address[p->naddresses++], sizeof p->address[0], "%s", host);
	return text("address[%u]", i);
}

static void bind_addr(struct program *p, const struct note *n, const char *id)
{
	const struct addr_note *a = n->data;
	char port[8] = "0";
	const char *host = host_expr(p, &a->dst, port);

	put(p, "{\n\t\tstruct sockaddr_storage own;\n");
	put(p, "\tif (lookup(%s, \"%s\", &own) ||", host, port);
	put(p, "\t    check(rdma_bind_addr(%s, (struct sockaddr *)&own), \"rdma_bind_addr\"))", id);
	put(p, "\t\treturn -1;\n\t}");
}

static void resolve_addr(struct program *p, const struct note *n, const char *id)
{
	const struct addr_note *a = n->data;
	char port[8] = "0", from_port[8] = "0";
	const char *host = host_expr(p, &a->dst, port);

	put(p, "{\n\t\tstruct sockaddr_storage to%s;\n", a->from ? ", from" : "");
	if (a->from) {
		const char *from = host_expr(p, &a->src, from_port);

		put(p, "\tif (lookup(%s, \"%s\", &from))\n\t\t\treturn -1;", from, from_port);
	}
	put(p, "\tif (lookup(%s, \"%s\", &to) ||", host, port);
	put(p, "\t    check(rdma_resolve_addr(%s, %s, (struct sockaddr *)&to, %d),", id,
	    a->from ? "(struct sockaddr *)&from" : "NULL", n->num);
	put(p, "\t\t  \"rdma_resolve_addr\"))");
	put(p, "\t\treturn -1;\n\t}");
}

static void private_data(struct program *p, const struct conn_note *c)
{
	unsigned n = c->p.private_data_len;
	unsigned char rest[256];
	Tcl_DString d;

	if (!n)
		return;
	put(p, "\tunsigned char data[%u] = { 0 };", n);
	put(p, "%s", "");
	memcpy(rest, c->data, n);
	if (without_own(p, rest, n)) {
		Tcl_DStringInit(&d);
		c_string(&d, rest, n, "\t\t       ");
		put(p, "\tmemcpy(data, %s, %u);", Tcl_DStringValue(&d), n);
		Tcl_DStringFree(&d);
	}
	put_own(p, "\t", "data", c->data, n);
}

static const struct {
	const char *field;
	size_t offset;
} params[] = {
	{ "responder_resources", offsetof(struct rdma_conn_param, responder_resources) },
	{ "initiator_depth", offsetof(struct rdma_conn_param, initiator_depth) },
	{ "flow_control", offsetof(struct rdma_conn_param, flow_control) },
	{ "retry_count", offsetof(struct rdma_conn_param, retry_count) },
	{ "rnr_retry_count", offsetof(struct rdma_conn_param, rnr_retry_count) },
	{ "srq", offsetof(struct rdma_conn_param, srq) },
};

static void connect_or_accept(struct program *p, const struct note *n, const char *id,
			      const char *call)
{
	const struct conn_note *c = n->data;
	const unsigned char *base = (const unsigned char *)&c->p;

	put(p, "{");
	put(p, "\tstruct rdma_conn_param param = { 0 };");
	private_data(p, c);
	if (!c->p.private_data_len)
		put(p, "%s", "");
	else
		put(p, "\tparam.private_data = data;\n\t\tparam.private_data_len = sizeof data;");
	for (size_t i = 0; i < sizeof params / sizeof *params; i++)
		if (base[params[i].offset])
			put(p, "\tparam.%s = %u;", params[i].field, base[params[i].offset]);
	if (c->p.qp_num)
		put(p, "\tparam.qp_num = %s;", qpn_expr(p, c->p.qp_num));
	put(p, "\tif (check(%s(%s, &param), \"%s\"))", call, id, call);
	put(p, "\t\treturn -1;");
	put(p, "}");
}

static void reject(struct program *p, const struct note *n, const char *id)
{
	const struct conn_note *c = n->data;
	unsigned len = c->p.private_data_len;

	put(p, "{");
	private_data(p, c);
	put(p, "\tif (check(rdma_reject(%s, %s, %u), \"rdma_reject\"))", id, len ? "data" : "NULL",
	    len);
	put(p, "\t\treturn -1;");
	put(p, "}");
}

void write_cm(struct program *p, const struct note *n, struct var *v)
{
	const char *id = ref(p, v->serial);

	switch (n->kind) {
	case NOTE_BIND:
		bind_addr(p, n, id);
		break;
	case NOTE_LISTEN:
		put(p, "if (check(rdma_listen(%s, %d), \"rdma_listen\"))\n\t\treturn -1;", id,
		    n->num);
		break;
	case NOTE_RESOLVE_ADDR:
		resolve_addr(p, n, id);
		break;
	case NOTE_RESOLVE_ROUTE:
		put(p,
		    "if (check(rdma_resolve_route(%s, %d), \"rdma_resolve_route\"))\n\t\treturn -1;",
		    id, n->num);
		break;
	case NOTE_CONNECT:
		connect_or_accept(p, n, id, "rdma_connect");
		break;
	case NOTE_ACCEPT:
		connect_or_accept(p, n, id, "rdma_accept");
		break;
	case NOTE_REJECT:
		reject(p, n, id);
		break;
	default:
		put(p, "if (check(rdma_disconnect(%s), \"rdma_disconnect\"))\n\t\treturn -1;", id);
		break;
	}
}

/* ------------------------------------------------------------------ events -- */

void write_event(struct program *p, const struct note *n, struct var *v)
{
	const struct event_note *e = n->data;
	bool request = e->ev.type == RDMA_CM_EVENT_CONNECT_REQUEST;
	const char *awaited = ref(p, request ? e->listener : v->serial);
	const char *channel = ref(p, v->made->of[0]);
	const char *name = word_name(cm_event_words, e->ev.type);
	bool told = e->ev.len || e->ev.ud.qp_num;

	if (!awaited || !channel) {
		warn(p, "the event %s of %s is not in the program", name, v->made->name);
		return;
	}
	if (request)
		v->keeps = true;
	put(p, "if (await_event(%s, %s, RDMA_CM_EVENT_%s, %s))\n\t\treturn -1;", channel, awaited,
	    name, v->keeps && (told || request) ? text("&s.event_of_%s", v->name) : "NULL");
	if (request)
		put(p, "%s = s.event_of_%s.id;", ref(p, v->serial), v->name);
	if (!told)
		return;
	v->by = n;
	source_add(p, text("s.event_of_%s.data", v->name), e->ev.data, e->ev.len, v, &v->keeps);
}
