/* SPDX-License-Identifier: MIT */
/* A record as a program in C: its lines, its functions, and everything around them. exported.c.in
 * has their order, and structs and functions, of which the program gets those that it uses. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program_parts.h"
#include "template.h"

#define PHASE_LINES 60
#define COLUMNS	    90

/* How such a program begins. */
#define PROGRAM_MARK "/* Exported by rdmash"

/* --------------------------------------------------------------------------- names -- */

/* Words that cannot name a member: keywords of C, and macros of headers. */
static const char reserved[] =
	" alignas alignof asm auto bool break case char const constexpr continue default do double "
	"else enum errno extern false float for goto h_errno if inline int linux long nullptr "
	"register restrict return short signed sizeof static static_assert stderr stdin stdout "
	"struct switch thread_local true typedef typeof union unix unsigned void volatile while ";

static bool is_reserved(const char *name)
{
	bool lower = false;

	for (const char *c = name; *c; c++)
		lower |= islower((unsigned char)*c) != 0;
	return !lower || /* it may be a macro */
	       strstr(reserved, temp_text(" %s ", name));
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

static bool is_taken(const struct replay *p, const char *name)
{
	for (const struct replay_object *o = p->objects; o; o = o->hh.next)
		if (strcmp(o->name, name) == 0)
			return true;
	return false;
}

static void name_object(struct replay *p, struct replay_object *o)
{
	char base[40], name[48];
	unsigned again = 1;

	program_name(o->kind == OBJECT_CONTEXT ? "device" : o->called, base, sizeof base);
	snprintf(name, sizeof name, "%s", base);
	while (is_taken(p, name))
		snprintf(name, sizeof name, "%s_%u", base, ++again);
	memcpy(o->name, name, sizeof name);
}

/* --------------------------------------------------------------------------- lines -- */

void program_line(struct replay *p, const char *fmt, ...)
{
	struct program *c = p->its;
	va_list ap;

	if (*fmt)
		text_add(&p->body, "\t");
	va_start(ap, fmt);
	xvappendf(&p->body, fmt, ap);
	va_end(ap);
	text_add(&p->body, "\n");
	c->lines++;
}

void program_code(struct replay *p, const char *fmt, ...)
{
	struct program *c = p->its;
	unsigned tabs = 1;
	char *code, *text;
	size_t size;
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	code = xvasprintf(fmt, ap);
	va_end(ap);
	while (code[tabs - 1] == '\t')
		tabs++;
	f = xmemstream(&text, &size);
	call_lay_out(f, code + tabs - 1, tabs, COLUMNS);
	fclose(f);
	for (const char *at = text; *at; at++)
		c->lines += *at == '\n';
	program_line(p, "%.*s%s", (int)tabs - 1, "\t\t\t\t\t\t", text);
	free(text);
	free(code);
}

void program_before(struct replay *p, const char *fmt, ...)
{
	va_list ap;

	text_add(&p->before, "\t\t");
	va_start(ap, fmt);
	xvappendf(&p->before, fmt, ap);
	va_end(ap);
	text_add(&p->before, "\n");
}

const char *program_begin_block(struct replay *p)
{
	if (!text_len(&p->before))
		return "";
	text_add(&p->body, "\t{\n");
	text_add(&p->body, text_str(&p->before));
	return "\t";
}

void program_end_block(struct replay *p)
{
	struct program *c = p->its;

	if (text_len(&p->before))
		text_add(&p->body, "\t}\n");
	text_resize(&p->before, 0);
	c->nlocals = 0;
}

void program_note(struct replay *p, const char *text)
{
	struct program *c = p->its;

	if (strstr(text_str(c->differences), temp_text("%s\n", text)))
		return;
	xappendf(c->differences, "%s\n", text);
	if (c->phase)
		program_line(p, "/* %s */", text);
}

static void end_phase(struct replay *p)
{
	struct program *c = p->its;

	if (c->phase)
		text_add(&p->body, "\treturn 0;\n}\n");
	c->phase = NULL;
}

void program_enter(struct replay *p, const char *phase)
{
	struct program *c = p->its;

	if (c->phase && strcmp(c->phase, phase) == 0 && c->lines < PHASE_LINES)
		return;
	end_phase(p);
	c->phase = phase;
	c->nphases++;
	c->lines = 0;
	xappendf(&c->phases, "%s%s_%u", c->nphases > 1 ? " " : "", phase, c->nphases);
	xappendf(&p->body, "\nstatic int %s_%u(void)\n{\n", phase, c->nphases);
}

/* ----------------------------------------------------------------------- variables -- */

static bool is_member(const struct replay_object *o)
{
	return o->written && !(o->whole && !o->made);
}

static void add_objects(const struct replay *p, struct text *to)
{
	const struct program *c = p->its;

	text_add(to, "/* The objects of the session, with their names. */\n"
		     "static struct {\n");
	for (const struct replay_object *o = p->objects; o; o = o->hh.next) {
		if (!program_has(o))
			continue;
		if (is_member(o))
			xappendf(to, "\tstruct %s *%s;\n", call_objects[o->kind].name, o->name);
		if (o->keeps && o->kind == OBJECT_QP)
			xappendf(to, "\tstruct peer_info peer_of_%s;\n", o->name);
		else if (o->keeps)
			xappendf(to, "\tstruct event event_of_%s;\n", o->name);
	}
	for (unsigned i = 0; i < p->memory.n; i++)
		if (*p->memory.blocks[i].name)
			xappendf(to, "\tchar *%s;\n", p->memory.blocks[i].name);
	for (unsigned i = 0; i < p->ntcp; i++)
		if (!p->role || p->tcp[i].is_server == (p->role == END_SERVER))
			xappendf(to, "\tint %s;\n", p->tcp[i].name);
	for (unsigned i = 0; i < p->ntold; i++)
		if (replay_told_is_wanted(p, &p->told[i]))
			xappendf(to, "\tunsigned char %s[%zu];\n", p->told[i].variable,
				 p->told[i].n);
	text_add(to, "} s;\n");
	if (!c->naddresses)
		return;
	text_add(to, "\n/* Arguments of the program replace them, in this order. */\n"
		     "static const char *address[] = {");
	for (unsigned i = 0; i < c->naddresses; i++)
		xappendf(to, "%s \"%s\"", i ? "," : "", c->address[i]);
	text_add(to, " };\n");
}

/* ------------------------------------------------------------------- clean-up, main -- */

/* Windows are destroyed first, because they use other objects; then the newest first. */
static void add_clean_up(struct replay *p, struct text *to)
{
	struct replay_object *newest = p->objects;

	while (newest && newest->hh.next)
		newest = newest->hh.next;
	text_add(to, "\n/* Destroys the remaining objects, users before what they use. */\n"
		     "static int clean_up(void)\n{\n\tint rc = 0;\n\n");
	for (int first = 1; first >= 0; first--)
		for (struct replay_object *o = newest; o; o = o->hh.prev)
			if ((o->kind == OBJECT_MW) == first && program_has(o))
				program_clean_up(p, o, to);
	for (unsigned i = 0; i < p->memory.n; i++)
		if (*p->memory.blocks[i].name)
			xappendf(to, "\tfree(s.%s);\n", p->memory.blocks[i].name);
	text_add(to, "\treturn rc;\n}\n");
}

static void add_main(const struct program *c, struct text *to)
{
	const char *phase = text_str(&c->phases);
	const char *open = "\tif (";

	xappendf(to, "\nint main(%s)\n{\n\tint rc = EXIT_FAILURE;\n\n",
		 c->naddresses ? "int argc, char **argv" : "void");
	if (c->naddresses)
		xappendf(to,
			 "\tfor (int i = 1; i < argc && i <= %u; i++)\n"
			 "\t\taddress[i - 1] = argv[i];\n",
			 c->naddresses);
	while (*phase) {
		int len = (int)strcspn(phase, " ");

		xappendf(to, "%s%.*s() == 0", open, len, phase);
		open = " &&\n\t    ";
		phase += len + (phase[len] != 0);
	}
	xappendf(to,
		 "%s\trc = EXIT_SUCCESS;\n\tif (clean_up())\n\t\trc = EXIT_FAILURE;\n"
		 "\treturn rc;\n}\n",
		 c->nphases ? ")\n\t" : "");
}

static void add_heading(const struct program *c, const char *file, struct text *to)
{
	const char *line = text_str(c->differences), *end;
	const char *addresses = c->naddresses ? " [ADDRESS ...]" : "";

	xappendf(to,
		 "%s: what the session did, call by call.\n *\n"
		 " *	cc -o program %s -lrdmacm -libverbs\n *	./program%s\n"
		 " * uroce ./program%s (without an RDMA device)\n *\n"
		 " * A server listens on the same ports as the session: end rdmash first.\n",
		 PROGRAM_MARK, file, addresses, addresses);
	if (*line)
		text_add(to, " *\n * Different from the session:\n");
	for (; (end = strchr(line, '\n')); line = end + 1)
		xappendf(to, " * - %.*s\n", (int)(end - line), line);
	text_add(to, " */\n");
}

/* ----------------------------------------------------------------------- the whole -- */

static void begin_pass(struct replay *p)
{
	struct program *c = p->its;

	text_resize(&c->phases, 0);
	text_resize(c->differences, 0);
	c->phase = NULL;
	c->init = NULL;
	c->nphases = c->lines = c->nlocals = c->unknown = 0;
}

static void end_pass(struct replay *p)
{
	const struct program *c = p->its;
	const uint64_t *lost = p->from->lost;

	program_last_waits(p);
	end_phase(p);
	if (lost[0] + lost[1] + c->unknown)
		replay_note(p,
			    "the record has lost the beginning: %llu calls of the control path and "
			    "%llu of the data path, and %u calls are about objects made there",
			    (unsigned long long)lost[0], (unsigned long long)lost[1], c->unknown);
}

static const struct replay_back back = {
	.passes = 4,
	.words = &program_words,
	.steps = &program_steps,
	.begin = begin_pass,
	.end = end_pass,
	.name = name_object,
	.leaves_out = program_leaves_out,
};

static void write_text(struct replay *p, const char *file, struct text *to)
{
	const struct program *c = p->its;
	const char *body = text_str(&p->body);
	SCOPED_TEXT(heading);
	SCOPED_TEXT(patience);
	SCOPED_TEXT(objects);
	SCOPED_TEXT(session);

	text_add(&session, body + strspn(body, "\n"));
	add_clean_up(p, &session);
	add_main(c, &session);
	add_objects(p, &objects);
	add_heading(c, file, &heading);
	xappendf(&patience, "#define PATIENCE %d /* seconds to wait for the peer */\n", PATIENCE);
	template_fill(exported_c,
		      (const struct template_part[]){ { "@heading@\n", text_str(&heading) },
						      { "@patience@\n", text_str(&patience) },
						      { "@objects@\n", text_str(&objects) },
						      { "@session@\n", text_str(&session) },
						      { 0 } },
		      to);
}

unsigned replay_program(const struct replay_source *from, enum replay_end role, const char *file,
			struct text *to, struct text *differences)
{
	struct program c = { .differences = differences };
	struct replay p = { .role = role };

	replay_write(&p, from, &back, &c);
	if (c.nphases)
		write_text(&p, file, to);
	replay_free(&p);
	text_free(&c.phases);
	return c.nphases;
}
