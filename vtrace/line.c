/* SPDX-License-Identifier: MIT */
#include "views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "text.h"
#include "call_format.h"
#include "injections.h"
#include "visible.h"

/* The name of an object of a traced process, whose own program has no names: the first QP is "qp0".
 */
static const char *name_of(const struct call_names *n, const struct record *r,
			   const struct call_value *v, uint64_t address)
{
	const struct traced *p = n->arg;

	return record_objects_name(p->objects, r, address, v->object);
}

struct call_names line_names(const struct reader_news *call)
{
	return (struct call_names){ .object = name_of,
				    .arg = call->process,
				    .qp_type = live_program_qp_type(call->process->live, call->r) };
}

/* The line written last, and how often the same call was repeated since then. */
static struct {
	char *text,
		*last; /* the line that is being written, and the last one, without their times */
	size_t size;
	FILE *to; /* where text is written; NULL: no line was written yet */
	unsigned repeated;
	uint64_t when; /* of the last repetition */
} folded;

static void write_time(FILE *to, uint64_t ticks)
{
	fprintf(to, "%s ", text_clock(record_realtime(ticks), 6));
}

static void write_name(FILE *to, const struct reader_news *call, bool pids)
{
	if (pids)
		fprintf(to, "[%d] ", (int)call->process->pid);
	fprintf(to, "%*s%s", 2 * (int)call->r->depth, "", call->r->fn->name);
}

void line_write_unfinished(FILE *to, const struct reader_news *call, bool pids)
{
	write_time(to, call->r->begin);
	write_name(to, call, pids);
	if (call->r->args) {
		putc(' ', to);
		line_write_args(to, call);
	}
	fputs(" <unfinished ...>\n", to);
}

/* The values that the call has filled in: completions, attributes. */
static void write_out_json(struct call_sink *k, const struct record *r)
{
	unsigned n = 0;

	for (unsigned i = 0; r->fn->args[i].name; i++) {
		const struct call_value *v = &r->fn->args[i];

		if (v->role != CALL_OUT || !r->after[i] ||
		    (r->fn->says == RESULT_COUNT && !r->result))
			continue;
		if (!n)
			fputs(",\"out\":{", k->to);
		k->key = v->name;
		k->index = n++;
		call_tell_out(k, r->fn, r->after, i, r->result);
	}
	if (n)
		fputc('}', k->to);
}

void line_write_json(FILE *to, const struct reader_news *call)
{
	const struct record *r = call->r;
	const uint64_t named = call_text_named(r);
	const struct record_object *o =
		named ? record_objects_at(call->process->objects, named, r->end) : NULL;
	const char *err = r->err ? strerrorname_np(r->err) : NULL;
	const struct call_names names = line_names(call);
	struct call_of of = { .names = &names, .r = r };
	struct call_sink k = call_json_named_sink(&of, to);

	fprintf(to, "{\"time\":%" PRId64, record_realtime(r->begin));
	if (r->ended)
		fprintf(to, ",\"ns\":%" PRId64, record_span(r->begin, r->end));
	fprintf(to, ",\"pid\":%d,\"thread\":%u", (int)call->process->pid, r->thread);
	if (r->ended)
		fprintf(to, ",\"depth\":%u", r->depth);
	fprintf(to, ",\"call\":\"%s\"", r->fn->name);
	if (r->args) {
		fputs(",\"args\":{", to);
		call_json_args(to, &names, r);
		fputc('}', to);
	}
	if (!r->ended)
		fputs(",\"ended\":false", to);
	else if (r->err && err)
		fprintf(to, ",\"errno\":\"%s\"", err);
	else if (r->err)
		fprintf(to, ",\"errno\":%d", r->err);
	else if (o)
		fputs(",\"made\":", to), k.bytes(&k, o->name, strlen(o->name));
	else if (r->fn->says != RESULT_NOTHING)
		fprintf(to, ",\"result\":%" PRId64, (int64_t)r->result);
	if (injections_rule(call))
		fprintf(to, ",\"injected\":\"%s\"", injections_text(injections_rule(call)));
	if (r->ended && !r->err)
		write_out_json(&k, r);
	fputs("}\n", to);
}

void line_write_args(FILE *to, const struct reader_news *call)
{
	const struct call_names names = line_names(call);

	call_text_args(to, &names, call->r);
}

void line_write_result(FILE *to, const struct reader_news *call)
{
	const struct call_names names = line_names(call);
	const uint64_t named = call_text_named(call->r);
	const struct record_object *o =
		named ? record_objects_at(call->process->objects, named, call->r->end) : NULL;

	if (o)
		fprintf(to, "%s%s", o->name, call_text_joint(call->r));
	call_text_result(to, &names, call->r);
	if (call->r->rule && !call->r->err)
		fputs(" (delayed)", to);
	else if (injections_rule(call))
		fputs(" (injected)", to);
}

void line_write_repeated(FILE *to)
{
	if (folded.repeated) {
		write_time(to, folded.when);
		fprintf(to, "... the same %u time%s more\n", folded.repeated,
			folded.repeated == 1 ? "" : "s");
	}
	folded.repeated = 0;
	free(folded.last);
	folded.last = NULL;
}

void line_write(FILE *to, const struct reader_news *call, bool pids)
{
	SCOPED_TEXT(shown);
	long named;

	if (!folded.to)
		folded.to = xmemstream(&folded.text, &folded.size);
	rewind(folded.to);
	write_name(folded.to, call, pids);
	named = ftell(folded.to);
	putc(' ', folded.to);
	line_write_args(folded.to, call);
	if (ftell(folded.to) == named + 1) /* no arguments */
		fseek(folded.to, named, SEEK_SET);
	if (call->r->fn->says != RESULT_NOTHING)
		fputs(" = ", folded.to);
	line_write_result(folded.to, call);
	putc('\0', folded.to);
	fflush(folded.to);
	if (folded.last && strcmp(folded.text, folded.last) == 0) {
		folded.repeated++;
		folded.when = call->r->end;
		return;
	}
	line_write_repeated(to);
	write_time(to, call->r->end);
	visible_append(&shown, folded.text, strlen(folded.text), VISIBLE_ONE_LINE);
	fprintf(to, "%s\n", text_str(&shown));
	folded.last = xstrdup(folded.text);
}
