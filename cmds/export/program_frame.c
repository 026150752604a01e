/* SPDX-License-Identifier: MIT */
/*
 * What stands around the functions of the session: heading, variables, clean-up, main.
 * exported.c.in has the order of all, and the structs and functions of which a program has those
 * that it uses.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "export/program.h"

/* ---------------------------------------------------------------- variables -- */

/* The struct that a member of the program points to. */
static const char *type_of(const struct var *v)
{
	return call_objects[v->kind].name;
}

static bool is_member(const struct var *v)
{
	return v->written && !(v->whole && !v->made);
}

static void add_objects(struct program *p, const char *file, Tcl_DString *text)
{
	(void)file;
	Tcl_DStringAppend(text,
			  "/* The objects of the session, by their names there. */\n"
			  "static struct {\n",
			  -1);
	for (unsigned i = 0; i < p->nvars; i++) {
		const struct var *v = p->vars[i];

		if (!is_written(v))
			continue;
		if (is_member(v))
			xappendf(text, "\tstruct %s *%s;\n", type_of(v), v->name);
		if (v->keeps && v->kind == OBJECT_QP)
			xappendf(text, "\tstruct told peer_of_%s;\n", v->name);
		else if (v->keeps)
			xappendf(text, "\tstruct event event_of_%s;\n", v->name);
	}
	for (unsigned i = 0; i < p->list->n; i++)
		if (p->got[i] && p->list->v[i].args[4])
			xappendf(text, "\tunsigned char bytes_%u[%llu];\n", i,
				 (unsigned long long)p->list->v[i].args[4]);
	Tcl_DStringAppend(text, "} s;\n", -1);
	if (!p->naddresses)
		return;
	Tcl_DStringAppend(text,
			  "\n/* May be given as arguments, in this order. */\n"
			  "static const char *address[] = {",
			  -1);
	for (unsigned i = 0; i < p->naddresses; i++)
		xappendf(text, "%s \"%s\"", i ? "," : "", p->address[i]);
	Tcl_DStringAppend(text, " };\n", -1);
}

/* ----------------------------------------------------------- clean-up, main -- */

/* Windows hold on to their siblings: they go first, else what came last. */
static void add_clean_up(struct program *p, Tcl_DString *text)
{
	Tcl_DStringAppend(text,
			  "\n/* What is still there, users before what they use. */\n"
			  "static int clean_up(void)\n{\n\tint rc = 0;\n\n",
			  -1);
	for (int first = 1; first >= 0; first--)
		for (unsigned i = p->nvars; i-- > 0;)
			if ((p->vars[i]->kind == OBJECT_MW) == first && is_written(p->vars[i]))
				write_clean_up(p, p->vars[i], text);
	Tcl_DStringAppend(text, "\treturn rc;\n}\n", -1);
}

static void add_main(const struct program *p, Tcl_DString *text)
{
	const char *phase = Tcl_DStringValue(&p->phases);
	const char *open = "\tif (";

	xappendf(text, "\nint main(%s)\n{\n\tint rc = EXIT_FAILURE;\n\n",
		 p->naddresses ? "int argc, char **argv" : "void");
	if (p->naddresses)
		xappendf(text,
			 "\tfor (int i = 1; i < argc && i <= %u; i++)\n"
			 "\t\taddress[i - 1] = argv[i];\n",
			 p->naddresses);
	while (*phase) {
		int len = (int)strcspn(phase, " ");

		xappendf(text, "%s%.*s() == 0", open, len, phase);
		open = " &&\n\t    ";
		phase += len + (phase[len] != 0);
	}
	xappendf(text,
		 "%s\trc = EXIT_SUCCESS;\n\tif (clean_up())\n\t\trc = EXIT_FAILURE;\n"
		 "\treturn rc;\n}\n",
		 p->nphases ? ")\n\t" : "");
}

static void add_heading(struct program *p, const char *file, Tcl_DString *text)
{
	const char *line = Tcl_DStringValue(&p->warnings), *end;

	xappendf(text,
		 "%s: what the session did, call by call.\n *\n"
		 " *	cc -o program %s -lrdmacm -libverbs\n *	./program%s\n"
		 " *	uroce ./program%s	(where no RDMA device is)\n *\n"
		 " * It listens at the same ports as the session: end rdmash first.\n",
		 PROGRAM_MARK, file, p->naddresses ? " [ADDRESS ...]" : "",
		 p->naddresses ? " [ADDRESS ...]" : "");
	if (*line)
		Tcl_DStringAppend(text, " *\n * Not as it was:\n", -1);
	for (; (end = strchr(line, '\n')); line = end + 1)
		xappendf(text, " * - %.*s\n", (int)(end - line), line);
	Tcl_DStringAppend(text, " */\n", -1);
}

/* -------------------------------------------------------------------- the whole -- */

static void add_patience(struct program *p, const char *file, Tcl_DString *text)
{
	(void)p, (void)file;
	xappendf(text, "#define PATIENCE %d /* seconds to wait for the peer */\n", PATIENCE);
}

static void add_session(struct program *p, const char *file, Tcl_DString *text)
{
	const char *body = Tcl_DStringValue(&p->body);

	(void)file;
	Tcl_DStringAppend(text, body + strspn(body, "\n"), -1);
	add_clean_up(p, text);
	add_main(p, text);
}

/* The parts of exported.c.in that are of this session. */
static const struct {
	const char *part;
	void (*add)(struct program *p, const char *file, Tcl_DString *text);
} own_parts[] = {
	{ "@heading@\n", add_heading },
	{ "@patience@\n", add_patience },
	{ "@objects@\n", add_objects },
	{ "@session@\n", add_session },
};

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* By what other parts use the one that defines it: "check(" or "struct told ", as a temp_text();
 * "": it defines nothing. */
static const char *defined_word(const char *part)
{
	const char *begin = strncmp(part, "/*", 2) == 0 ? strchr(part, '\n') + 1 : part, *end;

	if (strncmp(begin, "struct ", 7) == 0)
		return temp_text("%.*s", (int)strcspn(begin, "{"), begin);
	if (strncmp(begin, "static ", 7) != 0)
		return "";
	begin = end = strchr(begin, '(');
	while (is_of_word(begin[-1]))
		begin--;
	return temp_text("%.*s", (int)(end + 1 - begin), begin);
}

/* Does the code use it? Strings and comments do not. */
static bool uses(const char *code, const char *word)
{
	size_t len = strlen(word);
	char before = ' ';

	for (const char *c = code; *c; before = *c++) {
		const char *end = strncmp(c, "/*", 2) == 0 ? strstr(c, "*/") : NULL;

		if (end)
			c = end + 1;
		else if (*c == '"')
			for (c++; c[0] && c[0] != '"' && c[1]; c++)
				c += *c == '\\';
		else if (!is_of_word(before) && strncmp(c, word, len) == 0)
			return true;
	}
	return false;
}

/* Cuts the last part off the text: an empty line that is not within a function stands before it.
 * The first part is the text itself. */
static char *cut_last_part(char *text)
{
	for (char *at = text + strlen(text); at > text + 2; at--)
		if (at[-1] == '\n' && at[-2] == '\n' && *at && *at != '\t') {
			at[-1] = '\0';
			return at;
		}
	return text;
}

/* Puts the part before the code, if it is of use there. */
static void add_part(struct program *p, const char *file, const char *part, Tcl_DString *code)
{
	const char *word = defined_word(part);
	SCOPED_TEXT(later);

	if (*word && !uses(Tcl_DStringValue(code), word))
		return;
	Tcl_DStringAppend(&later, Tcl_DStringValue(code), -1);
	Tcl_DStringSetLength(code, 0);
	for (size_t i = 0; i < sizeof own_parts / sizeof *own_parts; i++)
		if (strcmp(part, own_parts[i].part) == 0)
			own_parts[i].add(p, file, code);
	if (*part != '@')
		Tcl_DStringAppend(code, part, -1);
	xappendf(code, "%s%s", Tcl_DStringLength(&later) ? "\n" : "", Tcl_DStringValue(&later));
}

void program_text(struct program *p, const char *file, Tcl_DString *text)
{
	char *parts = xstrdup(exported_c), *part;
	SCOPED_TEXT(code);

	do {
		part = cut_last_part(parts);
		add_part(p, file, part, &code);
	} while (part != parts);
	Tcl_DStringAppend(text, Tcl_DStringValue(&code), Tcl_DStringLength(&code));
	free(parts);
}

void program_cmake(const char *file, Tcl_DString *text)
{
	const char *dot = strrchr(file, '.');
	int len = dot ? (int)(dot - file) : (int)strlen(file);

	xappendf(text,
		 "# The program that rdmash has exported: cmake -B build && cmake --build build\n"
		 "cmake_minimum_required(VERSION 3.16)\n"
		 "project(exported C)\n\n"
		 "set(CMAKE_C_STANDARD 11)\n"
		 "find_package(PkgConfig REQUIRED)\n"
		 "pkg_check_modules(VERBS REQUIRED IMPORTED_TARGET libibverbs librdmacm)\n"
		 "add_executable(\"%.*s\" \"%s\")\n"
		 "target_compile_options(\"%.*s\" PRIVATE -Wall -Wextra)\n"
		 "target_link_libraries(\"%.*s\" PkgConfig::VERBS)\n",
		 len, file, file, len, file, len, file);
}
