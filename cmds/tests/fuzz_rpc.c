/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: what may come over the wire to either end of an rpc session. An input is a
 * list of records: how (of HOW_...), seq, ack, sack, length (a byte each), and that many bytes:
 * the data of a packet, whose head is put right, for little would pass otherwise, or all of it.
 */
#include <stdlib.h>
#include <string.h>

#include "rpc_ledger.h"
#include "rpc_message.h"
#include "rpc_session.h"

#define HOW_FLAGS 0x03 /* of the packet */
#define HOW_ACK	  0x04 /* an acknowledgement alone */
#define HOW_RAW	  0x08 /* the bytes are the packet, with its checksum put right */
#define HOW_AS_IS 0x10 /* the bytes are the packet */
#define HOW_POST  0x20 /* send a message of our own before */
#define HOW_LATER 0x40 /* some time passes before */
#define LIMIT	  1000

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

static struct rpc_session session;
static struct rpc_ledger ledger;
static int64_t now;

static void on_send(void *arg, const struct rpc_packet *p)
{
	uint8_t bytes[RPC_HEAD + UINT8_MAX];

	(void)arg;
	if (p->len <= UINT8_MAX)
		rpc_packet_write(bytes, p);
}

static void take_request(const Rpc__Request *r)
{
	const struct rpc_entry *e;
	Tcl_Obj *value;
	uint8_t *reply;
	size_t len;

	if (rpc_ledger_take(&ledger, r->id, r->answered, &e) != RPC_EXECUTE)
		return;
	value = r->n_args ? rpc_value_read(r->args[0]) : Tcl_NewObj();
	Tcl_IncrRefCount(value);
	reply = rpc_value_pack(r->id, value, &len);
	Tcl_DecrRefCount(value);
	e = rpc_ledger_done(&ledger, r->id, reply, len);
	if (e)
		rpc_session_post(&session, e->reply, e->len, now);
}

static void take_failure(const Rpc__Failure *f)
{
	Tcl_Obj *text = rpc_text_read(f->text);

	Tcl_IncrRefCount(text);
	for (size_t i = 0; i < f->n_errorcode; i++) {
		Tcl_Obj *word = rpc_text_read(f->errorcode[i]);

		Tcl_IncrRefCount(word);
		Tcl_DecrRefCount(word);
	}
	Tcl_DecrRefCount(text);
}

static void on_message(void *arg, const uint8_t *data, size_t n)
{
	Rpc__Message *m = rpc_message_read(data, n);

	(void)arg;
	if (n == 0 || n > LIMIT)
		abort();
	if (m && m->what_case == RPC__MESSAGE__WHAT_REQUEST)
		take_request(m->request);
	else if (m && m->reply->result_case == RPC__REPLY__RESULT_FAILURE)
		take_failure(m->reply->failure);
	rpc_message_free(m);
}

static const struct rpc_session_ops ops = { .send = on_send, .message = on_message };

static size_t make(const uint8_t *record, uint8_t *bytes)
{
	const struct rpc_packet p = { .kind = record[0] & HOW_ACK ? RPC_ACK : RPC_DATA,
				      .flags = record[0] & HOW_ACK ? 0 : record[0] & HOW_FLAGS,
				      .session = 7,
				      .seq = record[1],
				      .ack = record[2],
				      .sack = record[3],
				      .stamp = 1,
				      .echo = record[3],
				      .data = record + 5,
				      .len = record[0] & HOW_ACK ? 0 : record[4] };
	uint32_t crc;

	if (!(record[0] & (HOW_RAW | HOW_AS_IS)))
		return rpc_packet_write(bytes, &p);
	memcpy(bytes, record + 5, record[4]);
	if (!(record[0] & HOW_RAW) || record[4] < RPC_HEAD)
		return record[4];
	memcpy(bytes, "RPC1", 4);
	crc = rpc_packet_crc(bytes, record[4]);
	for (unsigned i = 0; i < 4; i++)
		bytes[RPC_HEAD - 4 + i] = (uint8_t)(crc >> (24 - 8 * i));
	return record[4];
}

static void one(const uint8_t *record)
{
	uint8_t bytes[RPC_HEAD + UINT8_MAX];
	struct rpc_packet p;
	size_t n;

	if (record[0] & HOW_POST)
		rpc_session_post(&session, "four", 4, now);
	if (record[0] & HOW_LATER) {
		now += 20000000;
		rpc_session_run(&session, now);
	}
	n = make(record, bytes);
	if (rpc_packet_read(bytes, n, &p) == RPC_GOOD)
		rpc_session_take(&session, &p, now);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	if (!now)
		Tcl_FindExecutable("fuzz_rpc");
	now = 1;
	rpc_session_init(&session, 7, 100, LIMIT, 0, &ops, NULL);
	rpc_ledger_init(&ledger);
	rpc_message_free(rpc_message_read(input, n));
	for (size_t at = 0; at + 5 <= n && at + 5 + input[at + 4] <= n; at += 5 + input[at + 4])
		one(input + at);
	rpc_ledger_free(&ledger);
	rpc_session_free(&session);
	return 0;
}
