/* SPDX-License-Identifier: MIT */
/* export c: the session so far as a C program. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "device/device.h"
#include "replay.h"
#include "file/file.h"
#include "out.h"
#include "own_rows.h"
#include "recorded.h"
#include "session.h"

/* Checks the name of the program, which is written into it, too. */
static int check_name(struct session *s, const char *path)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-.";
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const size_t len = strlen(name);

	if (len <= 2 || strcmp(name + len - 2, ".c") != 0 || strspn(name, letters) < len)
		return fail(s, "export", "EINVAL",
			    "'%s': the name has letters, digits, '_', '-' and '.', and ends with "
			    ".c",
			    path);
	return 0;
}

/* ------------------------------------------------------------------ the record -- */

static enum replay_row row_in_replay(const struct record *r)
{
	const unsigned row = own_row_of(r);

	if (row < OWN_FIRST)
		return r->ended && !r->depth ? REPLAY_CALL : REPLAY_IGNORED;
	if (row >= OWN_TCP_LISTEN && row <= OWN_TCP_CLOSE)
		return REPLAY_LISTEN + (row - OWN_TCP_LISTEN);
	switch (row) {
	case OWN_MEM_PUT:
		return REPLAY_PUT;
	case OWN_MEM_GET:
		return REPLAY_GET;
	case OWN_OOB:
		return REPLAY_EXCHANGE;
	case OWN_LEFT_OUT:
		return REPLAY_LEFT_OUT;
	default:
		return REPLAY_IGNORED;
	}
}

static struct replay_gid *add_gids(struct replay_gid *all, unsigned *n, const struct dev *dev)
{
	struct ibv_port_attr port;
	SCOPED_GIDS(rows);
	const int nrows = gid_table(dev, 0, &rows);

	for (int i = 0; i < nrows; i++) {
		const struct ibv_gid_entry *e = &rows[i].e;

		if (ibv_query_port(dev->v, (uint8_t)e->port_num, &port))
			continue;
		all = xgrow(all, *n, sizeof *all);
		all[(*n)++] = (struct replay_gid){ .context = (uintptr_t)dev->v,
						   .port = (uint8_t)e->port_num,
						   .index = (int)e->gid_index,
						   .gid = e->gid,
						   .lid = port.lid };
	}
	return all;
}

static unsigned write_program(struct session *s, const char *file, struct text *program,
			      struct text *differences)
{
	struct record_list *list = record_list(~0u, 0);
	struct replay_source from = { .objects = &record_own_objects, .ncalls = list->n };
	struct replay_gid *gids = NULL;
	const struct dev *dev;
	unsigned n;

	memcpy(from.lost, list->lost, sizeof from.lost);
	from.calls = xcalloc(list->n + 1, sizeof *from.calls);
	for (unsigned i = 0; i < list->n; i++)
		from.calls[i] = (struct replay_call){ .r = list->v[i],
						      .row = row_in_replay(&list->v[i]) };
	record_aside(1);
	obj_foreach_of(dev, s, &dev_class)
		gids = add_gids(gids, &from.ngids, dev);
	record_aside(-1);
	from.gids = gids;
	n = replay_program(&from, file, program, differences);
	free(from.calls);
	free(gids);
	record_list_free(list);
	return n;
}

static void out_differences(const struct text *differences, struct out *o)
{
	const char *line = text_str(differences), *end;

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
	bool force;
};

static const struct arg export_args[] = {
	POS("file", export_args, path, kind_path, "the program, NAME.c"),
	SWITCH("force", export_args, force, "replace an existing file"), ARGS_END
};

static int export_c_exec(struct session *s, const void *args, struct out *o)
{
	const struct export_args *a = args;
	const char *slash = strrchr(a->path, '/');
	SCOPED_TEXT(program);
	SCOPED_TEXT(differences);
	unsigned n;

	if (check_name(s, a->path))
		return -1;
	n = write_program(s, slash ? slash + 1 : a->path, &program, &differences);
	if (n == 0)
		return fail(s, "export", "ENOENT",
			    "the session has made no calls yet: there is nothing to export");
	if (save_file(s, a->path, a->force, 0666, text_str(&program), text_len(&program)))
		return -1;
	out_str(o, "file", a->path, "%s: %u function%s\n", a->path, n, n == 1 ? "" : "s");
	out_differences(&differences, o);
	return 0;
}

#define SETUP                                                                          \
	"reg 4096 -name window -access local-write,remote-write\n"                     \
	"listen 7471 -address 10.0.0.1 -accept -share window\nconnect 10.0.0.1 7471\n" \
	"reg 4096 -name buf; mem put buf 0 hello\n"

/** Writes the library calls that succeeded, in their order, with error checks; at the end
 * the program destroys everything in the right order. Addresses, keys and QP numbers are
 * recognised by their values and become expressions, also where they came from the peer,
 * in private data, over TCP (tcp recv) or in bytes that mem get has read. The addresses to
 * connect to are arguments of the program. If the session had both ends, so has the program; for
 * one end alone it is written in a session of that end. At its end a server waits until its clients
 * have disconnected, unless it disconnected them in the session. Functions that 'call' called are
 * in the program, too. Calls that failed, bench and rereg are left out: export lists them, and
 * comments in the program name them, and its first lines say how to compile it. A script may write
 * files below its own directory (or --allow-dir).
 * > post write buf -len 5 -remote [get window addr] -rkey [get window rkey]; poll => SUCCESS
 * > export c eg-export.c => eg-export.c */
const struct cmd cmd_export_c = {
	.name = "export c",
	.family = "understanding",
	.summary = "write the session so far as a C program",
	.setup = SETUP,
	.args = export_args,
	.exec = export_c_exec,
};
