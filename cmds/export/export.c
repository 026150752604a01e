/* SPDX-License-Identifier: MIT */
/* export c, export pyverbs: the session so far as a program. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "out.h"
#include "program.h"
#include "script.h"
#include "session.h"
#include "table.h"
#include "xmem.h"

struct export_args {
	const char *path;
	struct num role;
};

static const struct word roles[] = { { "client", END_CLIENT, "the end that connects" },
				     { "server", END_SERVER, "the end that listens" },
				     { 0 } };

static const struct arg export_args[] = {
	POS("file", export_args, path, kind_path, "the program; CMakeLists.txt goes beside it"),
	OPT("role", export_args, role, kind_enum, "of a session with both ends: only this one",
	    .data = roles),
	ARGS_END
};

static int write_text(struct session *s, int fd, const char *path, const Tcl_DString *text)
{
	if (ftruncate(fd, 0))
		return fail_call(s, errno, "export", "%s", path);
	return script_put(s, fd, path, Tcl_DStringValue(text), (size_t)Tcl_DStringLength(text));
}
/* What a user has written is not overwritten: only what export has. */
static int open_own(struct session *s, const char *path, const char *mark)
{
	char begin[64] = "";
	int fd = script_open(s, path, O_RDWR | O_CREAT, 0666);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = pread(fd, begin, strlen(mark), 0);
	if (n == 0 || strcmp(begin, mark) == 0)
		return fd;
	close(fd);
	fail(s, "export", "EEXIST", "%s is there, and was not made by export: not overwritten",
	     path);
	return fail_next(s, "export to another name");
}

static int write_own(struct session *s, const char *path, const char *mark, const Tcl_DString *text)
{
	int fd = open_own(s, path, mark), rc;

	if (fd < 0)
		return -1;
	rc = write_text(s, fd, path, text);
	if (close(fd) && rc == 0)
		rc = fail_call(s, errno, "export", "%s", path);
	return rc;
}

static int write_program(struct session *s, struct program *p, const char *path)
{
	char *copy = xstrdup(path);
	Tcl_DString text;
	int rc;

	Tcl_DStringInit(&text);
	program_text(p, basename(copy), &text);
	rc = write_own(s, path, PROGRAM_MARK, &text);
	Tcl_DStringFree(&text);
	free(copy);
	return rc;
}

/* One that is there already is the user's, or of an earlier export to the same folder. */
static int write_cmake(struct session *s, const char *path, bool *written)
{
	char *copy = xstrdup(path), *copy2 = xstrdup(path);
	char *cmake = xasprintf("%s/CMakeLists.txt", dirname(copy));
	int fd = script_open(s, cmake, O_WRONLY | O_CREAT | O_EXCL, 0666), rc = -1;
	Tcl_DString text;

	Tcl_DStringInit(&text);
	*written = fd >= 0;
	if (fd >= 0) {
		program_cmake(basename(copy2), &text);
		rc = write_text(s, fd, cmake, &text);
		close(fd);
	} else if (s->fail.code && strcmp(s->fail.code, "EEXIST") == 0) {
		fail_clear(&s->fail);
		rc = 0;
	}
	Tcl_DStringFree(&text);
	free(cmake);
	free(copy);
	free(copy2);
	return rc;
}

static void tell_warnings(const struct program *p, struct out *o)
{
	const char *line = Tcl_DStringValue(&p->warnings), *end;

	out_list(o, "warnings");
	for (; (end = strchr(line, '\n')); line = end + 1) {
		char *one = xasprintf("%.*s", (int)(end - line), line);

		out_str(o, NULL, one, "  note: %s\n", one);
		free(one);
	}
	out_end(o);
}

static void tell(const struct program *p, const char *path, bool cmake, struct out *o)
{
	out_str(o, "file", path, "%s: %u function%s", path, p->nphases, p->nphases == 1 ? "" : "s");
	out_bool(o, "cmake", cmake, "%s\n", cmake ? ", CMakeLists.txt beside it" : "");
	tell_warnings(p, o);
}

/* It becomes the name of the target, too. */
static int check_name(struct session *s, const char *path, const char *end)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(name), ends = strlen(end);

	if (len <= ends || strcmp(name + len - ends, end))
		return fail(s, "export", "EINVAL", "'%s': the name ends with %s", path, end);
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
			return fail(s, "export", "EINVAL",
				    "'%s': the name has letters, digits, '_', '-' and '.'", path);
	return 0;
}

static int exec(struct session *s, const void *args, struct out *o)
{
	const struct export_args *a = args;
	struct program p = { .s = s, .role = a->role.set ? (enum end)a->role.v : END_BOTH };
	bool cmake;
	int rc;

	if (check_name(s, a->path, ".c"))
		return -1;
	program_write(&p);
	if (p.nphases == 0)
		rc = fail(s, "export", "ENOENT",
			  p.role ? "nothing in this session is of that role"
				 : "the session has made no calls yet: there is nothing to export");
	else
		rc = write_program(s, &p, a->path);
	if (rc == 0)
		rc = write_cmake(s, a->path, &cmake);
	if (rc == 0)
		tell(&p, a->path, cmake, o);
	program_free(&p);
	return rc;
}

#define SETUP                                                                          \
	"reg 4096 -name window -access local-write,remote-write\n"                     \
	"listen 7471 -address 10.0.0.1 -accept -share window\nconnect 10.0.0.1 7471\n" \
	"reg 4096 -name buf; mem put buf 0 hello\n"

static const struct cmd_eg export_egs[] = {
	{ "post write buf -len 5 -remote [get window addr] -rkey [get window rkey]; poll",
	  "SUCCESS" },
	{ "export c eg-export.c", "eg-export.c" },
	{ "export c eg-client.c -role client", "eg-client.c" },
	{ NULL, NULL }
};

const struct cmd cmd_export_c = {
	.name = "export c",
	.family = "understanding",
	.summary = "write the session so far as a C program",
	.text = "The library calls that went well, in their order, with error checks, and in the\n"
		"end everything destroyed in the right order. Addresses, keys and QP numbers are\n"
		"recognised by their values and become expressions, also where they came from the\n"
		"peer in private data or in bytes that mem get has read; the addresses to connect\n"
		"to are arguments of the program. A session that played both ends gives a program\n"
		"of both, or with -role of one. What is not in the program is told, and stands in\n"
		"it as a comment: calls that failed are left out, and so are bench, rpc, multicast\n"
		"and rereg. A script may write below its own directory (or --allow-dir). Only a\n"
		"file that export has made is overwritten.",
	.setup = SETUP,
	.examples = export_egs,
	.args = export_args,
	.size = sizeof(struct export_args),
	.exec = exec,
};

/* ----------------------------------------------------------- export pyverbs -- */

struct python_args {
	const char *path;
};

static const struct arg python_args[] = { POS("file", python_args, path, kind_path, "the program"),
					  ARGS_END };

static int python_exec(struct session *s, const void *args, struct out *o)
{
	const struct python_args *a = args;
	struct program p = { .s = s };
	char *copy;
	Tcl_DString text;
	int rc;

	if (check_name(s, a->path, ".py"))
		return -1;
	copy = xstrdup(a->path);
	Tcl_DStringInit(&text);
	rc = python_write(&p, basename(copy), &text);
	if (rc == 0)
		rc = write_own(s, a->path, PYTHON_MARK, &text);
	if (rc == 0) {
		out_str(o, "file", a->path, "%s\n", a->path);
		tell_warnings(&p, o);
	}
	Tcl_DStringFree(&text);
	program_free(&p);
	free(copy);
	return rc;
}

static const struct cmd_eg python_egs[] = { { "export pyverbs eg-export.py", "eg-export.py" },
					    { NULL, NULL } };

const struct cmd cmd_export_pyverbs = {
	.name = "export pyverbs",
	.family = "understanding",
	.summary = "write the session so far as a Python program",
	.text = "As export c, on pyverbs (of rdma-core), for QPs that are connected by hand: PD,\n"
		"CQ, regions, QPs and their states, posts and completions. A session that has used\n"
		"the connection manager is refused: use export c. Windows, SRQs and address\n"
		"handles are left out, and named.",
	.setup = "qp create; reg 64 -name buf",
	.examples = python_egs,
	.args = python_args,
	.size = sizeof(struct python_args),
	.exec = python_exec,
};
