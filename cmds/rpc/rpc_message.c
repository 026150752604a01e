/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rpc_message.h"
#include "xmem.h"

/* Tcl's own form of UTF-8 has two bytes for a null. */
static ProtobufCBinaryData to_wire(Tcl_Obj *value, Tcl_DString *room)
{
	Tcl_Encoding utf8 = Tcl_GetEncoding(NULL, "utf-8");
	int len;
	const char *text = Tcl_GetStringFromObj(value, &len);

	Tcl_UtfToExternalDString(utf8, text, len, room);
	Tcl_FreeEncoding(utf8);
	return (ProtobufCBinaryData){ .len = (size_t)Tcl_DStringLength(room),
				      .data = (uint8_t *)Tcl_DStringValue(room) };
}

static uint8_t *pack(const Rpc__Message *m, size_t *len)
{
	uint8_t *to = xcalloc(1, rpc__message__get_packed_size(m) + 1);

	*len = rpc__message__pack(m, to);
	return to;
}

uint8_t *rpc_request_pack(uint64_t id, uint64_t answered, const char *method, Tcl_Obj *const args[],
			  size_t n, size_t *len)
{
	Rpc__Request r;
	Rpc__Message m;
	Tcl_DString room[RPC_ARGS_MAX];
	ProtobufCBinaryData data[RPC_ARGS_MAX];
	uint8_t *packed;

	rpc__request__init(&r);
	rpc__message__init(&m);
	for (size_t i = 0; i < n; i++)
		data[i] = to_wire(args[i], &room[i]);
	r.id = id;
	r.answered = answered;
	r.method = (char *)(uintptr_t)method;
	r.n_args = n;
	r.args = data;
	m.what_case = RPC__MESSAGE__WHAT_REQUEST;
	m.request = &r;
	packed = pack(&m, len);
	for (size_t i = 0; i < n; i++)
		Tcl_DStringFree(&room[i]);
	return packed;
}

static uint8_t *pack_reply(Rpc__Reply *r, size_t *len)
{
	Rpc__Message m;

	rpc__message__init(&m);
	m.what_case = RPC__MESSAGE__WHAT_REPLY;
	m.reply = r;
	return pack(&m, len);
}

uint8_t *rpc_value_pack(uint64_t id, Tcl_Obj *value, size_t *len)
{
	Rpc__Reply r;
	Tcl_DString room;
	uint8_t *packed;

	rpc__reply__init(&r);
	r.id = id;
	r.result_case = RPC__REPLY__RESULT_VALUE;
	r.value = to_wire(value, &room);
	packed = pack_reply(&r, len);
	Tcl_DStringFree(&room);
	return packed;
}

#define CODE_MAX 16 /* words of an errorcode that travel */

uint8_t *rpc_failure_pack(uint64_t id, const char *text, Tcl_Obj *code, size_t *len)
{
	Rpc__Failure f;
	Rpc__Reply r;
	char *words[CODE_MAX];
	Tcl_Obj **v;
	int n = 0;

	rpc__failure__init(&f);
	rpc__reply__init(&r);
	if (Tcl_ListObjGetElements(NULL, code, &n, &v) != TCL_OK)
		n = 0;
	for (f.n_errorcode = 0; f.n_errorcode < (size_t)n && f.n_errorcode < CODE_MAX;
	     f.n_errorcode++)
		words[f.n_errorcode] = Tcl_GetString(v[f.n_errorcode]);
	f.text = (char *)(uintptr_t)text;
	f.errorcode = words;
	r.id = id;
	r.result_case = RPC__REPLY__RESULT_FAILURE;
	r.failure = &f;
	return pack_reply(&r, len);
}

static bool may_be(const Rpc__Message *m)
{
	if (m->what_case == RPC__MESSAGE__WHAT_REQUEST)
		return m->request->id && m->request->n_args <= RPC_ARGS_MAX &&
		       *m->request->method && strlen(m->request->method) <= RPC_NAME_MAX;
	if (m->what_case == RPC__MESSAGE__WHAT_REPLY)
		return m->reply->id && m->reply->result_case != RPC__REPLY__RESULT__NOT_SET;
	return false;
}

Rpc__Message *rpc_message_read(const uint8_t *data, size_t n)
{
	Rpc__Message *m = rpc__message__unpack(NULL, n, data);

	if (m && may_be(m))
		return m;
	rpc_message_free(m);
	return NULL;
}

void rpc_message_free(Rpc__Message *m)
{
	if (m)
		rpc__message__free_unpacked(m, NULL);
}

Tcl_Obj *rpc_value_read(ProtobufCBinaryData bytes)
{
	Tcl_Encoding utf8 = Tcl_GetEncoding(NULL, "utf-8");
	Tcl_DString room;
	Tcl_Obj *value;

	Tcl_ExternalToUtfDString(utf8, bytes.len ? (const char *)bytes.data : "", (int)bytes.len,
				 &room);
	Tcl_FreeEncoding(utf8);
	value = Tcl_NewStringObj(Tcl_DStringValue(&room), Tcl_DStringLength(&room));
	Tcl_DStringFree(&room);
	return value;
}

Tcl_Obj *rpc_text_read(const char *text)
{
	ProtobufCBinaryData bytes = { .len = strlen(text) };
	char *clean = xstrdup(text);
	Tcl_Obj *value;

	for (char *c = clean; *c; c++)
		if (((unsigned char)*c < ' ' && !strchr("\n\t", *c)) || *c == 0x7f)
			*c = '.';
	bytes.data = (uint8_t *)clean;
	value = rpc_value_read(bytes);
	free(clean);
	return value;
}
