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

static void add_objects(const struct program *p, Tcl_DString *text)
{
	Tcl_DStringAppend(text,
			  "/* The objects of the session, with their names. */\n"
			  "static struct {\n",
			  -1);
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
	Tcl_DStringAppend(text, "} s;\n", -1);
	if (!p->naddresses)
		return;
	Tcl_DStringAppend(text,
			  "\n/* Arguments of the program replace them, in this order. */\n"
			  "static const char *address[] = {",
			  -1);
	for (unsigned i = 0; i < p->naddresses; i++)
		xappendf(text, "%s \"%s\"", i ? "," : "", p->address[i]);
	Tcl_DStringAppend(text, " };\n", -1);
}

/* ----------------------------------------------------------- clean-up, main -- */

/* Windows are destroyed first, because they use other objects; then the newest first. */
static void add_clean_up(struct program *p, Tcl_DString *text)
{
	Tcl_DStringAppend(text,
			  "\n/* Destroys the remaining objects, users before what they use. */\n"
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

static void add_heading(const struct program *p, const char *file, Tcl_DString *text)
{
	const char *line = Tcl_DStringValue(&p->warnings), *end;

	xappendf(text,
		 "%s: what the session did, call by call.\n *\n"
		 " *	cc -o program %s -lrdmacm -libverbs\n *	./program%s\n"
		 " * uroce ./program%s (without an RDMA device)\n *\n"
		 " * A server listens on the same ports as the session: end rdmash first.\n",
		 PROGRAM_MARK, file, p->naddresses ? " [ADDRESS ...]" : "",
		 p->naddresses ? " [ADDRESS ...]" : "");
	if (*line)
		Tcl_DStringAppend(text, " *\n * Different from the session:\n", -1);
	for (; (end = strchr(line, '\n')); line = end + 1)
		xappendf(text, " * - %.*s\n", (int)(end - line), line);
	Tcl_DStringAppend(text, " */\n", -1);
}

/* -------------------------------------------------------------------- the whole -- */

void program_text(struct program *p, const char *file, Tcl_DString *text)
{
	const char *body = Tcl_DStringValue(&p->body);
	SCOPED_TEXT(heading);
	SCOPED_TEXT(patience);
	SCOPED_TEXT(objects);
	SCOPED_TEXT(session);

	Tcl_DStringAppend(&session, body + strspn(body, "\n"), -1);
	add_clean_up(p, &session);
	add_main(p, &session);
	add_objects(p, &objects);
	add_heading(p, file, &heading);
	xappendf(&patience, "#define PATIENCE %d /* seconds to wait for the peer */\n", PATIENCE);
	template_fill(
		exported_c,
		(const struct template_part[]){ { "@heading@\n", Tcl_DStringValue(&heading) },
						{ "@patience@\n", Tcl_DStringValue(&patience) },
						{ "@objects@\n", Tcl_DStringValue(&objects) },
						{ "@session@\n", Tcl_DStringValue(&session) },
						{ 0 } },
		text);
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
