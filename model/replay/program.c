/* SPDX-License-Identifier: MIT */
/* A record as a program in C: its lines, its functions, and everything around them. exported.c.in
 * has their order, and structs and functions, of which the program gets those that it uses. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program_parts.h"
#include "template.h"

#define FUNCTION_LINES 60
#define COLUMNS	       90

/* How such a program begins. */
#define PROGRAM_MARK "/* Exported by rdmash"

/* --------------------------------------------------------------------------- names -- */

/* Words that cannot name an object: keywords of C, macros of headers, other members. 0 stands for
 * any number. */
static const char reserved[] =
	" alignas alignof asm auto bool break case char const constexpr continue default do double "
	"else enum errno extern false float for goto h_errno if inline int linux long nullptr "
	"register restrict return short signed sizeof static static_assert stderr stdin stdout "
	"struct switch thread_local true typedef typeof union unix unsigned void volatile while "
	"data buf0 tcp0 listener0 private0 heard0 got0 read0 wrote0 bytes0 ";

static bool is_reserved(const char *name)
{
	size_t len = strlen(name);
	bool lower = false;

	while (len && isdigit((unsigned char)name[len - 1]))
		len--;
	for (const char *c = name; *c; c++)
		lower |= islower((unsigned char)*c) != 0;
	return !lower || /* it may be a macro */
	       strstr(reserved, temp_text(" %.*s%s ", (int)len, name, name[len] ? "0" : ""));
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

	if (*o->name)
		return;
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

static void end_function(struct replay *p)
{
	struct program *c = p->its;

	if (c->is_open)
		text_add(&p->body, "\treturn 0;\n}\n");
	c->is_open = false;
}

void program_next(struct replay *p)
{
	struct program *c = p->its;

	if (c->is_open && c->lines < FUNCTION_LINES)
		return;
	end_function(p);
	xappendf(&p->body, "\nstatic int part_%u(void)\n{\n", ++c->nparts);
	c->is_open = true;
	c->lines = 0;
}

static void write_step(struct replay *p, const char *text)
{
	program_next(p);
	if (text[strlen(text) - 1] == ';') {
		program_code(p, "%s", text);
		return;
	}
	program_code(p, "if (%s)", text);
	program_line(p, "\treturn -1;");
}

static void write_note(struct replay *p, const char *text)
{
	struct program *c = p->its;

	if (strstr(text_str(c->differences), temp_text("%s\n", text)))
		return;
	xappendf(c->differences, "%s\n", text);
	if (c->is_open)
		program_line(p, "/* %s */", text);
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
		if (o->keeps)
			xappendf(to, "\tstruct event event_of_%s;\n", o->name);
	}
	for (unsigned i = 0; i < p->memory.n; i++)
		if (*p->memory.blocks[i].name)
			xappendf(to, "\tchar *%s;\n", p->memory.blocks[i].name);
	for (unsigned i = 0; i < p->ntcp; i++)
		xappendf(to, "\tint %s;\n", p->tcp[i].name);
	for (unsigned i = 0; i < p->ntold; i++) {
		const struct told_bytes *t = &p->told[i];

		if (t->n && replay_told_is_wanted(p, t))
			xappendf(to, "\tunsigned char %s[%zu];\n", t->variable, t->n);
		else if (replay_told_is_wanted(p, t) && !strchr(t->variable, '.'))
			xappendf(to, "\tstruct peer_info %s;\n", t->variable);
	}
	if (c->data)
		xappendf(to, "\tunsigned char data[%zu];\n", c->data);
	text_add(to, "} s;\n");
	if (!p->naddresses)
		return;
	text_add(to, "\n/* Arguments of the program replace them, in this order. */\n"
		     "static const char *address[] = {");
	for (unsigned i = 0; i < p->naddresses; i++)
		xappendf(to, "%s \"%s\"", i ? "," : "", p->address[i]);
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

static void add_main(const struct replay *p, struct text *to)
{
	const struct program *c = p->its;

	xappendf(to, "\nint main(%s)\n{\n\tint rc = EXIT_FAILURE;\n\n",
		 p->naddresses ? "int argc, char **argv" : "void");
	if (p->naddresses)
		xappendf(to,
			 "\tfor (int i = 1; i < argc && i <= %u; i++)\n"
			 "\t\taddress[i - 1] = argv[i];\n",
			 p->naddresses);
	for (unsigned i = 1; i <= c->nparts; i++)
		xappendf(to, "%spart_%u() == 0", i == 1 ? "\tif (" : " &&\n\t    ", i);
	text_add(to, ")\n\t\trc = EXIT_SUCCESS;\n\tif (clean_up())\n\t\trc = EXIT_FAILURE;\n"
		     "\treturn rc;\n}\n");
}

static void add_heading(const struct replay *p, const char *file, struct text *to)
{
	const struct program *c = p->its;
	const char *line = text_str(c->differences), *end;
	const char *addresses = p->naddresses ? " [ADDRESS ...]" : "";

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

	text_resize(c->differences, 0);
	*c = (struct program){ .differences = c->differences };
}

static void end_pass(struct replay *p)
{
	const struct program *c = p->its;
	const uint64_t *lost = p->from->lost;

	program_last_waits(p);
	end_function(p);
	if (lost[0] + lost[1] + c->unknown)
		replay_note(p,
			    "the record has lost the beginning: %llu calls of the control path and "
			    "%llu of the data path, and %u calls are about objects made there",
			    (unsigned long long)lost[0], (unsigned long long)lost[1], c->unknown);
}

const struct replay_back program_back = {
	.is_c = true,
	.sink = call_c_sink,
	.begin = begin_pass,
	.end = end_pass,
	.name = name_object,
	.leaves_out = program_leaves_out,
	.line = write_step,
	.note = write_note,
	.failed = program_failed,
	.prepare = program_prepare,
	.call = program_call,
	.row = program_row,
	.put = program_put,
	.data = program_data,
	.special = program_special,
	.object = program_object,
};

static void write_text(struct replay *p, const char *file, struct text *to)
{
	const char *body = text_str(&p->body);
	SCOPED_TEXT(heading);
	SCOPED_TEXT(patience);
	SCOPED_TEXT(objects);
	SCOPED_TEXT(session);

	text_add(&session, body + strspn(body, "\n"));
	add_clean_up(p, &session);
	add_main(p, &session);
	add_objects(p, &objects);
	add_heading(p, file, &heading);
	xappendf(&patience, "#define PATIENCE %d /* seconds to wait for the peer */\n", PATIENCE);
	template_fill(exported_c,
		      (const struct template_part[]){ { "@heading@\n", text_str(&heading) },
						      { "@patience@\n", text_str(&patience) },
						      { "@objects@\n", text_str(&objects) },
						      { "@session@\n", text_str(&session) },
						      { 0 } },
		      to);
}

unsigned replay_program(const struct replay_source *from, const char *file, struct text *to,
			struct text *differences)
{
	struct program c = { .differences = differences };
	struct replay p = { 0 };

	replay_write(&p, from, &program_back, &c);
	if (c.nparts)
		write_text(&p, file, to);
	replay_free(&p);
	return c.nparts;
}
