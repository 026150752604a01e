/* SPDX-License-Identifier: MIT */
#include "line.h"

#include <string.h>
#include <time.h>

#include "call_text.h"

/* An object of a process, as the program that is traced has none: the first QP is "qp0". */
static const char *name_of(const struct call_names *n, const struct record *r,
			   const struct call_value *v, uint64_t address)
{
	struct traced *p = n->arg;
	const struct record_object *o = record_objects_at(p->objects, address, r->end);

	if (!o)
		o = record_objects_at(p->objects, address, r->begin); /* it is no more */
	if (!o)
		o = record_objects_meet(p->objects, address, v->object, r->end);
	return o->name;
}

static void write_time(FILE *to, uint64_t ticks)
{
	const int64_t ns = record_realtime(ticks);
	const time_t seconds = (time_t)(ns / 1000000000);
	char text[16];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, sizeof text, "%H:%M:%S", &tm);
	fprintf(to, "%s.%06d ", text, (int)(ns % 1000000000 / 1000));
}

bool line_is_empty_poll(const struct record *r)
{
	return r->fn->path == CALL_DATAPATH && r->fn->says == RESULT_COUNT && !r->err && !r->result;
}

void line_write(FILE *to, const struct reader_news *call, bool pids)
{
	const struct call_names names = { .object = name_of, .arg = call->process };
	const struct record *r = call->r;
	const uint64_t named = call_text_named(r);
	const struct record_object *o =
		named ? record_objects_at(call->process->objects, named, r->end) : NULL;

	write_time(to, r->begin);
	if (pids)
		fprintf(to, "[%d] ", (int)call->process->pid);
	fprintf(to, "%*s%s ", 2 * (int)r->depth, "", r->fn->name);
	call_text_args(to, &names, r);
	fprintf(to, " = %s", o ? o->name : "");
	call_text_result(to, &names, r);
	putc('\n', to);
}
