/* SPDX-License-Identifier: MIT */
/* From notes to functions: variables, phases, and which note is whose. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "session.h"
#include "xmem.h"

#define PHASE_LINES 60
#define PASSES	    4
#define LINE_MAX_   84

/* Words that cannot be a member: of C, and what headers define as macros. */
static const char *const reserved[] = {
	"alignas",	"alignof",	 "asm",	      "auto",	  "bool",    "break",  "case",
	"char",		"const",	 "constexpr", "continue", "default", "do",     "double",
	"else",		"enum",		 "errno",     "extern",	  "false",   "float",  "for",
	"goto",		"h_errno",	 "if",	      "inline",	  "int",     "linux",  "long",
	"nullptr",	"register",	 "restrict",  "return",	  "short",   "signed", "sizeof",
	"static",	"static_assert", "stderr",    "stdin",	  "stdout",  "struct", "switch",
	"thread_local", "true",		 "typedef",   "typeof",	  "union",   "unix",   "unsigned",
	"void",		"volatile",	 "while",
};

static bool is_reserved(const char *name)
{
	bool lower = false;

	for (const char *c = name; *c; c++)
		lower |= islower((unsigned char)*c) != 0;
	if (!lower) /* as macros are written */
		return true;
	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		if (strcmp(reserved[i], name) == 0)
			return true;
	return false;
}

void program_name(const char *name, char *to, size_t size)
{
	size_t n = 0;

	if (!isalpha((unsigned char)*name))
		to[n++] = 'x';
	for (; *name && n + 2 < size; name++)
		to[n++] = isalnum((unsigned char)*name) ? *name : '_';
	to[n] = 0;
	if (is_reserved(to))
		memcpy(to + n, "_", 2);
}

/* ------------------------------------------------------------------- lines -- */

/* Long lists of flags go on on the next line, one tab further in. */
static void wrap(Tcl_DString *d, const char *line)
{
	int tabs = (int)strspn(line, "\t");
	const char *cut;

	while (strlen(line) > LINE_MAX_ && (cut = memrchr(line, '|', LINE_MAX_))) {
		Tcl_DStringAppend(d, line, (int)(cut + 1 - line));
		xappendf(d, "\n%.*s", tabs + 2, "\t\t\t\t\t\t\t\t");
		line = cut + 2;
	}
	xappendf(d, "%s\n", line);
}

void put(struct program *p, const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	line = xvasprintf(fmt, ap);
	va_end(ap);
	if (*line)
		Tcl_DStringAppend(&p->body, "\t", 1);
	wrap(&p->body, line);
	free(line);
	p->lines++;
}

void warn(struct program *p, const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	line = xvasprintf(fmt, ap);
	va_end(ap);
	if (!strstr(Tcl_DStringValue(&p->warnings), line)) {
		xappendf(&p->warnings, "%s\n", line);
		p->nwarnings++;
		put(p, "/* %s */", line);
	}
	free(line);
}

/* --------------------------------------------------------------- variables -- */

struct var *var_of(const struct program *p, uint64_t serial)
{
	for (unsigned i = 0; serial && i < p->nvars; i++)
		if (p->vars[i].serial == serial)
			return &p->vars[i];
	return NULL;
}

const char *ref(struct program *p, uint64_t serial)
{
	struct var *v = var_of(p, serial);

	if (!serial)
		return "NULL";
	if (!v)
		return NULL;
	v->used = true;
	return text("s.%s", v->name);
}

static bool taken(const struct program *p, const char *name)
{
	for (unsigned i = 0; i < p->nvars; i++)
		if (strcmp(p->vars[i].name, name) == 0)
			return true;
	return false;
}

static void name_var(const struct program *p, struct var *v)
{
	char base[40];
	unsigned again = 1;

	program_name(v->made->class == &dev_class ? "device" : v->made->name, base, sizeof base);
	snprintf(v->name, sizeof v->name, "%s", base);
	while (taken(p, v->name))
		snprintf(v->name, sizeof v->name, "%s_%u", base, ++again);
}

static void add_var(struct program *p, const struct note *n)
{
	struct var v = { .serial = n->obj, .made = n->data };

	name_var(p, &v);
	p->vars = xrealloc(p->vars, p->nvars + 1, sizeof *p->vars);
	p->vars[p->nvars++] = v;
}

static void collect(struct program *p)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->notes[i]->kind == NOTE_MADE)
			add_var(p, p->notes[i]);
	for (unsigned i = 0; i < p->nvars; i++) {
		struct var *v = &p->vars[i];

		if (v->made->class == &id_class)
			v->end = v->made->id.passive ? END_SERVER : END_CLIENT;
	}
	for (unsigned i = 0; i < p->n; i++)
		if (p->notes[i]->kind == NOTE_LISTEN && var_of(p, p->notes[i]->obj))
			var_of(p, p->notes[i]->obj)->end = END_SERVER;
	for (unsigned i = 0; i < p->nvars; i++) {
		struct var *v = &p->vars[i];
		const struct var *id = v->made->class == &qp_class ? var_of(p, v->made->of[4])
								   : NULL;

		if (id)
			v->end = id->end;
	}
}

/* ------------------------------------------------------------------ phases -- */

static void end_phase(struct program *p)
{
	if (!p->phase)
		return;
	Tcl_DStringAppend(&p->body, "\treturn 0;\n}\n", -1);
	p->phase = NULL;
}

static const char *phase_of(const struct note *n, const char *now)
{
	const struct event_note *e = n->data;

	switch (n->kind) {
	case NOTE_GONE:
	case NOTE_DISCONNECT:
		return "leave";
	case NOTE_EVENT:
		return e->ev.type == RDMA_CM_EVENT_DISCONNECTED ? "leave" : "set_up";
	case NOTE_PUT:
	case NOTE_GET:
		return now ? now : "set_up";
	case NOTE_POST: /* receives are posted on the way */
		return ((const struct post_note *)n->data)->recv && now ? now : "transfer";
	case NOTE_WC:
	case NOTE_CQ_EVENT:
		return "transfer";
	case NOTE_ARM:
		return now ? now : "transfer";
	default:
		return "set_up";
	}
}

static void enter_phase(struct program *p, const struct note *n)
{
	const char *phase = phase_of(n, p->phase);

	if (p->phase && strcmp(p->phase, phase) == 0 && p->lines < PHASE_LINES)
		return;
	end_phase(p);
	p->phase = phase;
	p->nphases++;
	p->lines = 0;
	xappendf(&p->phases, "%s%s_%u", p->nphases > 1 ? " " : "", phase, p->nphases);
	xappendf(&p->body, "\nstatic int %s_%u(void)\n{\n", phase, p->nphases);
}

/* ------------------------------------------------------------------- notes -- */

static bool other_end(const struct program *p, const struct var *v)
{
	return p->role && v->end && v->end != p->role;
}

/* Whose completion it is: a CQ may serve both. */
const struct var *qp_numbered(const struct program *p, uint32_t qpn)
{
	for (unsigned i = 0; i < p->nvars; i++)
		if (p->vars[i].live && p->vars[i].made->class == &qp_class &&
		    p->vars[i].made->qp.qpn == qpn)
			return &p->vars[i];
	return NULL;
}

static bool left_out(const struct program *p, const struct note *n, const struct var *v)
{
	const struct event_note *e = n->kind == NOTE_EVENT ? n->data : NULL;
	const struct var *qp;

	if (other_end(p, v) || (e && e->ev.type == RDMA_CM_EVENT_TIMEWAIT_EXIT))
		return true; /* nobody needs to wait for the latter */
	if (!p->role || v->made->class == &id_class || v->made->class == &qp_class)
		return false;
	if (!v->used)
		return true;
	qp = n->kind == NOTE_WC ? qp_numbered(p, n->wc.qp_num) : NULL;
	return qp && other_end(p, qp);
}

void keep_track(const struct note *n, struct var *v)
{
	if (n->kind == NOTE_MADE) {
		v->live = true;
		v->lkey = v->made->mr.lkey;
		v->rkey = v->made->class == &mw_class ? v->made->mw.rkey : v->made->mr.rkey;
	} else if (n->kind == NOTE_GONE) {
		v->live = false;
	}
}

static void write_other(struct program *p, const struct note *n, struct var *v)
{
	const char *args = n->data;
	int at = args ? (int)strcspn(args, "@") : 0;

	if (args)
		put(p, "if (check(%s(%.*s%s%s), \"%s\"))\n\t\treturn -1;", n->call, at, args,
		    ref(p, v->serial), args + at + 1, n->call);
	else
		warn(p, "%s of %s is not in the program", n->call, v->made->name);
}

static void write_note(struct program *p, const struct note *n, struct var *v)
{
	if (n->kind >= NOTE_DATA)
		write_data(p, n, v);
	else if (n->kind == NOTE_MADE)
		write_made(p, n, v);
	else if (n->kind == NOTE_GONE)
		write_destroy(p, v, NULL);
	else if (n->kind == NOTE_EVENT)
		write_event(p, n, v);
	else if (n->kind == NOTE_MODIFY_QP)
		write_modify(p, n, v);
	else if (n->kind == NOTE_OOB)
		write_oob(p, n, v);
	else if (n->kind == NOTE_OTHER)
		write_other(p, n, v);
	else
		write_cm(p, n, v);
}

static void pass(struct program *p, const uint64_t lost[2])
{
	unsigned unknown = 0;

	Tcl_DStringSetLength(&p->body, 0);
	Tcl_DStringSetLength(&p->phases, 0);
	Tcl_DStringSetLength(&p->warnings, 0);
	p->nwarnings = p->nphases = p->nsources = 0;
	p->phase = NULL;
	for (unsigned i = 0; i < p->nvars; i++)
		p->vars[i].live = false, p->vars[i].by = NULL;
	for (p->at = 0; p->at < p->n; p->at++) {
		const struct note *n = p->notes[p->at];
		struct var *v = var_of(p, n->obj);

		if (!v) {
			unknown++;
			continue;
		}
		keep_track(n, v);
		if (left_out(p, n, v))
			continue;
		enter_phase(p, n);
		write_note(p, n, v);
	}
	end_phase(p);
	if (lost[0] + lost[1] + unknown)
		warn(p,
		     "the journal has lost the beginning: %llu calls of the control path and "
		     "%llu of the data path, and %u calls are about objects made there",
		     (unsigned long long)lost[0], (unsigned long long)lost[1], unknown);
}

void program_read(struct program *p, uint64_t lost[2])
{
	Tcl_DStringInit(&p->body);
	Tcl_DStringInit(&p->phases);
	Tcl_DStringInit(&p->warnings);
	p->notes = journal_all(p->s, &p->n, lost);
	p->got = xcalloc(p->n + 1, sizeof *p->got);
	collect(p);
}

void program_write(struct program *p)
{
	uint64_t lost[2];

	program_read(p, lost);
	for (unsigned i = 0; i < PASSES; i++)
		pass(p, lost);
}

void program_free(struct program *p)
{
	Tcl_DStringFree(&p->body);
	Tcl_DStringFree(&p->phases);
	Tcl_DStringFree(&p->warnings);
	free(p->notes);
	free(p->got);
	free(p->vars);
	free(p->sources);
}
