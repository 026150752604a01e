/* SPDX-License-Identifier: MIT */
/* Collects what the program does, and writes it as a script at the end. */
#include "recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door.h"
#include "heap.h"
#include "reader.h"
#include "replay.h"
#include "text.h"

static struct {
	struct recording_options o;
	FILE *to;
	struct replay_source all;
	struct traced *process;
	uint64_t last_end;
} the;

int recording_begin(const struct recording_options *o)
{
	the.o = *o;
	the.to = fopen(o->path, "we");
	if (!the.to) {
		door_say("%s: %s", o->path, strerror(errno));
		return -1;
	}
	replay_rows_begin();
	setenv(REPLAY_VARIABLE, "1", 1);
	return 0;
}

bool recording_is_row(const struct reader_news *news)
{
	enum replay_row row;

	return news->what == READER_CALL && replay_row_of(news->r->fn, &row);
}

void recording_take(struct reader *reader, const struct reader_news *news)
{
	struct replay_call c = { .row = REPLAY_CALL };

	if (news->what == READER_LOST)
		the.all.lost[0] += news->n;
	if (news->what != READER_CALL)
		return;
	c.r = *news->r;
	c.idle = record_span(the.last_end, c.r.begin);
	the.last_end = c.r.end;
	if (record_is_empty_poll(&c.r) || (!replay_row_of(c.r.fn, &c.row) && c.r.depth))
		return;
	if (the.process != news->process) { /* exec() begins a new program */
		the.process = news->process;
		the.all.ncalls = 0;
	}
	reader_keep(reader);
	if (!the.all.ncalls)
		c.idle = 0;
	the.all.calls = xgrow(the.all.calls, the.all.ncalls, sizeof c);
	the.all.calls[the.all.ncalls++] = c;
}

int recording_end(bool writes)
{
	unsigned notes = 0;
	int rc = 0;
	SCOPED_TEXT(script);

	if (!writes) {
		door_say("%s is empty: a signal has ended vtrace before", the.o.path);
		rc = -1;
	} else if (the.process) {
		the.all.objects = the.process->objects;
		the.all.no_data = the.o.no_data;
		notes = replay_script(&the.all, the.o.path, the.o.argv, &script);
		fputs(text_str(&script), the.to);
	} else {
		door_say("%s is empty: the program has called nothing", the.o.path);
	}
	if (ferror(the.to) | fclose(the.to)) {
		door_say("%s: %s", the.o.path, strerror(errno));
		rc = -1;
	}
	if (notes)
		door_say("%s: %u values or calls could not be followed, see the lines with NOT "
			 "FOLLOWED",
			 the.o.path, notes);
	free(the.all.calls);
	memset(&the, 0, sizeof the);
	return rc;
}
