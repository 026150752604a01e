// SPDX-License-Identifier: MIT
/* explain alone: the last failure, a command's or a completion's, whichever was later. */
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "explain_wc.h"
#include "session.h"
#include "words.h"

static void tell_wr(const struct bad_wc *bad, struct out *o)
{
	const struct posted *p = &bad->posted;

	out_str(o, "status", word_name(wc_status_words, bad->status), "%s",
		word_name(wc_status_words, bad->status));
	out_str(o, "meaning", word_help(wc_status_words, bad->status), ": %s\n",
		word_help(wc_status_words, bad->status));
	out_str(o, "qp", bad->qp, "  of              %s", bad->qp);
	if (bad->known) {
		out_u64(o, "wr_id", p->wr_id, " wr_id %llu", (unsigned long long)p->wr_id);
		out_str(o, "opcode", p->opcode, " %s", p->opcode);
		out_u64(o, "len", p->len, " %u B", p->len);
	}
	out_text(o, "\n");
}

static void tell_completion(struct session *s, const struct bad_wc *bad, struct out *o)
{
	const struct fact_family *statuses = fact_family("wc-status");
	const struct fact *fact = fact_of(statuses, bad->status);
	struct candidates c = { 0 };

	tell_wr(bad, o);
	if (fact && fact->there)
		out_str(o, "peer", fact->there, "  peer            %s\n", fact->there);
	explain_wc(s, bad, &c);
	candidates_out(&c, o);
	out_text(o, "  more            explain %s\n", word_name(wc_status_words, bad->status));
}

/* What the report of the failure did not say. */
static void tell_command(const struct fail *f, struct out *o)
{
	struct found found[FOUND_MAX];

	out_str(o, "call", f->call, NULL);
	out_str(o, "code", f->code, NULL);
	out_str(o, "text", f->text, "%s\n", f->text);
	out_list(o, "rows");
	for (unsigned i = 0; i < f->nrows; i++) {
		out_dict(o, NULL);
		out_str(o, "label", f->rows[i].label, "  %-9s ", f->rows[i].label);
		out_str(o, "text", f->rows[i].text, "%s\n", f->rows[i].text);
		out_end(o);
	}
	out_end(o);
	if (facts_find(NULL, f->code, found) &&
	    strcasecmp(word_name(found[0].family->words, found[0].fact->value), f->code) == 0) {
		out_dict(o, "fact");
		explain_fact(&found[0], o);
		out_end(o);
	}
}

int explain_last(struct session *s, struct out *o)
{
	const struct bad_wc *bad = s->ctx->bad;
	const struct fail *f = s->before.text ? &s->before : NULL;

	if (!bad && !f) {
		fail(s, "explain", "NOTHING", "nothing has failed in this session");
		return fail_next(s, "explain THING: explain RETRY_EXC_ERR");
	}
	/* a command that waited for a completion fails with the completion's status */
	if (bad && (!f || bad->when >= f->when ||
		    strcmp(f->code, word_name(wc_status_words, bad->status)) == 0))
		tell_completion(s, bad, o);
	else
		tell_command(f, o);
	return 0;
}
