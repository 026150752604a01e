/* SPDX-License-Identifier: MIT */
/* The history of another program's objects: since when a QP is in its state and why, what it
 * repeats, which packets its device has dropped. */
#include <inttypes.h>

#include "live_inventory.h"
#include "out.h"
#include "packet.h"
#include "resources/show_process.h"
#include "text.h"
#include "words.h"

static const char *opcode_word(uint8_t opcode)
{
	const struct opcode *op = opcode_find(opcode);

	return op ? op->name : "packet";
}

/* Why, with what the value of the cause says. */
static void out_cause(const struct uroce_qp_row *r, const struct uroce_change *c, struct out *o)
{
	static const char *const words[UROCE_CAUSES] = {
		[UROCE_BY_PROGRAM] = "program", [UROCE_BY_CM] = "rdma_cm",
		[UROCE_BY_SEND] = "send",	[UROCE_BY_RECV] = "recv",
		[UROCE_BY_REFUSAL] = "refusal", [UROCE_BY_CQ] = "cq",
		[UROCE_BY_CLOSE] = "close",	[UROCE_BY_FAILURE] = "failure",
	};
	static const char *const refused[UROCE_REFUSALS] = {
		[UROCE_REFUSED_NOTHING] = "as it could not be carried out",
		[UROCE_REFUSED_INVALID] =
			"which is not allowed here, not in sequence, or of a wrong length",
		[UROCE_REFUSED_TOO_LONG] = "which is longer than the receive",
		[UROCE_REFUSED_ACCESS] = "whose key, range or right is wrong",
		[UROCE_REFUSED_RECV_MEMORY] = "as the memory of the receive cannot be written",
		[UROCE_REFUSED_MEMORY] = "whose memory is not there any more",
		[UROCE_REFUSED_NO_SRQ] = "for an SRQ that is not there",
	};

	out_str(o, "cause", words[c->cause], NULL);
	switch (c->cause) {
	case UROCE_BY_SEND:
	case UROCE_BY_RECV:
		out_str(o, "status", word_name(wc_status_words, c->value), "a %s failed: %s",
			c->cause == UROCE_BY_SEND ? "send" : "receive",
			word_name(wc_status_words, c->value));
		out_u64(o, "wr_id", c->wr_id, " (wr_id %" PRIu64 ")", c->wr_id);
		break;
	case UROCE_BY_REFUSAL:
		out_str(o, "opcode", opcode_word(c->opcode), "it refused a %s of the peer, ",
			opcode_word(c->opcode));
		out_text(o, "%s", c->value < UROCE_REFUSALS ? refused[c->value] : "");
		if (c->value == UROCE_REFUSED_ACCESS || c->value == UROCE_REFUSED_MEMORY)
			out_text(o, ": rkey 0x%x, %u B at 0x%" PRIx64, r->refusal.rkey,
				 r->refusal.len, r->refusal.va);
		break;
	case UROCE_BY_CQ:
		out_u64(o, "cq", c->value, "cq%u overran", c->value);
		break;
	default:
		out_text(o, "%s", live_changed_by[c->cause]);
	}
}

static void out_change(const struct uroce_qp_row *r, const struct uroce_change *c, unsigned indent,
		       struct out *o)
{
	out_dict(o, NULL);
	out_u64(o, "when", c->when, "%*s%s  ", (int)indent, "", text_clock((int64_t)c->when, 3));
	out_str(o, "from", word_name(qp_state_words, c->from), "%s -> ",
		word_name(qp_state_words, c->from));
	out_str(o, "to", word_name(qp_state_words, c->to), "%-5s  ",
		word_name(qp_state_words, c->to));
	out_cause(r, c, o);
	out_text(o, "\n");
	out_end(o);
}

static void out_repeats(const struct uroce_qp_row *r, unsigned indent, struct out *o)
{
	out_u64(o, "retries", r->retries, NULL);
	out_u64(o, "rnrs", r->rnrs, NULL);
	out_u64(o, "rnrs_sent", r->rnrs_sent, NULL);
	if (r->begun && (r->retries || r->rnrs))
		out_text(o,
			 "%*sits oldest send, wr_id %" PRIu64
			 ", was repeated %u times for want of an "
			 "answer and %u times for want of a receive, since %s\n",
			 (int)indent, "", r->oldest_wr_id, r->retries, r->rnrs,
			 text_clock((int64_t)r->retry_first, 3));
	if (r->rnrs_sent)
		out_text(o, "%*sit had no receive for %u requests of the peer, the last at %s\n",
			 (int)indent, "", r->rnrs_sent, text_clock((int64_t)r->rnr_sent_last, 3));
}

void show_process_history(const struct uroce_qp_row *r, bool all, unsigned indent, struct out *o)
{
	out_list(o, "changes");
	for (uint32_t i = all || !r->nchanges ? 0 : r->nchanges - 1; i < r->nchanges; i++)
		out_change(r, &r->changes[i], indent, o);
	out_end(o);
	out_repeats(r, indent, o);
}

void show_process_drops(const struct uroce_inventory *inv, struct out *o)
{
	if (!inv->kind[UROCE_DROP].n)
		return;
	out_list(o, "dropped");
	inventory_foreach(inv, UROCE_DROP, uroce_drop_row, row) {
		const struct uroce_drop_row *d = row;

		out_dict(o, NULL);
		out_u64(o, "count", d->count, "dropped: %" PRIu64 " packets", d->count);
		out_u64(o, "dest_qpn", d->dest_qpn, " to qpn %u", d->dest_qpn);
		out_u64(o, "src_qpn", d->src_qpn, d->src_qpn ? " from qpn %u" : NULL, d->src_qpn);
		out_str(o, "why", live_dropped_for[d->dropped], ": %s",
			live_dropped_for[d->dropped]);
		out_u64(o, "has", d->has, d->has || d->wants ? " (0x%x" : NULL, d->has);
		out_u64(o, "wants", d->wants, d->has || d->wants ? ", not 0x%x)" : NULL, d->wants);
		out_u64(o, "last", d->last, ", the last at %s\n", text_clock((int64_t)d->last, 3));
		out_end(o);
	}
	out_end(o);
}
