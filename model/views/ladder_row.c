/* SPDX-License-Identifier: MIT */
/* Rows of the ladder: their texts. */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_format.h"
#include "call_record.h"
#include "decode.h"
#include "fault.h"
#include "heap.h"
#include "out.h"
#include "ladder.h"
#include "recorded.h"
#include "text.h"
#include "visible.h"
#include "words.h"

const char *const ladder_words[LADDER_KINDS] = {
	[LADDER_CALL] = "call",	    [LADDER_EVENT] = "event", [LADDER_PACKET] = "packet",
	[LADDER_WC] = "completion", [LADDER_STATE] = "state", [LADDER_NOTICE] = "notice",
};

char *ladder_line(const char *text)
{
	SCOPED_TEXT(d);

	visible_append(&d, text, strnlen(text, LADDER_TEXT), VISIBLE_ONE_LINE);
	return xstrdup(text_str(&d));
}

void ladder_free_row(struct ladder_row *r)
{
	free(r->names);
	free(r->text);
	free(r->result);
	free(r->fate);
	free(r->fields);
}

char *ladder_says(const struct ladder_row *r)
{
	switch (r->kind) {
	case LADDER_CALL:
		return xasprintf("%s%s%s", r->text, r->result && *r->result ? " = " : "",
				 r->result ? r->result : "");
	case LADDER_STATE:
		return xasprintf("%s (%s)", r->text, r->result ? r->result : "");
	case LADDER_WC:
		return xasprintf("%s  %s", r->text, r->name);
	case LADDER_PACKET:
		return xasprintf("%s%s%s", r->text, r->fate ? "  fault: " : "",
				 r->fate ? r->fate : "");
	default:
		return xstrdup(r->text);
	}
}

bool ladder_is_row(const struct record *r)
{
	if (r->depth || !r->ended)
		return false;
	if (r->fn->asks && !r->err)
		return false;
	switch (record_call_row(r)) {
	case ROW_rdma_ack_cm_event:
	case ROW_ibv_ack_cq_events:
	case ROW_ibv_ack_async_event:
		return false;
	default:
		return !r->fn->waits || (r->err != EAGAIN && r->err != EINTR);
	}
}

char *ladder_call_fields(const struct call_names *n, const struct record *r)
{
	char *text;
	size_t size;
	FILE *to = xmemstream(&text, &size);

	fprintf(to, "{\"call\":\"%s\",\"errno\":\"%s\",\"args\":{", r->fn->name,
		r->err ? strerrorname_np(r->err) : "");
	call_json_args(to, n, r);
	fputs("}}", to);
	fclose(to);
	return text;
}

/* ------------------------------------------------------------------------- packets -- */

static bool is_nak(const struct decoded *d)
{
	return d->p.op && d->p.op->flags & WIRE_AETH && AETH_CLASS(d->p.syndrome);
}

/* The text on an arrow: "CM REQ", "RC_WRITE_ONLY psn 7 13 B". The caller frees it. */
static char *short_packet_text(const struct decoded *d)
{
	const char *name = d->p.op ? d->p.op->name : NULL;
	char nak[64];

	if (!name)
		return xstrdup(d->malformed ? d->malformed : "malformed");
	if (d->is_cm)
		return xasprintf("CM %s", mad_name(d->mad.attr));
	if (is_nak(d)) {
		decode_syndrome(d->p.syndrome, nak, sizeof nak);
		return xasprintf("%s psn %u %s", name, d->p.psn, nak);
	}
	return d->p.len ? xasprintf("%s psn %u %u B", name, d->p.psn, d->p.len)
			: xasprintf("%s psn %u", name, d->p.psn);
}

/* FNV-1a: the hash of more bytes, whose first ones have the hash key. */
static uint64_t hash_bytes(uint64_t key, const void *data, size_t n)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < n; i++)
		key = (key ^ bytes[i]) * UINT64_C(0x100000001b3);
	return key;
}

#define HASH_START    UINT64_C(0xcbf29ce484222325)
#define HASH_START_CM ~HASH_START /* IDs of the connection manager are not QP numbers */

uint64_t ladder_packet_key(const struct decoded *d)
{
	return hash_bytes(HASH_START, d->data, d->n);
}

static uint64_t end_key(uint64_t start, const union ibv_gid *gid, uint32_t number)
{
	uint64_t key = hash_bytes(start, gid, sizeof *gid);

	return number ? hash_bytes(key, &number, sizeof number) : 0;
}

uint64_t ladder_end_key(const union ibv_gid *gid, uint32_t number)
{
	return end_key(HASH_START, gid, number);
}

/* The number of the QP that this message announces; 0: none. */
static uint32_t announced_qpn(const struct mad *m)
{
	return m->attr == MAD_REQ ? m->req.qpn : m->attr == MAD_REP ? m->rep.qpn : 0;
}

static void tell_ends(struct ladder_row *row, const struct decoded *d)
{
	if (d->is_cm) {
		row->sender[0] = ladder_end_key(&d->p.src, announced_qpn(&d->mad));
		row->sender[1] = end_key(HASH_START_CM, &d->p.src, d->mad.local_id);
		row->receiver = end_key(HASH_START_CM, &d->p.dst, d->mad.remote_id);
	} else if (d->p.op) {
		row->receiver = ladder_end_key(&d->p.dst, d->p.qpn);
	}
}

static char *packet_fields(const struct decoded *d)
{
	char syndrome[64] = "";

	if (d->p.op && d->p.op->flags & WIRE_AETH)
		decode_syndrome(d->p.syndrome, syndrome, sizeof syndrome);
	return xasprintf("{\"opcode\":\"%s%s\",\"psn\":%u,\"length\":%u,\"syndrome\":\"%s\"}",
			 d->is_cm ? "CM_" : "",
			 d->is_cm  ? mad_name(d->mad.attr)
			 : d->p.op ? d->p.op->name
				   : "",
			 d->p.psn, d->p.len, syndrome);
}

static bool is_lost(const char *fate)
{
	return fault_loses(fate) || (fate && strcmp(fate, "icrc") == 0);
}

void ladder_tell_packet(struct ladder_row *row, const struct decoded *d, const char *fate)
{
	char full[512];

	decode_text(d, full, sizeof full);
	row->kind = LADDER_PACKET;
	row->until = 0;
	row->lost = is_lost(fate);
	row->bad = !d->p.op || is_nak(d) || (d->is_cm && d->mad.attr == MAD_REJ);
	row->text = short_packet_text(d);
	row->result = xasprintf("%s  %.300s", decode_ends(d, (char[DECODE_ENDS]){ 0 }), full);
	tell_ends(row, d);
	row->fate = fate && *fate ? xstrdup(fate) : NULL;
	row->fields = packet_fields(d);
}

void ladder_count(struct ladder_row *row, uint64_t times, int64_t last)
{
	if (times < 2)
		return;
	row->more = times - 1;
	row->more_until = last;
}

char *ladder_again(const struct ladder *l, const struct ladder_row *row)
{
	char *rows = row->again_rows > 1 ? xasprintf("these %u rows", row->again_rows)
					 : xstrdup("this row");
	char *text = xasprintf("%s %u time%s more, until %.3f ms", rows, row->again,
			       row->again == 1 ? "" : "s",
			       (double)(row->again_until - l->start) / 1e6);

	free(rows);
	return text;
}

/* ----------------------------------------------------- states and completions -- */

void ladder_tell_state(struct ladder_row *row, int from, enum ibv_qp_state to, const char *why)
{
	row->kind = LADDER_STATE;
	row->until = 0;
	row->state = (int)to;
	row->heads = true;
	row->text = xasprintf("%s %s%s%s", row->name,
			      from < 0 ? "" : word_name(qp_state_words, (uint64_t)from),
			      from < 0 ? "" : " -> ", word_name(qp_state_words, to));
	row->result = xstrdup(why ? why : "");
	row->fields = from < 0 ? NULL
			       : xasprintf("{\"from\":\"%s\"}",
					   word_name(qp_state_words, (uint64_t)from));
}

int64_t ladder_seen_at_poll(const struct ladder *l, const char *qp, enum ibv_qp_state state)
{
	if (state != IBV_QPS_ERR && state != IBV_QPS_SQE)
		return 0;
	for (unsigned i = l->n; i-- > 0 && l->rows[i].kind == LADDER_WC;)
		if (l->rows[i].bad && strcmp(l->rows[i].name, qp) == 0)
			return l->rows[i].when - 1;
	return 0;
}

void ladder_tell_completion(struct ladder_row *row, const struct ibv_wc *wc, const char *what)
{
	row->kind = LADDER_WC;
	row->when = row->until; /* it came when the call ended */
	row->until = 0;
	row->bad = wc->status != IBV_WC_SUCCESS;
	row->result = xasprintf("%s%s%s", word_name(wc_status_words, wc->status), what ? " " : "",
				what ? what : "");
	row->text = xasprintf("WC wr_id %llu %s", (unsigned long long)wc->wr_id, row->result);
	row->fields = xasprintf("{\"wr_id\":%llu,\"status\":\"%s\",\"opcode\":\"%s\"}",
				(unsigned long long)wc->wr_id,
				word_name(wc_status_words, wc->status), what ? what : "");
}

/* ------------------------------------------------------------------------- values -- */

static void row_out(const struct ladder *l, const struct ladder_row *r, struct out *o)
{
	const bool packet = r->kind == LADDER_PACKET;

	out_dict(o, NULL);
	out_double(o, "ms", ladder_ms(l, r), NULL);
	out_int(o, "wall", r->when, NULL);
	out_str(o, "kind", ladder_words[r->kind], NULL);
	out_str(o, "lane", l->lanes[r->from].label, NULL);
	out_str(o, "to", packet && r->to >= 0 ? l->lanes[r->to].label : "", NULL);
	out_str(o, "name", r->name, NULL);
	out_str(o, "text", r->text, NULL);
	out_str(o, "result", r->result ? r->result : "", NULL);
	out_bool(o, "bad", r->bad, NULL);
	if (r->kind == LADDER_STATE)
		out_str(o, "state", word_name(qp_state_words, (uint64_t)r->state), NULL);
	if (r->fields)
		out_parsed(o, "fields", r->fields);
	if (r->more) {
		out_u64(o, "again", r->more, NULL);
		out_double(o, "again_until", (double)(r->more_until - l->start) / 1e6, NULL);
	}
	if (packet) {
		out_bool(o, "arrived", r->arrived, NULL);
		out_str(o, "fault", r->fate ? r->fate : "", NULL);
	}
	out_end(o);
}

static void out_lost(const struct ladder *l, struct out *o)
{
	const unsigned long long calls = l->lost[RECORD_CONTROL], requests = l->lost[RECORD_DATA],
				 packets = l->lost_packets;
	struct ladder_row row = { .when = l->start, .kind = LADDER_NOTICE, .bad = true };

	if (!calls && !requests && !packets)
		return;
	row.text = xasprintf("%llu calls and %llu packets are no longer in the record",
			     calls + requests, packets);
	row.fields = xasprintf("{\"calls\":%llu,\"requests\":%llu,\"packets\":%llu}", calls,
			       requests, packets);
	row_out(l, &row, o);
	ladder_free_row(&row);
}

void ladder_out(const struct ladder *l, struct out *o)
{
	out_list(o, NULL);
	out_lost(l, o);
	for (unsigned i = 0; i < l->n; i++)
		row_out(l, &l->rows[i], o);
	out_end(o);
}
