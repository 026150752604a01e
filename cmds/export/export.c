/* SPDX-License-Identifier: MIT */
/* export c: the session so far as a C program. */
#include <ctype.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "export/program.h"
#include "file/file.h"
#include "out.h"
#include "session.h"

/* Checks the name of the program, which becomes that of a CMake target, too. */
static int check_name(struct session *s, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(name);

	if (len <= 2 || strcmp(name + len - 2, ".c"))
		return fail(s, "export", "EINVAL", "'%s': the name ends with .c", path);
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
			return fail(
				s, "export", "EINVAL",
				"'%s': the name may have only letters, digits, '_', '-' and '.'",
				path);
	return 0;
}

static void out_warnings(const struct program *p, struct out *o)
{
	const char *line = text_str(&p->warnings), *end;

	out_list(o, "warnings");
	for (; (end = strchr(line, '\n')); line = end + 1) {
		char *one = xasprintf("%.*s", (int)(end - line), line);

		out_str(o, NULL, one, "  note: %s\n", one);
		free(one);
	}
	out_end(o);
}

/* ------------------------------------------------------------- export c -- */

struct export_args {
	const char *path;
	struct num role;
	bool force;
};

static const struct word roles[] = { { "client", END_CLIENT, "the end that connects" },
				     { "server", END_SERVER, "the end that listens" },
				     { 0 } };

static const struct arg export_args[] = {
	POS("file", export_args, path, kind_path, "the program, NAME.c"),
	OPT("role", export_args, role, kind_enum, "only this end of a session that had both",
	    .data = roles),
	SWITCH("force", export_args, force, "replace an existing file"), ARGS_END
};

static int write_text(struct session *s, const char *path, bool force, const struct text *text)
{
	return save_file(s, path, force, 0666, text_str(text), text_len(text));
}

static int write_program(struct session *s, struct program *p, const struct export_args *a)
{
	char *copy = xstrdup(a->path);
	SCOPED_TEXT(text);
	int rc;

	program_text(p, basename(copy), &text);
	rc = write_text(s, a->path, a->force, &text);
	free(copy);
	return rc;
}

/* Keeps an existing file, which is the user's, or that of an earlier export to the same folder. */
static int write_cmake(struct session *s, const char *path, bool *written)
{
	char *copy = xstrdup(path), *copy2 = xstrdup(path);
	char *cmake = xasprintf("%s/CMakeLists.txt", dirname(copy));
	SCOPED_TEXT(text);
	int rc;

	program_cmake(basename(copy2), &text);
	rc = write_text(s, cmake, false, &text);
	*written = rc == 0;
	if (rc && strcmp(s->fail.code, "EEXIST") == 0) {
		fail_clear(&s->fail);
		rc = 0;
	}
	free(cmake);
	free(copy);
	free(copy2);
	return rc;
}

static void out_written(const struct program *p, const char *path, bool cmake, struct out *o)
{
	out_str(o, "file", path, "%s: %u function%s", path, p->nphases, p->nphases == 1 ? "" : "s");
	out_bool(o, "cmake", cmake, "%s\n", cmake ? ", CMakeLists.txt beside it" : "");
	out_warnings(p, o);
}

static int export_c_exec(struct session *s, const void *args, struct out *o)
{
	const struct export_args *a = args;
	struct program p = { .s = s, .role = a->role.set ? (enum end)a->role.v : END_BOTH };
	bool cmake;
	int rc;

	if (check_name(s, a->path))
		return -1;
	program_write(&p);
	if (p.nphases == 0)
		rc = fail(s, "export", "ENOENT",
			  p.role ? "nothing in this session is of that role"
				 : "the session has made no calls yet: there is nothing to export");
	else
		rc = write_program(s, &p, a);
	if (rc == 0)
		rc = write_cmake(s, a->path, &cmake);
	if (rc == 0)
		out_written(&p, a->path, cmake, o);
	program_free(&p);
	return rc;
}

#define SETUP                                                                          \
	"reg 4096 -name window -access local-write,remote-write\n"                     \
	"listen 7471 -address 10.0.0.1 -accept -share window\nconnect 10.0.0.1 7471\n" \
	"reg 4096 -name buf; mem put buf 0 hello\n"

/** Writes the library calls that succeeded, in their order, with error checks; at the end
 * the program destroys everything in the right order. Addresses, keys and QP numbers are
 * recognised by their values and become expressions, also where they came from the peer,
 * in private data or in bytes that mem get has read. The addresses to connect to are
 * arguments of the program. If the session had both ends, so has the program; -role writes
 * one of them. At its end a server waits until its clients have disconnected, unless it
 * disconnected them in the session. Functions that 'call' called are in the program, too.
 * Calls that failed, bench and rereg are left out: export lists them, and comments in the
 * program name them. CMakeLists.txt is written beside the program, unless it exists. A
 * script may write files below its own directory (or --allow-dir).
 * > post write buf -len 5 -remote [get window addr] -rkey [get window rkey]; poll => SUCCESS
 * > export c eg-export.c => eg-export.c
 * > export c eg-client.c -role client => eg-client.c */
const struct cmd cmd_export_c = {
	.name = "export c",
	.family = "understanding",
	.summary = "write the session so far as a C program",
	.setup = SETUP,
	.args = export_args,
	.exec = export_c_exec,
};
