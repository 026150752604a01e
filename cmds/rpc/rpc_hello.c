/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qp_peer.h"
#include "rpc_hello.h"
#include "session.h"
#include "xmem.h"

char *rpc_hello_text(const struct rpc_hello *h)
{
	char *qp = qp_peer_to_json(&h->qp), *text;
	struct json_object *j = json_tokener_parse(qp);
	char session[17];

	snprintf(session, sizeof session, "%016" PRIx64, h->session);
	json_object_object_add(j, "rpc", json_object_new_int(RPC_VERSION));
	json_object_object_add(j, "max", json_object_new_uint64(h->max));
	if (h->session)
		json_object_object_add(j, "session", json_object_new_string(session));
	text = xstrdup(json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN));
	json_object_put(j);
	free(qp);
	return text;
}

static int64_t number(struct json_object *j, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(j, key, &v) || !json_object_is_type(v, json_type_int))
		return -1;
	return json_object_get_int64(v);
}

static bool session_id(struct json_object *j, uint64_t *id)
{
	struct json_object *v;
	const char *text;

	*id = 0;
	if (!json_object_object_get_ex(j, "session", &v))
		return true;
	text = json_object_get_string(v);
	if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return false;
	*id = strtoull(text, NULL, 16);
	return *id != 0;
}

static int take(struct session *s, struct json_object *j, struct rpc_hello *h)
{
	int64_t version = number(j, "rpc"), max = number(j, "max");

	if (version < 0) {
		fail(s, "rpc", "EPROTO", "the peer tells of a QP, but is no end of rpc");
		return fail_row(s, "likely", "it is 'oob', or another program");
	}
	if (version != RPC_VERSION)
		return fail(s, "rpc", "EPROTO", "the peer speaks version %lld of rpc, this is %d",
			    (long long)version, RPC_VERSION);
	if (max < RPC_MAX_LEAST || max > RPC_MAX_MOST)
		return fail(s, "rpc", "EPROTO", "the peer's max is not from %d to %u bytes",
			    RPC_MAX_LEAST, RPC_MAX_MOST);
	h->max = (size_t)max;
	if (!session_id(j, &h->session))
		return fail(s, "rpc", "EPROTO", "the peer's session is not 16 hex digits");
	return 0;
}

char *rpc_hello_refusal(const char *why)
{
	struct json_object *j = json_object_new_object();
	char *text;

	json_object_object_add(j, "refused", json_object_new_string(why));
	text = xstrdup(json_object_to_json_string_ext(j, JSON_C_TO_STRING_PLAIN));
	json_object_put(j);
	return text;
}

static int refused(struct session *s, struct json_object *why)
{
	char *text = xstrdup(json_object_get_string(why) ? json_object_get_string(why) : "");

	for (char *c = text; *c; c++)
		*c = isprint((unsigned char)*c) ? *c : '.';
	fail(s, "rpc", "ECONNREFUSED", "the server refuses: %.200s", text);
	free(text);
	return -1;
}

int rpc_hello_read(struct session *s, const char *text, size_t len, struct rpc_hello *h)
{
	struct json_tokener *tok = json_tokener_new_ex(4);
	struct json_object *j = tok ? json_tokener_parse_ex(tok, text, (int)len) : NULL, *why;
	int rc;

	*h = (struct rpc_hello){ 0 };
	if (j && json_object_object_get_ex(j, "refused", &why))
		rc = refused(s, why);
	else
		rc = qp_peer_from_json(s, text, len, &h->qp) || take(s, j, h) ? -1 : 0;
	json_object_put(j);
	if (tok)
		json_tokener_free(tok);
	return rc;
}
