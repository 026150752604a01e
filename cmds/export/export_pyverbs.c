/* SPDX-License-Identifier: MIT */
/* export pyverbs: the session so far as a Python program. */
#include <libgen.h>
#include <stdlib.h>

#include "command/args.h"
#include "command/cmd.h"
#include "export/export_file.h"
#include "export/program.h"
#include "file/save.h"
#include "output/out.h"
#include "session.h"
#include "alloc.h"

struct python_args {
	const char *path;
	bool force;
};

static const struct arg python_args[] = {
	POS("file", python_args, path, kind_path, "the program"),
	SWITCH("force", python_args, force, "replace a program that is there"), ARGS_END
};

static int python_exec(struct session *s, const void *args, struct out *o)
{
	const struct python_args *a = args;
	struct program p = { .s = s };
	char *copy;
	Tcl_DString text;
	int rc;

	if (export_check_name(s, a->path, ".py"))
		return -1;
	copy = xstrdup(a->path);
	Tcl_DStringInit(&text);
	rc = python_write(&p, basename(copy), &text);
	if (rc == 0)
		rc = save_file(s, a->path, a->force, 0666, Tcl_DStringValue(&text),
			       (size_t)Tcl_DStringLength(&text));
	if (rc == 0) {
		out_str(o, "file", a->path, "%s\n", a->path);
		export_tell(&p, o);
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
