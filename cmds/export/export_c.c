/* SPDX-License-Identifier: MIT */
/* export c: the session so far as a C program. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "export_file.h"
#include "file.h"
#include "out.h"
#include "program.h"
#include "session.h"
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

static int write_program(struct session *s, struct program *p, const char *path)
{
	char *copy = xstrdup(path);
	Tcl_DString text;
	int rc;

	Tcl_DStringInit(&text);
	program_text(p, basename(copy), &text);
	rc = export_write(s, path, PROGRAM_MARK, &text);
	Tcl_DStringFree(&text);
	free(copy);
	return rc;
}

/* One that is there already is the user's, or of an earlier export to the same folder. */
static int write_cmake(struct session *s, const char *path, bool *written)
{
	char *copy = xstrdup(path), *copy2 = xstrdup(path);
	char *cmake = xasprintf("%s/CMakeLists.txt", dirname(copy));
	int fd = file_open(s, cmake, O_WRONLY | O_CREAT | O_EXCL, 0666), rc = -1;
	Tcl_DString text;

	Tcl_DStringInit(&text);
	*written = fd >= 0;
	if (fd >= 0) {
		program_cmake(basename(copy2), &text);
		rc = export_put(s, fd, cmake, &text);
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

static void tell(const struct program *p, const char *path, bool cmake, struct out *o)
{
	out_str(o, "file", path, "%s: %u function%s", path, p->nphases, p->nphases == 1 ? "" : "s");
	out_bool(o, "cmake", cmake, "%s\n", cmake ? ", CMakeLists.txt beside it" : "");
	export_tell(p, o);
}

static int exec(struct session *s, const void *args, struct out *o)
{
	const struct export_args *a = args;
	struct program p = { .s = s, .role = a->role.set ? (enum end)a->role.v : END_BOTH };
	bool cmake;
	int rc;

	if (export_check_name(s, a->path, ".c"))
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
