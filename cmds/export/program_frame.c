/* SPDX-License-Identifier: MIT */
/*
 * Everything around the functions of the session: heading, variables, clean-up, main. exported.c.in
 * has their order, and structs and functions, of which the program gets those that it uses.
 */
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "export/program.h"
#include "export/template.h"

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

static void add_objects(const struct program *p, struct text *text)
{
	text_add(text, "/* The objects of the session, with their names. */\n"
		       "static struct {\n");
	for (unsigned i = 0; i < p->nvars; i++) {
		const struct var *v = p->vars[i];

		if (!is_written(v))
			continue;
		if (is_member(v))
			xappendf(text, "\tstruct %s *%s;\n", type_of(v), v->name);
		if (v->keeps && v->kind == OBJECT_QP)
			xappendf(text, "\tstruct peer_info peer_of_%s;\n", v->name);
		else if (v->keeps)
			xappendf(text, "\tstruct event event_of_%s;\n", v->name);
	}
	for (unsigned i = 0; i < p->list->n; i++)
		if (p->got[i] && p->list->v[i].args[4])
			xappendf(text, "\tunsigned char bytes_%u[%llu];\n", i,
				 (unsigned long long)p->list->v[i].args[4]);
	text_add(text, "} s;\n");
	if (!p->naddresses)
		return;
	text_add(text, "\n/* Arguments of the program replace them, in this order. */\n"
		       "static const char *address[] = {");
	for (unsigned i = 0; i < p->naddresses; i++)
		xappendf(text, "%s \"%s\"", i ? "," : "", p->address[i]);
	text_add(text, " };\n");
}

/* ----------------------------------------------------------- clean-up, main -- */

/* Windows are destroyed first, because they use other objects; then the newest first. */
static void add_clean_up(struct program *p, struct text *text)
{
	text_add(text, "\n/* Destroys the remaining objects, users before what they use. */\n"
		       "static int clean_up(void)\n{\n\tint rc = 0;\n\n");
	for (int first = 1; first >= 0; first--)
		for (unsigned i = p->nvars; i-- > 0;)
			if ((p->vars[i]->kind == OBJECT_MW) == first && is_written(p->vars[i]))
				write_clean_up(p, p->vars[i], text);
	text_add(text, "\treturn rc;\n}\n");
}

static void add_main(const struct program *p, struct text *text)
{
	const char *phase = text_str(&p->phases);
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

static void add_heading(const struct program *p, const char *file, struct text *text)
{
	const char *line = text_str(&p->warnings), *end;

	xappendf(text,
		 "%s: what the session did, call by call.\n *\n"
		 " *	cc -o program %s -lrdmacm -libverbs\n *	./program%s\n"
		 " * uroce ./program%s (without an RDMA device)\n *\n"
		 " * A server listens on the same ports as the session: end rdmash first.\n",
		 PROGRAM_MARK, file, p->naddresses ? " [ADDRESS ...]" : "",
		 p->naddresses ? " [ADDRESS ...]" : "");
	if (*line)
		text_add(text, " *\n * Different from the session:\n");
	for (; (end = strchr(line, '\n')); line = end + 1)
		xappendf(text, " * - %.*s\n", (int)(end - line), line);
	text_add(text, " */\n");
}

/* -------------------------------------------------------------------- the whole -- */

void program_text(struct program *p, const char *file, struct text *text)
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
		      text);
}

void program_cmake(const char *file, struct text *text)
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
