/* SPDX-License-Identifier: MIT */
/* A failed request and the causes of a failure, as output. */
#include "causes_out.h"
#include "facts.h"
#include "out.h"
#include "spec_tables.h"
#include "words.h"

static const struct {
	const char *word;
	enum paint paint;
} verdicts[VERDICTS] = {
	[IS_SO] = { "cause", PAINT_BAD },
	[MAY_BE] = { "possible cause", PAINT_NONE },
	[IS_NOT] = { "not the cause", PAINT_DIM },
};

#define ALIKE 3 /* so many causes that differ in names only are told once */

/* How many more causes are like this one; 0: if they are few. */
static unsigned count_alike(const struct causes *c, const struct cause *of)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++)
		n += cause_is_like(&c->v[i], of);
	return n < ALIKE ? 0 : n - 1;
}

/* Has one like it been told before? */
static bool was_told(const struct causes *c, const struct cause *of)
{
	for (const struct cause *i = c->v; i < of; i++)
		if (cause_is_like(i, of))
			return count_alike(c, of);
	return false;
}

static void out_cause(const struct causes *all, const struct cause *c, struct out *o)
{
	const unsigned alike = count_alike(all, c);
	const char *word = verdicts[c->verdict].word;

	out_dict(o, NULL);
	out_paint(o, verdicts[c->verdict].paint);
	out_str(o, "verdict", word, "  %-16s", word);
	out_paint(o, PAINT_NONE);
	out_str(o, "text", c->text, "%s\n", c->text);
	if (c->next)
		out_str(o, "next", c->next, "                  next: %s\n", c->next);
	if (alike)
		out_u64(o, "alike", alike, "                  and so for %u more\n", alike);
	out_end(o);
}

void causes_out(struct causes *c, struct out *o)
{
	out_list(o, "causes");
	for (unsigned verdict = 0; verdict < VERDICTS; verdict++)
		for (unsigned i = 0; i < c->n; i++)
			if (c->v[i].verdict == verdict && !was_told(c, &c->v[i]))
				out_cause(c, &c->v[i], o);
	out_end(o);
	causes_free(c);
}

static void tell_flush(const struct failed_wr *wr, struct out *o)
{
	const char *type = why_flush_type(wr->flush_type);
	const char *level = why_flush_level(wr->flush_level);

	if (wr->flush_level == FLUSH_MR) {
		out_text(o, " of the whole region of rkey 0x%x", wr->rkey);
	} else {
		out_u64(o, "len", wr->len, " of %u byte%s", wr->len, wr->len == 1 ? "" : "s");
		out_u64(o, "remote_addr", wr->remote, " at 0x%llx", (unsigned long long)wr->remote);
	}
	out_str(o, "type", type, ", type %s", type);
	out_str(o, "level", level, ", level %s", level);
}

static void tell_wr(const struct failed_wr *wr, struct out *o)
{
	const char *name = word_name(wc_status_words, wr->status);
	const char *means = word_help(wc_status_words, wr->status);

	if (!means)
		means = "no status that libibverbs has";
	out_str(o, "status", name, "%s", name);
	out_str(o, "meaning", means, ": %s\n", means);
	out_text(o, "  request         ");
	if (wr->known) {
		if (wr->op)
			out_str(o, "opcode", wr->op->name, "%s", wr->op->name);
		else
			out_text(o, "RECV");
		if (wr->op && wr->op->code == FLUSH_WR)
			tell_flush(wr, o);
		else
			out_u64(o, "len", wr->len, " of %u byte%s", wr->len,
				wr->len == 1 ? "" : "s");
		out_u64(o, "wr_id", wr->wr_id, ", wr_id %llu, ", (unsigned long long)wr->wr_id);
	}
	out_str(o, "qp", wr->qp, "on %s\n", wr->qp);
}

void causes_out_wc(const struct failed_wr *wr, struct out *o)
{
	const struct fact *fact = fact_of(fact_family("wc-status"), wr->status);
	struct causes c;

	tell_wr(wr, o);
	if (fact && fact->there && !wr->rule)
		out_str(o, "peer", fact->there, "  peer            %s\n", fact->there);
	why_request_failed(wr, &c);
	causes_out(&c, o);
}
