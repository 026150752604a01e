/* SPDX-License-Identifier: MIT */
/* Why a peer has not answered: what its QP does, as far as that was seen. */
#include <string.h>

#include "diagnosis.h"
#include "heap.h"
#include "host_gid.h"
#include "spec_tables.h"
#include "words.h"

/* "qp0 (QP 17, RTS, connected with QP 18)" for each of them. */
static const char *name_qps(const struct live_qps *qps)
{
	const unsigned most = 4;
	char *text = temp_text("%s", "");

	for (unsigned i = 0; i < qps->n && i < most; i++) {
		const struct live_qp *qp = &qps->v[i];
		const uint32_t dest = qp->attr.dest_qp_num;

		text = temp_text("%s%s%s (QP %u, %s%s)", text, i ? ", " : "", qp->name, qp->number,
				 why_state(qp->state),
				 dest ? temp_text(", connected with QP %u", dest) : "");
	}
	return qps->n > most ? temp_text("%s and %u others", text, qps->n - most) : text;
}

/* The QP there that is connected with this one, or NULL. */
static const struct live_qp *connected_with(const struct diagnosis *q)
{
	const struct live_qps *qps = &q->wr->there.qps;

	for (unsigned i = 0; q->qp && i < qps->n; i++)
		if (qps->v[i].attr.dest_qp_num == q->qp->number && qps->v[i].state >= IBV_QPS_RTR &&
		    &qps->v[i] != q->qp)
			return &qps->v[i];
	return NULL;
}

/* How a number that was meant has become another one; NULL: not known. */
static const char *misread(uint32_t number, uint32_t meant)
{
	const uint32_t swapped = __builtin_bswap32(meant);

	if (number == (swapped & 0xffffff) || number == swapped >> 8)
		return ", byte-swapped (htonl, ntohl)";
	if (number + 1 == meant || number == meant + 1)
		return ", its neighbour";
	return "";
}

/* The process has no QP of that number. It may have had one, if that has answered. */
static void check_number(const struct diagnosis *q, uint32_t number)
{
	const struct live_end *there = &q->wr->there;
	const struct live_qp *meant = connected_with(q);
	const bool has_answered = q->qp && !q->qp->unanswered;

	if (!there->qps.n && !*there->whose) {
		cause_add(q->c, has_answered ? IS_SO : MAY_BE, NULL,
			  has_answered ? "the process of the peer's QP %u, which has answered, has "
					 "ended"
				       : "the peer's QP %u is gone, or the number is wrong: no "
					 "process of this host has QPs of such numbers",
			  number);
		return;
	}
	if (has_answered) {
		why_add_there(q, IS_SO, NULL, "the peer's QP %u, which has answered, was destroyed",
			      number);
		return;
	}
	if (meant)
		why_add_there(q, IS_SO, NULL,
			      "it has no QP %u: %s, which is connected with this one, is QP %u%s",
			      number, meant->name, meant->number, misread(number, meant->number));
	else if (there->qps.n)
		why_add_there(q, IS_SO, NULL,
			      "it has no QP %u (any more, or the number is wrong): its QPs are %s",
			      number, name_qps(&there->qps));
	else
		why_add_there(q, IS_SO, NULL,
			      "it has no QP %u: it has destroyed it, or the number is wrong",
			      number);
}

static void check_silence(const struct diagnosis *q, uint32_t number)
{
	if (*q->wr->there.gone) {
		why_add_there(q, IS_SO, NULL, "%s", q->wr->there.gone);
		return;
	}
	if (!number && q->qp && q->qp->known & IBV_QP_DEST_QPN) {
		cause_add(
			q->c, IS_SO, NULL,
			"%s is connected with QP 0, which is none: dest_qp_num was given as 0, or "
			"the peer has accepted without a QP (rdma_create_qp, or qp_num)",
			q->qp->name);
		return;
	}
	if (q->wr->there.is_asked) {
		check_number(q, number);
		return;
	}
	cause_add(q->c, MAY_BE, "at the peer: qp-state",
		  "the peer's QP %u is gone, or does not talk to this one", number);
	cause_add(q->c, MAY_BE, "gids, here and there",
		  "the way there: GID index and type, firewall on UDP port 4791");
}

static bool is_talking(enum ibv_qp_state state)
{
	return state == IBV_QPS_RTR || state == IBV_QPS_RTS || state == IBV_QPS_SQD;
}

/* A QP takes packets only from the address that it sends to. */
static bool check_addresses(const struct diagnosis *q, const char *next)
{
	const union ibv_gid *expected = &q->peer->attr.ah_attr.grh.dgid;

	if (!q->qp->has_source || !(q->peer->known & IBV_QP_AV) ||
	    memcmp(expected, &q->qp->source, sizeof *expected) == 0)
		return false;
	why_add_there(
		q, IS_SO, next,
		"%s, the peer's QP, expects packets from %s (its dgid), and those of %s come from "
		"%s (sgid_index %u)",
		q->peer->name, why_gid(expected), q->qp->name, why_gid(&q->qp->source),
		q->qp->attr.ah_attr.grh.sgid_index);
	return true;
}

/* A peer whose QP cannot answer as it is. false: it can. */
static bool check_peer_state(const struct diagnosis *q)
{
	const struct live_qp *peer = q->peer;
	char next[64];

	snprintf(next, sizeof next, "qp-state %s", peer->name);
	if (*peer->overrun) {
		why_add_there(q, IS_SO, next,
			      "%s, a CQ of %s, the peer's QP, has overrun: it has room for %u "
			      "completions, and more came than were polled",
			      peer->overrun, peer->name, peer->overrun_cqe);
		return true;
	}
	if (q->qp && q->qp->type != peer->type && q->qp->type <= IBV_QPT_UD &&
	    peer->type <= IBV_QPT_UD && q->qp->type && peer->type) {
		why_add_there(q, IS_SO, next, "%s, the peer's QP, is %s, and %s is %s", peer->name,
			      word_name(qp_type_words, peer->type), q->qp->name,
			      word_name(qp_type_words, q->qp->type));
		return true;
	}
	if (!is_talking(peer->state)) {
		why_add_there(q, IS_SO, next, "%s, the peer's QP, is in %s%s%s%s", peer->name,
			      why_state(peer->state), *peer->why ? " (" : "", peer->why,
			      *peer->why ? ")" : "");
		return true;
	}
	if (!q->qp || !(peer->known & IBV_QP_DEST_QPN) || !peer->attr.dest_qp_num)
		return false;
	if (peer->attr.dest_qp_num == q->qp->number)
		return check_addresses(q, next);
	why_add_there(q, IS_SO, next,
		      "%s, the peer's QP, is connected with QP %u, not with this one, %u%s",
		      peer->name, peer->attr.dest_qp_num, q->qp->number,
		      misread(peer->attr.dest_qp_num, q->qp->number));
	return true;
}

/* The address from which the QP sends must still be one of this host. */
static bool check_source(const struct diagnosis *q)
{
	const union ibv_gid *source = q->qp && q->qp->has_source ? &q->qp->source : NULL;
	static const union ibv_gid none;
	const bool is_empty = source && memcmp(source, &none, sizeof none) == 0;
	const unsigned index = q->qp ? q->qp->attr.ah_attr.grh.sgid_index : 0;

	if (!source || (!is_empty && host_gid_is_own(source)))
		return false;
	cause_add(q->c, IS_SO, "gids", "%s sends from the GID at sgid_index %u, %s", q->qp->name,
		  index,
		  is_empty ? "which is empty now: its address has gone"
			   : temp_text("%s, which is not an address of this machine any more",
				       why_gid(source)));
	return true;
}

/* A QP takes packets only from the address of its peer to its own. */
static bool check_strays(const struct diagnosis *q)
{
	const bool here = q->qp && q->qp->strays.count;
	const struct live_qp *qp = here ? q->qp : q->peer, *other = here ? q->peer : q->qp;
	const struct uroce_drop_row *drop = qp ? &qp->strays : NULL;
	const union ibv_gid *dgid = qp ? &qp->attr.ah_attr.grh.dgid : NULL;
	const char *why;

	if (!drop || !drop->count || !q->qp || !q->qp->unanswered)
		return false;
	if (memcmp(&drop->src, dgid, sizeof *dgid) != 0)
		why = temp_text("the dgid of its peer was given as %s", why_gid(dgid));
	else if (other)
		why = temp_text("they came to another address than its own, dgid %s of %s",
				why_gid(&other->attr.ah_attr.grh.dgid), other->name);
	else
		why = "they came to another address than its own: the dgid there is wrong";
	cause_add(q->c, IS_SO, "qp-info", "%s%s has dropped %llu packet%s from %s: %s",
		  here ? "" : q->wr->there.whose, qp->name, (unsigned long long)drop->count,
		  drop->count == 1 ? "" : "s", why_gid(&drop->src), why);
	return true;
}

/* Has the peer's QP begun anew after it had answered this one? If only its device is known, it
 * expects the first PSN again. */
static bool check_begun_anew(const struct diagnosis *q)
{
	const struct live_qp *own = q->qp, *peer = q->peer;

	if (!own || !own->answered || !(own->known & IBV_QP_SQ_PSN) ||
	    !(peer->known & IBV_QP_RQ_PSN))
		return false;
	if (peer->first_psn ? peer->connected < own->answered
			    : peer->attr.rq_psn != own->attr.sq_psn)
		return false;
	why_add_there(
		q, IS_SO, "reconnect",
		"%s, the peer's QP, was connected anew after it had answered (it expects PSN %u), "
		"and %s was not",
		peer->name, peer->attr.rq_psn, own->name);
	return true;
}

/* The first PSN that the peer expects must be the first one of this end. Later it cannot be
 * smaller. */
static void check_psns(const struct diagnosis *q, const char *next)
{
	const struct live_qp *peer = q->peer;
	const uint32_t expected = peer->attr.rq_psn & 0xffffff;
	uint32_t begin;
	bool is_before;

	if (!(peer->known & IBV_QP_RQ_PSN) || !q->qp || !(q->qp->known & IBV_QP_SQ_PSN))
		return;
	begin = q->qp->attr.sq_psn & 0xffffff;
	is_before = (expected - begin) & 0x800000;
	if (!peer->first_psn && (q->qp->answered || (q->qp->unanswered && expected == begin)))
		return;
	if (!peer->first_psn)
		why_add_there(q, q->qp->unanswered && is_before ? IS_SO : MAY_BE, next,
			      "PSNs: this end began with %u, the peer expects %u now", begin,
			      expected);
	else
		why_add_there(
			q, expected == begin ? IS_NOT : IS_SO, next,
			"PSNs: this end began with %u (sq_psn), %s expected %u first (rq_psn)",
			begin, peer->name, expected);
}

static void add_ended(const struct diagnosis *q, enum verdict verdict)
{
	why_add_there(q, verdict, NULL,
		      "the process of %s, the peer's QP, has ended, or replaced itself (exec)",
		      q->peer->name);
}

void why_check_peer_answers(const struct diagnosis *q)
{
	static const struct ibv_qp_attr none;
	const struct ibv_qp_attr *a = q->qp ? &q->qp->attr : &none;
	const uint64_t ended = q->wr->there.ended;
	bool is_told;
	char next[64];

	if (*q->wr->faults)
		cause_add(q->c, IS_SO, q->wr->port_is_down ? "fault port up" : "fault wire off",
			  "made on purpose: %s", q->wr->faults);
	if (check_source(q))
		return;
	if (!q->peer) {
		if (!check_strays(q))
			check_silence(q, a->dest_qp_num);
	} else {
		snprintf(next, sizeof next, "qp-state %s", q->peer->name);
		is_told = check_peer_state(q) || check_strays(q) || check_begun_anew(q);
		if (!is_told && ended && ended < q->wr->posted)
			add_ended(q, IS_SO);
		else if (!is_told)
			check_psns(q, next);
	}
	if (causes_confirmed(q->c))
		return;
	if (q->peer && ended)
		add_ended(q, MAY_BE);
	cause_add(q->c, MAY_BE, "counters; fault wire",
		  "packets are lost, or the peer's program is stopped (SIGSTOP, a debugger): %u "
		  "tries, each after %.1f ms at least",
		  a->retry_cnt + 1u, (double)spec_ack_timeout_ns(a->timeout) / 1e6);
}
