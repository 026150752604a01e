/* SPDX-License-Identifier: MIT */
/* Steps and values as the two languages write them. */
#include <stdarg.h>
#include <string.h>

#include "replay_parts.h"

#define ARGUMENTS 5

/* Steps of C: an expression that is not 0 if it has failed, or, with a semicolon, a statement.
 * NULL: it is not written. */
static const struct {
	const char *script, *c;
} forms[REPLAY_FORMS] = {
	[STEP_PAUSE] = { "sleep $1ms", NULL },
	[STEP_BLOCK] = { "buf $2 -name $1", "memory(&s.$1, $2)" },
	[STEP_FILL] = { "mem fill $1 $4 -off $2 -len $3", "memset(at($1, $2), $4, $3);" },
	[STEP_COMPLETION] = { "completion $1 $4 $2", "complete($1, $2$5, IBV_WC_$3)" },
	[STEP_BAD_COMPLETION] = { "completion $1 * $2 $3", "complete($1, $2$5, IBV_WC_$3)" },
	[STEP_FLUSHED] = { "# wr_id $2 was flushed", "complete($1, $2$5, IBV_WC_$3)" },
	[STEP_CQ_EVENT] = { "cq_event $1 $2", "await_cq_event($1)" },
	[STEP_CM_EVENT] = { "cm_event $1 $3 $4", "await_event($1,\v$2,\vRDMA_CM_EVENT_$3,\vNULL)" },
	[STEP_CM_EVENT_KEPT] = { "cm_event $1 $3 $4",
				 "await_event($1,\v$2,\vRDMA_CM_EVENT_$3,\v&s.event_of_$5)" },
	[STEP_REQUEST] = { "set $1 [dict get [show $2] id]", "s.$1 = s.event_of_$1.id;" },
	[STEP_KEEP_EVENT] = { "set $1 [dict get [show $2] param.conn private_data]",
			      "memcpy(s.$1, s.event_of_$3.data, sizeof s.$1);" },
	[STEP_KEEP_ID] = { "set $1 [dict get [show $2] private_data]",
			   "memcpy(s.$1,\v$2->event->param.conn.private_data,\vsizeof s.$1);" },
	[STEP_KEEP] = { "set $1 [mem get $2 $3 $4]", "memcpy(s.$1, at($2, $3), $4);" },
	[STEP_KEEP_MORE] = { "append $1 [mem get $2 $3 $4]", "memcpy(s.$1 + $5, at($2, $3), $4);" },
	[STEP_LISTEN] = { "tcp listen $2 -address $3 -name $1", "tcp_open(&s.$1, $3, \"$2\", 1)" },
	[STEP_LISTEN_ANY] = { "tcp listen $2 -name $1", "tcp_open(&s.$1, \"0.0.0.0\", \"$2\", 1)" },
	[STEP_ACCEPT] = { "tcp accept $2 -name $1 -within $within", "tcp_accept(&s.$1, s.$2)" },
	[STEP_CONNECT] = { "tcp connect $3 $2 -name $1 -within $within",
			   "tcp_open(&s.$1, $3, \"$2\", 0)" },
	[STEP_SEND] = { "tcp send $1 $2", "transfer(s.$1, $2, $3, 1)" },
	[STEP_RECV] = { "set $3 [tcp recv $1 $2 -within $within]", "transfer(s.$1, s.$3, $2, 0)" },
	[STEP_RECV_SKIPPED] = { "tcp recv $1 $2 -within $within", "tcp_skip(s.$1, $2)" },
	[STEP_RECV_END] = { "expect -name \"the peer closes\" -value \"\" "
			    "{tcp recv $1 1 -any -within $within}",
			    "tcp_end(s.$1)" },
	[STEP_CLOSE] = { "destroy $1", "close(s.$1);" },

	[WORD_SUM] = { "[expr {$1 + $2}]", "$1 + $2" },
	[WORD_OWN_MEMORY] = { "[get $1 addr]", "(uintptr_t)at($1, $2)" },
	[WORD_OWN_MEMORY_AT] = { "[expr {[get $1 addr] + $2}]", "(uintptr_t)at($1, $2)" },
	[WORD_OWN_KEY] = { "[get $1 rkey]", "$1->rkey" },
	[WORD_OWN_QPN] = { "[get $1 qpn]", "$1->qp_num" },
	[WORD_OWN_GID] = { "[call ibv_query_gid $1 $2 $3]",
			   "*own_gid($1, $2, $3, &(union ibv_gid){ { 0 } })" },
	[WORD_LKEY] = { "$1", "$1->lkey" },
	[WORD_RKEY] = { "$1", "$1->rkey" },
	[WORD_PLACE] = { "$1", "at($1, $2)" },
	[WORD_PLACE_AT] = { "$1+$2", "at($1, $2)" },
	[WORD_BLOCK] = { "$1", "s.$1 + $2" },
	[WORD_BLOCK_AT] = { "$1+$2", "s.$1 + $2" },
	[WORD_TOLD_BE] = { "[get_be $$1 $2 $3]", "get_be(s.$1 + $2, $3)" },
	[WORD_TOLD_LE] = { "[get_le $$1 $2 $3]", "get_le(s.$1 + $2, $3)" },
	[WORD_TOLD_HEX] = { "[get_digits $$1 $2 $3 16]", "get_digits(s.$1 + $2, $3, 16)" },
	[WORD_TOLD_DECIMAL] = { "[get_digits $$1 $2 $3 10]", "get_digits(s.$1 + $2, $3, 10)" },
	[WORD_TOLD_GID] = { "[get_gid $$1 $2 $3]",
			    "*get_gid(s.$1 + $2, $3, &(union ibv_gid){ { 0 } })" },
	[WORD_TOLD_MEMBER] = { NULL, "s.$1.$2" },
	[WORD_ANY_HOST] = { "$1", "\"$1\"" },
	[WORD_HOST] = { "[lindex $address $1]", "address[$1]" },
	[WORD_SOCKADDR] = { "[list $1 $2]", "lookup($1, \"$2\", &(struct sockaddr_storage){ 0 })" },
};

static const char *form_of(const struct replay *p, enum replay_form form)
{
	return p->back->is_c ? forms[form].c : forms[form].script;
}

/* Appends the form with the strings of ap, which end with NULL, for $1 and so on. */
static void fill_in(struct text *to, const char *form, va_list ap)
{
	const char *args[ARGUMENTS] = { "" }, *arg;

	for (unsigned n = 0; n < ARGUMENTS && (arg = va_arg(ap, const char *)); n++)
		args[n] = arg;
	for (; *form; form++)
		if (*form == '$' && form[1] >= '1' && form[1] <= '0' + ARGUMENTS)
			text_add(to, args[*++form - '1']);
		else
			text_add_bytes(to, form, 1);
}

void replay_step(struct replay *p, enum replay_form form, ...)
{
	SCOPED_TEXT(line);
	va_list ap;

	if (!form_of(p, form))
		return;
	va_start(ap, form);
	fill_in(&line, form_of(p, form), ap);
	va_end(ap);
	p->back->line(p, text_str(&line));
}

const char *replay_word(struct replay *p, enum replay_form form, ...)
{
	SCOPED_TEXT(word);
	va_list ap;

	va_start(ap, form);
	fill_in(&word, form_of(p, form), ap);
	va_end(ap);
	return temp_text("%s", text_str(&word));
}

const char *replay_digits(uint64_t n)
{
	return temp_text("%llu", (unsigned long long)n);
}
