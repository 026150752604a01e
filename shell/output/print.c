/* SPDX-License-Identifier: MIT */
/* Text on its way to a terminal: folded at its width, shown in a pager if it is long, printed. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <langinfo.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include "alloc.h"
#include "edit/edit.h"
#include "file/file.h"
#include "output/print.h"

#define LABEL_MAX 26 /* most columns that a label takes */

/* The bytes of the character or colour code at text; *columns: the columns that it takes. */
static unsigned measure_piece(const char *text, unsigned *columns)
{
	struct character c;
	int width;

	*columns = 0;
	if (text[0] == '\033' && text[1] == '[') /* a colour */
		return 2 + (unsigned)strcspn(text + 2, "m") + 1;
	c = visible_character(text, strlen(text));
	width = wcwidth((wchar_t)c.code);
	*columns = width > 0 ? (unsigned)width : 0;
	return c.len;
}

unsigned print_text_width(const char *text, size_t len)
{
	unsigned n = 0, columns;

	for (size_t i = 0; i < len; i += measure_piece(text + i, &columns), n += columns)
		;
	return n;
}

/* The column at which the text after a label begins: "  next        reg 4096". */
static unsigned hang_of(const char *line, size_t len, unsigned columns)
{
	char plain[LABEL_MAX + 2] = "";
	unsigned n = 0, indent, hang, width;
	const char *gap;

	for (size_t i = 0; i < len && n < sizeof plain - 1; i += measure_piece(line + i, &width))
		if (line[i] != '\033')
			plain[n++] = line[i];
	indent = (unsigned)strspn(plain, " ");
	gap = strstr(plain + indent, "  ");
	hang = gap ? (unsigned)(gap - plain) + (unsigned)strspn(gap, " ")
		   : indent + (indent ? 0 : 2);
	if ((gap || indent) && strncmp(plain + hang, "- ", 2) == 0)
		hang += 2;
	return hang < columns / 2 ? hang : indent < columns / 2 ? indent : 2;
}

/* How many bytes of the line to put into a row of this many columns: up to the last blank that
 * fits, or else up to and with a comma; all if there is neither. */
static size_t fitting_length(const char *line, size_t len, unsigned columns)
{
	unsigned at = 0, width;
	size_t blank = 0, comma = 0;

	for (size_t i = 0; i < len; at += width) {
		unsigned n = measure_piece(line + i, &width);

		if (line[i] == ' ' && at && at <= columns)
			blank = i;
		if (at + width > columns && (blank > strspn(line, " ") || comma))
			return blank > strspn(line, " ") ? blank : comma;
		if (line[i] == ',')
			comma = i + 1;
		i += n;
	}
	return len;
}

static unsigned fold_line(const char *line, size_t len, unsigned columns, struct text *d)
{
	unsigned rows = 1, hang = hang_of(line, len, columns), room = columns;

	while (print_text_width(line, len) > room) {
		size_t n = fitting_length(line, len, room);

		if (n == len)
			break;
		text_add_bytes(d, line, n);
		text_add(d, "\n");
		for (unsigned i = 0; i < hang; i++)
			text_add(d, " ");
		n += strspn(line + n, " ");
		line += n;
		len -= n < len ? n : len;
		room = columns - hang;
		rows++;
	}
	text_add_bytes(d, line, len);
	return rows + print_text_width(line, len) / (columns + 1);
}

unsigned print_fold(const char *text, unsigned columns, struct text *d)
{
	unsigned rows = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");

		rows += fold_line(text, len, columns, d);
		text += len;
		if (*text) {
			text_add(d, "\n");
			text++;
		}
	}
	return rows;
}

void print_fold_to_ascii(const char *text, struct text *d)
{
	static const struct {
		const char *sign, *ascii;
	} near[] = { { "µ", "u" },  { "…", "..." }, { "–", "-" },  { "×", "x" },
		     { "→", "->" }, { "←", "<-" },  { "≤", "<=" }, { "≥", ">=" } };
	size_t left = strlen(text);

	while (left) {
		struct character c = visible_character(text, left);
		const char *as = c.len > 1 ? "?" : NULL;

		for (size_t i = 0; as && i < sizeof near / sizeof *near; i++)
			if (strlen(near[i].sign) == c.len && memcmp(near[i].sign, text, c.len) == 0)
				as = near[i].ascii;
		text_add_bytes(d, as ? as : text, as ? strlen(as) : 1);
		text += c.len;
		left -= c.len;
	}
}

#define NONE 127 /* exit status of sh if the program does not exist */

extern char **environ;

/* Options of less, like git's: a text that fits stays on the screen, colours are kept. less also
 * quits at the end of the text (-E), because newcomers would type their next command into less; the
 * prompt says which keys to press. For the same reason LESSSECURE keeps such a command from writing
 * files (s) or running programs (!), unless the user asks for less by name. */
#define LESS "-EFRX -PsSpace goes on, q goes back$"

static char *pager_command(void)
{
	const char *pager = getenv("PAGER");

	if (pager && (!*pager || strcmp(pager, "cat") == 0))
		return NULL;
	if (!pager)
		return xasprintf("command -v less >/dev/null || exit %d; "
				 "LESSSECURE=1 LESS=${LESS-'" LESS "'} exec less",
				 NONE);
	return xasprintf("LESS=${LESS-'" LESS "'} exec %s", pager);
}

/* Starts the pager; *to is its standard input. Returns its process ID, or -1. */
static pid_t start_pager(char *line, int *to)
{
	char *argv[] = { (char *)"sh", (char *)"-c", line, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGPIPE); /* ignored by this program */
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	if (posix_spawn(&pid, "/bin/sh", &actions, &attr, argv, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	close(ends[0]);
	if (pid < 0)
		close(ends[1]);
	*to = ends[1];
	return pid;
}

/* Shows text in $PAGER, or in less if that is not set, and waits for its end; meanwhile Ctrl-C goes
 * to the pager. False, with nothing shown: there is no pager, or PAGER is empty or cat. */
static bool pager_show(const char *text, size_t len)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	char *line = pager_command();
	int to, status = 0;
	pid_t pid;

	if (!line)
		return false;
	fflush(stdout);
	sigaction(SIGINT, &ignore, &before);
	pid = start_pager(line, &to);
	if (pid > 0) {
		file_write_all(to, text, len); /* an error means that the user quit early */
		close(to);
		waitpid(pid, &status, 0);
	}
	sigaction(SIGINT, &before, NULL);
	free(line);
	return pid > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == NONE);
}

static const char *const codes[PAINTS] = {
	[PAINT_NONE] = "\033[0m",     [PAINT_GOOD] = "\033[32m",  [PAINT_BAD] = "\033[31m",
	[PAINT_DIM] = "\033[2m",      [PAINT_STRONG] = "\033[1m", [PAINT_YELLOW] = "\033[33m",
	[PAINT_MAGENTA] = "\033[35m", [PAINT_CYAN] = "\033[36m",  [PAINT_TYPE] = "\033[1;36m",
};

/* There is one terminal per process. */
static struct edit *editor;
static const bool *colors;
static int failed; /* errno */

/* ----------------------------------------------------------- text and its colours -- */

/* The colour whose escape sequence text begins with; PAINTS: none. */
static enum paint paint_at(const char *text, size_t len)
{
	enum paint i = PAINT_NONE;

	while (i < PAINTS &&
	       (strlen(codes[i]) > len || memcmp(codes[i], text, strlen(codes[i])) != 0))
		i++;
	return i;
}

void painted_add_printed(struct painted *p, const char *text, size_t len)
{
	while (len) {
		enum paint paint = paint_at(text, len);
		size_t n = 1;

		if (paint < PAINTS) {
			painted_paint(p, paint);
			n = strlen(codes[paint]);
		} else {
			while (n < len && text[n] != '\033')
				n++;
			painted_add(p, text, n);
		}
		text += n;
		len -= n;
	}
}

/* -------------------------------------------------------------------- to a terminal -- */

static int number_of(enum print_to to)
{
	return to == PRINT_OUT ? STDOUT_FILENO : STDERR_FILENO;
}

/* Bytes to a stream, which serve.c may have replaced by one without a descriptor. -1 with errno. */
static int write_stream(enum print_to to, const char *data, size_t len)
{
	FILE *stream = to == PRINT_OUT ? stdout : stderr;

	fflush(stdout); /* what stdio has is older; print_failed() tells of errors */
	if (fileno(stream) >= 0)
		return file_write_all(fileno(stream), data, len);
	return fwrite(data, 1, len, stream) < len || fflush(stream) ? -1 : 0;
}

/* Everything that is printed goes through here. -1 with errno. */
static int print_raw(enum print_to to, const char *text, size_t len)
{
	if (editor) {
		edit_above(editor, text);
		return 0;
	}
	return write_stream(to, text, len);
}

static void put_string(enum print_to to, const struct text *d)
{
	if (print_raw(to, text_str(d), text_len(d)) && to == PRINT_OUT && !failed)
		failed = errno;
}

static bool is_for_terminal(enum print_to to)
{
	return editor || isatty(number_of(to));
}

static struct winsize terminal_size(void)
{
	struct winsize size = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	return size;
}

/* Prints text for people: with colours and folded if this is a terminal. */
static void print_text_for_people(enum print_to to, const struct text *d)
{
	unsigned columns = is_for_terminal(to) ? print_columns() : 0, rows;
	SCOPED_TEXT(ascii);
	SCOPED_TEXT(folded);

	if (!columns) {
		put_string(to, d);
		return;
	}
	if (!print_is_utf8())
		print_fold_to_ascii(text_str(d), &ascii);
	rows = print_fold(text_str(print_is_utf8() ? d : &ascii), columns, &folded);
	if (to != PRINT_OUT || !editor || edit_is_typing(editor) || rows < terminal_size().ws_row ||
	    !pager_show(text_str(&folded), text_len(&folded)))
		put_string(to, &folded);
}

void print_painted(enum print_to to, const struct painted *p)
{
	const char *text = text_str(&p->text);
	size_t at = 0;
	const size_t len = text_len(&p->text);
	SCOPED_TEXT(d);

	for (unsigned i = 0; i <= p->n; i++) {
		const size_t end = i < p->n ? p->marks[i].at : len;

		visible_append(&d, text + at, (size_t)(end - at), VISIBLE_LINES);
		if (i < p->n && colors && *colors)
			text_add(&d, codes[p->marks[i].paint]);
		at = end;
	}
	print_text_for_people(to, &d);
}

void print_text(enum print_to to, const char *text)
{
	SCOPED_TEXT(d);

	visible_append(&d, text, strlen(text), VISIBLE_LINES);
	print_text_for_people(to, &d);
}

void print_painted_line(enum print_to to, const char *before, enum paint paint, const char *painted,
			const char *after)
{
	SCOPED_PAINTED(line);

	visible_append(&line.text, before, strlen(before), VISIBLE_ONE_LINE);
	painted_paint(&line, paint);
	visible_append(&line.text, painted, strlen(painted), VISIBLE_ONE_LINE);
	painted_paint(&line, PAINT_NONE);
	visible_append(&line.text, after, strlen(after), VISIBLE_ONE_LINE);
	painted_add(&line, "\n", 1);
	print_painted(to, &line);
}

void print_error(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	print_text(PRINT_ERR, text);
	free(text);
}

void print_in_place(const char *line, bool last)
{
	SCOPED_TEXT(d);

	text_add(&d, "\r");
	visible_append(&d, line, strlen(line), VISIBLE_ONE_LINE);
	text_add(&d, last ? "\033[K\n" : "\033[K");
	put_string(PRINT_ERR, &d);
}

void print_data(const char *text, size_t len, bool folds)
{
	bool is_terminal = isatty(fileno(stdout));
	SCOPED_TEXT(d);
	size_t n;

	if (is_terminal && folds) {
		print_text(PRINT_OUT, text);
		return;
	}
	if (is_terminal)
		visible_append(&d, text, len, VISIBLE_LINES);
	for (size_t i = 0; i < len && !is_terminal; i += n) {
		const char *nul = memmem(text + i, len - i, "\xc0\x80", 2);

		n = nul ? (size_t)(nul - text) - i : len - i;
		text_add_bytes(&d, text + i, n);
		if (nul) {
			text_add_bytes(&d, "", 1);
			n += 2;
		}
	}
	put_string(PRINT_OUT, &d);
}

int print_bytes(enum print_to to, const char *data, size_t len)
{
	SCOPED_TEXT(d);

	if (!isatty(number_of(to)))
		return write_stream(to, data, len);
	visible_append(&d, data, len, VISIBLE_LINES);
	return print_raw(to, text_str(&d), text_len(&d));
}

void print_json(const char *json)
{
	SCOPED_TEXT(d);

	visible_append(&d, json, strlen(json), VISIBLE_JSON);
	put_string(PRINT_OUT, &d);
}

/* ------------------------------------------------------------------------- settings -- */

unsigned print_columns(void)
{
	return terminal_size().ws_col;
}

bool print_is_utf8(void)
{
	static int is = -1;

	if (is < 0)
		is = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	return is;
}

void print_editor(struct edit *e)
{
	editor = e;
}

void print_color(const bool *on)
{
	colors = on;
}

int print_failed(void)
{
	if (fflush(stdout) && !failed)
		failed = errno;
	if (ferror(stdout) && !failed)
		failed = EIO;
	return failed;
}
