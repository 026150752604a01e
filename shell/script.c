/* SPDX-License-Identifier: MIT */
/*
 * Running text, one top-level command at a time.
 *
 * Tcl knows exact lines (through procs, loops and continued lines) only of scripts read
 * from files. So each command is handed over as a file of its own in memory, after as many
 * empty lines as stand before it in the script.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interp.h"
#include "record.h"
#include "script.h"
#include "session.h"
#include "xmem.h"

#define SCRIPT_MAX   (16u << 20) /* bytes */
#define SCRIPT_DEPTH 16		 /* files that source files */

/* ------------------------------------------------------------ where we are -- */

/* The file descriptor in a path that the interpreter gives: /proc/PID/fd/N. */
static const struct script *script_of(struct session *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	int fd = slash ? atoi(slash + 1) : -1;

	for (const struct script *sc = s->script; sc; sc = sc->parent)
		if (sc->fd == fd)
			return sc;
	return NULL;
}

static const char *dict_str(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *k = Tcl_NewStringObj(key, -1), *v = NULL;

	Tcl_IncrRefCount(k);
	Tcl_DictObjGet(NULL, dict, k, &v);
	Tcl_DecrRefCount(k);
	return v ? Tcl_GetString(v) : NULL;
}

/* Appends the position of one frame; false: it is not one a person would recognise. */
static bool append_frame(struct session *s, Tcl_Obj *frame, bool first, Tcl_DString *where)
{
	const char *file = dict_str(frame, "file"), *line = dict_str(frame, "line");
	const char *proc = dict_str(frame, "proc");
	const struct script *sc;
	char *text;

	if (!file || !line)
		return false;
	sc = script_of(s, file);
	if (!sc || !sc->name)
		return false;
	text = xasprintf("%s%s:%s%s%s", first ? "" : " < ", sc->name, line, proc ? " in " : "",
			 proc ? proc + (strncmp(proc, "::", 2) == 0 ? 2 : 0) : "");
	Tcl_DStringAppend(where, text, -1);
	free(text);
	return true;
}

static int frame_count(struct session *s)
{
	int n = 0;

	if (Tcl_Eval(s->tcl, "::info frame") != TCL_OK ||
	    Tcl_GetIntFromObj(NULL, Tcl_GetObjResult(s->tcl), &n) != TCL_OK)
		return 0;
	return n;
}

void script_where(struct session *s, Tcl_DString *where)
{
	Tcl_InterpState saved;
	bool any = false;

	if (!s->script || !s->script->name)
		return;
	saved = Tcl_SaveInterpState(s->tcl, TCL_OK);
	for (int n = frame_count(s); n > 0; n--) {
		char *ask = xasprintf("::info frame %d", n);
		Tcl_Obj *frame;

		if (Tcl_Eval(s->tcl, ask) == TCL_OK) {
			frame = Tcl_GetObjResult(s->tcl);
			Tcl_IncrRefCount(frame);
			any |= append_frame(s, frame, !any, where);
			Tcl_DecrRefCount(frame);
		}
		free(ask);
	}
	Tcl_RestoreInterpState(s->tcl, saved);
	if (!any) {
		char *text = xasprintf("%s:%u", s->script->name, s->script->line);

		Tcl_DStringAppend(where, text, -1);
		free(text);
	}
}

/* ---------------------------------------------------------------- printing -- */

static void report(struct session *s)
{
	Tcl_DString rows;
	const char *where = s->fail.where;

	if (loop_interrupted(s->loop) || loop_ending(s->loop)) {
		fprintf(stderr, "%s%sinterrupted\n", where ? where : "", where && *where ? ": " : "");
		return;
	}
	Tcl_DStringInit(&rows);
	fail_rows(&s->fail, &rows);
	fprintf(stderr, "%s%s: %s\n%s", s->opt.color ? "\033[31m" : "",
		where && *where ? where : "error", s->fail.text, s->opt.color ? "\033[0m" : "");
	fputs(Tcl_DStringValue(&rows), stderr);
	Tcl_DStringFree(&rows);
}

static void print_result(struct session *s, bool ours)
{
	const char *text;
	Tcl_DString d;

	if (s->opt.quiet)
		return;
	if (ours) {
		if (!s->last)
			return;
		Tcl_DStringInit(&d);
		out_print(s->last, s->opt.format, &d);
		fputs(Tcl_DStringValue(&d), stdout);
		Tcl_DStringFree(&d);
	} else if (s->opt.interactive && !s->script->name) {
		text = Tcl_GetStringResult(s->tcl);
		if (*text)
			printf("%s\n", text);
	}
	fflush(stdout);
}

static void echo_command(struct session *s, const char *command, int len)
{
	unsigned depth = 0;

	for (const struct script *sc = s->script; sc; sc = sc->parent)
		depth++;
	for (; depth; depth--)
		fputc('+', stderr);
	fprintf(stderr, " %.*s\n", len, command);
}

/* ----------------------------------------------------------------- running -- */

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The command alone, on its own line of the script. */
static int put_in_memory(const struct script *sc, const char *command, int len)
{
	static const char empty[] = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";

	if (ftruncate(sc->fd, 0) || lseek(sc->fd, 0, SEEK_SET))
		return -1;
	for (unsigned left = sc->line - 1; left;) {
		unsigned n = left < sizeof empty - 1 ? left : sizeof empty - 1;

		if (write_all(sc->fd, empty, n))
			return -1;
		left -= n;
	}
	return write_all(sc->fd, command, (size_t)len);
}

static int eval_command(struct session *s, const char *command, int len)
{
	char *path = xasprintf("/proc/%d/fd/%d", (int)getpid(), s->script->fd);
	Tcl_Obj *file = Tcl_NewStringObj(path, -1);
	int rc;

	free(path);
	Tcl_IncrRefCount(file);
	fail_clear(&s->fail);
	out_free(s->last);
	s->last = NULL;
	if (put_in_memory(s->script, command, len)) {
		fail_call(s, errno, "memfd_create", "script in memory");
		Tcl_SetObjResult(s->tcl, Tcl_NewStringObj(s->fail.text, -1));
		rc = TCL_ERROR;
	} else {
		rc = Tcl_FSEvalFileEx(s->tcl, file, "utf-8");
	}
	Tcl_DecrRefCount(file);
	if (rc == TCL_ERROR)
		interp_fail(s);
	return rc;
}

static unsigned count_lines(const char *from, const char *to)
{
	unsigned n = 0;

	for (; from < to; from++)
		n += *from == '\n';
	return n;
}

/* Runs one command; prints its result. A Tcl result code. */
static int run_command(struct session *s, const char *command, int len)
{
	int rc;

	if (s->opt.echo)
		echo_command(s, command, len);
	rc = eval_command(s, command, len);
	if (rc == TCL_OK)
		print_result(s, interp_ours(s, command, len));
	return rc;
}

/* For a top level: what an error means there. */
static bool go_on(struct session *s, bool print)
{
	if (!print)
		return false;
	report(s);
	return s->opt.keep_going && !loop_interrupted(s->loop) && !loop_ending(s->loop) &&
	       !s->skipped;
}

static int run_commands(struct session *s, const char *text, bool print)
{
	const char *p = text, *end = text + strlen(text);
	unsigned line = s->script->line;
	int result = TCL_OK;

	while (p < end && !s->quit) {
		Tcl_Parse parse;
		int rc, len;

		if (Tcl_ParseCommand(s->tcl, p, (int)(end - p), 0, &parse) != TCL_OK) {
			s->script->line = line;
			fail(s, "script", "SYNTAX", "%s, in the command that begins here",
			     Tcl_GetStringResult(s->tcl));
			Tcl_SetObjResult(s->tcl, Tcl_NewStringObj(s->fail.text, -1));
			s->fail.where = s->script->name
						? xasprintf("%s:%u", s->script->name, line)
						: NULL;
			if (print)
				report(s);
			return TCL_ERROR;
		}
		line += count_lines(p, parse.commandStart);
		len = parse.commandSize;
		p = parse.commandStart;
		while (len && strchr("\n;", p[len - 1]))
			len--;
		s->script->line = line;
		rc = parse.numWords ? run_command(s, p, len) : TCL_OK;
		if (!s->script->parent && !s->script->name)
			record_note(s, p, len, rc == TCL_ERROR);
		line += count_lines(p, p + parse.commandSize);
		p += parse.commandSize;
		Tcl_FreeParse(&parse);
		if (rc != TCL_OK && rc != TCL_ERROR)
			return rc; /* break, continue, return */
		if (rc == TCL_ERROR) {
			result = TCL_ERROR;
			if (!go_on(s, print))
				break;
		}
	}
	return result;
}

static int run(struct session *s, const char *name, const char *dir, const char *text, bool print)
{
	struct script script = { .parent = s->script, .name = name, .dir = dir, .line = 1 };
	unsigned depth = 0;
	int rc;

	for (const struct script *sc = s->script; sc; sc = sc->parent)
		if (++depth == SCRIPT_DEPTH) {
			fail(s, "source", "DEPTH", "scripts source each other more than %d deep",
			     SCRIPT_DEPTH);
			return TCL_ERROR;
		}
	script.fd = memfd_create("script", MFD_CLOEXEC);
	if (script.fd < 0) {
		fail_call(s, errno, "memfd_create", "script in memory");
		return TCL_ERROR;
	}
	s->script = &script;
	rc = run_commands(s, text, print);
	s->script = script.parent;
	close(script.fd);
	return rc;
}

int script_run(struct session *s, const char *name, const char *dir, const char *text)
{
	return run(s, name, dir, text, true) == TCL_ERROR ? -1 : 0;
}

int script_body(struct session *s, Tcl_Obj *body)
{
	/* results are printed when the body's caller is a top-level command itself */
	return interp_eval(s, body);
}

/* ------------------------------------------------------------------- files -- */

static int beneath(const char *root, const char *path, int flags, unsigned mode)
{
	struct open_how how = { .flags = (uint64_t)flags,
				.mode = flags & O_CREAT ? mode : 0,
				.resolve = RESOLVE_BENEATH };
	size_t len = strlen(root);
	int dir, fd;

	if (*path == '/') {
		if (strncmp(path, root, len) != 0 || path[len] != '/')
			return -EXDEV;
		path += len + strspn(path + len, "/");
	}
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

static int open_gated(struct session *s, const char *path, int flags, unsigned mode)
{
	int fd = beneath(s->script->dir, path, flags, mode);

	for (const char **d = s->opt.allow_dirs; fd == -EXDEV && d && *d; d++)
		fd = beneath(*d, path, flags, mode);
	if (fd == -EXDEV) {
		fail(s, "open", "EXDEV", "%s is outside the script's directory %s", path,
		     s->script->dir);
		return fail_next(s, "rdmash --allow-dir DIR ... lets scripts use files below DIR");
	}
	if (fd < 0)
		return fail_call(s, -fd, "open", "%s", path);
	return fd;
}

int script_open(struct session *s, const char *path, int flags, unsigned mode)
{
	int fd;

	flags |= O_CLOEXEC;
	if (s->script && s->script->dir && !s->opt.unsafe)
		return open_gated(s, path, flags, mode);
	fd = open(path, flags, mode);
	return fd < 0 ? fail_call(s, errno, "open", "%s", path) : fd;
}

static char *slurp(struct session *s, int fd, const char *path)
{
	size_t len = 0, room = 4096;
	char *text = xcalloc(1, room);
	ssize_t n;

	while ((n = read(fd, text + len, room - len - 1)) > 0) {
		len += (size_t)n;
		if (len > SCRIPT_MAX) {
			fail(s, "source", "EFBIG", "%s is larger than %u MiB: not a script", path,
			     SCRIPT_MAX >> 20);
			break;
		}
		if (room - len < 4096)
			text = xrealloc(text, room *= 2, 1);
	}
	if (n < 0)
		fail_call(s, errno, "read", "%s", path);
	else if (n == 0 && memchr(text, 0, len))
		fail(s, "source", "EILSEQ", "%s is binary: it has zero bytes", path);
	else if (n == 0) {
		text[len] = 0;
		return text;
	}
	free(text);
	return NULL;
}

/* Text and directory of a file; -1 with s->fail filled. */
static int read_script(struct session *s, const char *path, char **text, char **dir)
{
	bool in = strcmp(path, "-") == 0;
	int fd = in ? STDIN_FILENO : script_open(s, path, O_RDONLY, 0);
	char link[64];
	char real[PATH_MAX];
	ssize_t n;

	if (fd < 0)
		return -1;
	*text = slurp(s, fd, in ? "standard input" : path);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = in ? -1 : readlink(link, real, sizeof real - 1);
	if (n > 0) {
		real[n] = 0;
		*dir = xstrdup(dirname(real));
	} else {
		*dir = getcwd(real, sizeof real) ? xstrdup(real) : xstrdup("/");
	}
	if (!in)
		close(fd);
	if (*text)
		return 0;
	free(*dir);
	return -1;
}

int script_file(struct session *s, const char *path)
{
	char *text, *dir;
	int rc;

	if (read_script(s, path, &text, &dir)) {
		report(s);
		return -2;
	}
	rc = script_run(s, strcmp(path, "-") == 0 ? "stdin" : path, dir, text);
	free(text);
	free(dir);
	return rc;
}

int script_source(struct session *s, const char *path)
{
	char *text, *dir, *beside = NULL;
	int rc;

	if (s->script && s->script->dir && *path != '/')
		path = beside = xasprintf("%s/%s", s->script->dir, path);
	rc = read_script(s, path, &text, &dir);
	if (rc == 0) {
		rc = run(s, path, dir, text, false);
		free(text);
		free(dir);
	} else {
		rc = TCL_ERROR;
	}
	free(beside);
	return rc;
}
