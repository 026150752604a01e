/* SPDX-License-Identifier: MIT */
/* A record as a script for rdmash. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorded.h"
#include "play_parts.h"
#include "template.h"

static void begin_pass(struct replay *p)
{
	struct script *script = p->its;

	free(script->values);
	*script = (struct script){ .clients = script->clients, .devices = script->devices };
}

static void name_object(struct replay *p, struct replay_object *o)
{
	struct script *script = p->its;

	if (o->kind == OBJECT_CONTEXT)
		snprintf(o->name, sizeof o->name, "$device%u", script->devices++);
	else
		snprintf(o->name, sizeof o->name, "%s", o->called);
}

/* ---------------------------------------------------------------------- the peer's values -- */

/* "binary scan $got0 @8Iu rkey0" */
static void write_scan(struct replay *p, const struct told_bytes *t, const struct told_value *v)
{
	const size_t at = v->place.at, last = at + v->place.len - 1;
	const char *code = v->place.len == 8 ? "Wu" : v->place.len == 4 ? "Iu" : "H32";

	if (v->place.form == VALUE_OCTETS)
		play_first(p, "set %s [string map {: {}} [string range $%s %zu %zu]]", v->variable,
			   t->variable, at, last);
	else if (v->place.form == VALUE_HEX && v->place.len == 32)
		play_first(p, "set %s [string range $%s %zu %zu]", v->variable, t->variable, at,
			   last);
	else if (v->place.form == VALUE_HEX || v->place.form == VALUE_DECIMAL)
		play_first(p, "scan [string range $%s %zu %zu] %s %s", t->variable, at, last,
			   v->place.form == VALUE_HEX ? "%llx" : "%lld", v->variable);
	else if (v->place.form == VALUE_LE)
		play_first(p, "binary scan $%s @%zu%s %s", t->variable, at,
			   v->place.len == 8 ? "wu" : "iu", v->variable);
	else
		play_first(p, "binary scan $%s @%zu%s %s", t->variable, at, code, v->variable);
	if (v->place.len >= 32 || (v->place.len == 16 && v->place.form == VALUE_BE))
		play_first(p, "set %s [join [regexp -all -inline {....} $%s] :]", v->variable,
			   v->variable);
}

/* The variable with the value at that place. It is set when it is first needed. */
static const char *variable_of(struct replay *p, const struct told_bytes *t,
			       const struct value_place *place, const char *name)
{
	struct script *script = p->its;
	struct told_value *v;
	unsigned same = 0;

	for (unsigned i = 0; i < script->nvalues; i++) {
		v = &script->values[i];
		if (strcmp(v->in, t->variable) == 0 && v->place.at == place->at &&
		    v->place.len == place->len)
			return v->variable;
		same += strncmp(v->variable, name, strlen(name)) == 0;
	}
	script->values = xgrow(script->values, script->nvalues, sizeof *script->values);
	v = &script->values[script->nvalues++];
	*v = (struct told_value){ .place = *place };
	snprintf(v->in, sizeof v->in, "%s", t->variable);
	snprintf(v->variable, sizeof v->variable, "%.16s%u", name, same);
	write_scan(p, t, v);
	return v->variable;
}

static const char *told_word(struct replay *p, const struct told_bytes *t,
			     const struct value_place *place, const char *name, uint64_t offset)
{
	const char *variable = variable_of(p, t, place, name);

	return offset ? temp_text("[expr {$%s + %" PRIu64 "}]", variable, offset)
		      : temp_text("$%s", variable);
}

static const char *told_gid_word(struct replay *p, const struct told_bytes *t,
				 const struct value_place *place, bool pointer)
{
	(void)pointer;
	return told_word(p, t, place, "gid", 0);
}

/* ---------------------------------------------------------------------------- one's own -- */

const char *play_own(struct replay *p, const struct own_value *v, uint64_t offset)
{
	const char *name = v->kind == OWN_GID ? v->name : play_object(p, v->of, OBJECT_NONE);

	switch (v->kind) {
	case OWN_MEMORY:
		return offset ? temp_text("[expr {[get %s addr] + %" PRIu64 "}]", name, offset)
			      : temp_text("[get %s addr]", name);
	case OWN_KEY:
		return temp_text("[get %s rkey]", name);
	case OWN_QPN:
		return temp_text("[get %s qpn]", name);
	default:
		return temp_text("[gid_digits $%s]", name);
	}
}

static const char *key_word(struct replay *p, const struct own_value *o, bool is_local)
{
	(void)is_local;
	return play_object(p, o->of, OBJECT_MR);
}

static const char *gid_word(struct replay *p, const struct own_value *o, bool pointer)
{
	(void)p, (void)pointer;
	return temp_text("$%s", o->name);
}

static const char *place_word(struct replay *p, const struct own_value *mr,
			      const struct memory_block *b, uint64_t off, bool is_number)
{
	const char *name = mr ? play_object(p, mr->of, OBJECT_MR) : b->name;

	(void)is_number;
	return off ? temp_text("%s+%" PRIu64, name, off) : temp_text("%s", name);
}

/* The first address that the program connects to may be given to the script. */
static const char *host_word(struct replay *p, const struct sockaddr *sa, const char *argument)
{
	const struct sockaddr_in6 *six = (const void *)sa;
	const struct sockaddr_in *four = (const void *)sa;
	const bool is_six = sa->sa_family == AF_INET6;
	const unsigned port = ntohs(is_six ? six->sin6_port : four->sin_port);
	struct script *script = p->its;
	char host[INET6_ADDRSTRLEN];

	if ((!is_six && sa->sa_family != AF_INET) || strcmp(argument, "dst_addr") != 0)
		return NULL;
	inet_ntop(sa->sa_family, is_six ? (const void *)&six->sin6_addr : &four->sin_addr, host,
		  sizeof host);
	if (!*script->host)
		snprintf(script->host, sizeof script->host, "%s", host);
	return strcmp(script->host, host) ? NULL : temp_text("[list $host %u]", port);
}

static const char *data_word(struct replay *p, const unsigned char *data, size_t n)
{
	SCOPED_TEXT(word);

	play_word(p, &word, data, n);
	play_first(p, "set data %s", text_str(&word));
	return "[list $data]";
}

/* ------------------------------------------------------------------------------- steps -- */

static void write_note(struct replay *p, const char *text)
{
	xappendf(&p->before, "# NOT FOLLOWED: %s\n", text);
}

static void write_failed(struct replay *p, const struct record *r)
{
	const char *name = strerrorname_np(r->err);

	if (r->err != EAGAIN && r->err != EINTR && r->err != ENOENT)
		play_line(p, "# %s had failed: %s", r->fn->name, name ? name : "?");
	if (r->fn == &call_table[ROW_ibv_wr_complete])
		play_line(p, "call ibv_wr_abort %s",
			  play_object(p, replay_objects_of(p, r, r->args[0], OBJECT_QP_EX),
				      OBJECT_QP_EX));
}

static void write_pause(struct replay *p, int64_t ms)
{
	play_line(p, "sleep %" PRId64 "ms", ms);
}

static void write_block(struct replay *p, struct memory_block *b)
{
	play_line(p, "buf %" PRIu64 " -name %s", b->len, b->name);
}

static void write_gid(struct replay *p, const struct record *r, struct own_value *gid)
{
	struct script *script = p->its;

	snprintf(gid->name, sizeof gid->name, "own_gid%u", script->gids++);
	play_line(
		p, "set %s [call ibv_query_gid %s %u %d]", gid->name,
		play_object(p, replay_objects_of(p, r, r->args[0], OBJECT_CONTEXT), OBJECT_CONTEXT),
		gid->port, gid->index);
}

static const char *word_in(enum call_row row, unsigned arg, const char *field, int64_t value)
{
	return live_word(call_table[row].args[arg].of, field, value);
}

static void write_completion(struct replay *p, struct replay_object *o, const struct live_wc *c)
{
	struct script *script = p->its;
	const struct ibv_wc *wc = &c->wc;
	const char *cq = play_object(p, o, OBJECT_CQ);
	const char *status = word_in(ROW_ibv_poll_cq, 2, "status", wc->status);

	if (wc->status == IBV_WC_WR_FLUSH_ERR) {
		play_line(p, "# wr_id %" PRIu64 " was flushed", wc->wr_id);
		return;
	}
	if (script->event_of)
		play_line(p, "cq_event %s %s", script->event_channel, cq);
	script->event_of = 0;
	if (wc->status != IBV_WC_SUCCESS)
		play_line(p, "completion %s * %" PRIu64 " %s", cq, wc->wr_id, status);
	else
		play_line(p, "completion %s %s %" PRIu64, cq,
			  word_in(ROW_ibv_poll_cq, 2, "opcode", wc->opcode), wc->wr_id);
}

/* One event may stand for several completions, and a late one for none. So the script waits for the
 * event when it waits for the next completion. */
static void write_cq_event(struct replay *p, struct replay_object *channel, uint64_t cq)
{
	struct script *script = p->its;

	script->event_of = cq;
	snprintf(script->event_channel, sizeof script->event_channel, "%s",
		 play_object(p, channel, OBJECT_COMP_CHANNEL));
}

static const char *event_word(struct replay *p)
{
	const struct record *r = &replay_now(p)->r;
	const uint64_t *place = (const void *)(uintptr_t)r->after[1];

	return replay_objects_of(p, r, *place, OBJECT_CM_EVENT)->name;
}

static void write_cm_event(struct replay *p, const struct rdma_cm_event *ev,
			   const struct told_bytes *t)
{
	const struct record *r = &replay_now(p)->r;
	const char *event = event_word(p);
	struct replay_object *channel = replay_objects_of(p, r, r->args[0], OBJECT_EVENT_CHANNEL),
			     *id;
	struct script *script = p->its;

	play_line(p, "cm_event %s %s %s", play_object(p, channel, OBJECT_EVENT_CHANNEL),
		  live_word(call_objects[OBJECT_CM_EVENT].of, "event", ev->event), event);
	if (ev->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		id = replay_objects_of(p, r, (uintptr_t)ev->id, OBJECT_CM_ID);
		if (!id)
			return;
		if (*id->name != '$')
			snprintf(id->name, sizeof id->name, "$client%u", script->clients++);
		id->written = true;
		play_line(p, "set %s [dict get [show %s] id]", id->name + 1, event);
	}
	if (t)
		play_line(p, "set %s [dict get [show %s] param.conn private_data]", t->variable,
			  event);
}

static void keep_memory(struct replay *p, const struct told_bytes *t, const struct memory_piece *v,
			unsigned n)
{
	SCOPED_TEXT(pieces);

	for (unsigned i = 0; i < n; i++)
		xappendf(&pieces, "%s[mem get %s %" PRIu64 " %zu]", i ? " " : "",
			 play_object(p, v[i].mr->of, OBJECT_MR), v[i].off, v[i].len);
	if (n > 1)
		play_line(p, "set %s [join [list %s] \"\"]", t->variable, text_str(&pieces));
	else
		play_line(p, "set %s %s", t->variable, text_str(&pieces));
}

static void keep_private(struct replay *p, const struct told_bytes *t, struct replay_object *id)
{
	play_line(p, "set %s [dict get [show %s] private_data]", t->variable,
		  play_object(p, id, OBJECT_CM_ID));
}

/* --------------------------------------------------------------------------------- TCP -- */

static void write_listen(struct replay *p, const struct tcp_end *e, const char *host, unsigned port)
{
	play_line(p, "tcp listen %u%s%s -name %s", port, *host ? " -address " : "", host, e->name);
}

static void write_accept(struct replay *p, const struct tcp_end *listener, const struct tcp_end *e)
{
	play_line(p, "tcp accept %s -name %s -within $within", listener->name, e->name);
}

static void write_connect(struct replay *p, const struct tcp_end *e, const char *host,
			  unsigned port)
{
	struct script *script = p->its;

	if (!*script->host)
		snprintf(script->host, sizeof script->host, "%s", host);
	play_line(p, "tcp connect %s %u -name %s -within $within",
		  strcmp(script->host, host) ? host : "$host", port, e->name);
}

static void write_send(struct replay *p, const struct tcp_end *e, const unsigned char *data,
		       size_t n)
{
	SCOPED_TEXT(word);

	play_argument(p, &word, data, n);
	replay_put_told(p);
	play_line(p, "tcp send %s %s", e->name, text_str(&word));
}

static void write_recv(struct replay *p, const struct tcp_end *e, size_t n,
		       const struct told_bytes *t)
{
	if (!n)
		play_line(p,
			  "expect -name \"the peer closes\" -value \"\" "
			  "{tcp recv %s 1 -any -within $within}",
			  e->name);
	else if (t)
		play_line(p, "set %s [tcp recv %s %zu -within $within]", t->variable, e->name, n);
	else
		play_line(p, "tcp recv %s %zu -within $within", e->name, n);
}

static void write_close(struct replay *p, const struct tcp_end *e)
{
	play_line(p, "destroy %s", e->name);
}

/* ----------------------------------------------------------------------------- the whole -- */

static const struct replay_words words = {
	.sink = call_words_sink,
	.special = play_special,
	.object = play_object,
	.told = told_word,
	.told_gid = told_gid_word,
	.own = play_own,
	.key = key_word,
	.gid = gid_word,
	.place = place_word,
	.host = host_word,
	.data = data_word,
};

static const struct replay_steps steps = {
	.note = write_note,
	.failed = write_failed,
	.pause = write_pause,
	.block = write_block,
	.prepare = play_prepare,
	.call = play_call,
	.gid_read = write_gid,
	.put = play_put,
	.completion = write_completion,
	.cq_event = write_cq_event,
	.cm_event = write_cm_event,
	.keep = keep_memory,
	.keep_private = keep_private,
	.listen = write_listen,
	.accept = write_accept,
	.connect = write_connect,
	.send = write_send,
	.recv = write_recv,
	.close = write_close,
};

static const struct replay_back back = { .passes = 2,
					 .words = &words,
					 .steps = &steps,
					 .begin = begin_pass,
					 .end = play_flush,
					 .name = name_object };

/* A newline would end the comment. */
static void add_comment(struct text *to, const char *word)
{
	text_add(to, " ");
	for (; *word; word++)
		xappendf(to, iscntrl((unsigned char)*word) ? "\\x%02x" : "%c",
			 (unsigned char)*word);
}

static void add_heading(const struct replay *p, const char *path, char **argv, struct text *to)
{
	const struct script *script = p->its;
	const uint64_t *lost = p->from->lost;

	text_add(to, "# Recorded by 'vtrace --record' from:");
	for (char **a = argv; *a; a++)
		add_comment(to, *a);
	text_add(to, "\n# It plays the part of that program:\n#\trdmash");
	add_comment(to, path);
	xappendf(to, "%s\nset within 60s ;# how long to wait for the other end\n",
		 *script->host ? " [HOST]" : "");
	if (*script->host)
		xappendf(to, "set host [expr {$argc ? [lindex $argv 0] : \"%s\"}]\n", script->host);
	if (p->notes)
		xappendf(
			to,
			"# %u lines that begin with NOT FOLLOWED say what may be wrong in another run.\n",
			p->notes);
	if (lost[0] + lost[1])
		xappendf(to, "# NOT FOLLOWED: %" PRIu64 " calls were lost\n", lost[0] + lost[1]);
}

unsigned replay_script(const struct replay_source *from, const char *path, char **argv,
		       struct text *to)
{
	struct replay p = { 0 };
	struct script script = { 0 };
	unsigned notes;
	SCOPED_TEXT(heading);

	replay_write(&p, from, &back, &script);
	add_heading(&p, path, argv, &heading);
	template_fill(replayed_rdma,
		      (const struct template_part[]){ { "@heading@\n", text_str(&heading) },
						      { "@session@\n", text_str(&p.body) },
						      { 0 } },
		      to);
	notes = p.notes;
	free(script.values);
	replay_free(&p);
	return notes;
}
