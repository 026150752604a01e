/* SPDX-License-Identifier: MIT */
/*
 * libedit, loaded when it is first needed, and the history file, which is in libedit's own format
 * so that libedit can load it.
 *
 * libedit rewrites the whole file when it saves, which loses entries of other shells. So each entry
 * is appended here, with one write(2) under a lock.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <tcl.h>
#include <unistd.h>
#include <wctype.h>

#include "edit/edit_impl.h"
#include "file/file.h"
#include "output/print.h"
#include "alloc.h"

struct libedit libedit;

void libedit_load(void)
{
	static const char *const names[] = { "libedit.so.2", "libedit.so.0", NULL };
	static const struct dynamic_function functions[] = {
#define X(name) { #name, offsetof(struct libedit, name) },
		LIBEDIT_FUNCTIONS(X)
#undef X
	};
	const char *why;

	if (libedit.el_init)
		return;
	why = dynamic_load(names, functions, sizeof functions / sizeof *functions, &libedit);
	if (why)
		errx(1, "line editing needs libedit: %s", why);
}

#define ENTRIES 10000
#define COOKIE	"_HiStOrY_V2_\n"

struct hist {
	History *entries;
	char *path;
	char *last;
};

static bool has_content(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size > 0;
}

struct hist *hist_open(const char *path)
{
	struct hist *h = xcalloc(1, sizeof(*h));
	HistEvent ev;

	libedit_load();
	h->entries = libedit.history_init();
	libedit.history(h->entries, &ev, H_SETSIZE, ENTRIES);
	libedit.history(h->entries, &ev, H_SETUNIQUE, 1);
	if (!path)
		return h;
	h->path = xstrdup(path);
	make_parent_folders(path);
	if (libedit.history(h->entries, &ev, H_LOAD, path) < 0 && has_content(path)) {
		free(h->path);
		h->path = NULL;
	}
	if (libedit.history(h->entries, &ev, H_FIRST) == 0)
		h->last = xstrdup(ev.str);
	return h;
}

void hist_close(struct hist *h)
{
	if (!h)
		return;
	libedit.history_end(h->entries);
	free(h->path);
	free(h->last);
	free(h);
}

History *hist_entries(struct hist *h)
{
	return h->entries;
}

void hist_list(struct hist *h, unsigned n, const char *text, Tcl_Obj *list)
{
	HistEvent ev;
	int more;

	for (more = libedit.history(h->entries, &ev, H_FIRST); more == 0 && n;
	     more = libedit.history(h->entries, &ev, H_NEXT)) {
		size_t len = strlen(ev.str);
		Tcl_Obj *entry;

		if (!strstr(ev.str, text))
			continue;
		while (len && ev.str[len - 1] == '\n')
			len--;
		entry = Tcl_NewStringObj(ev.str, (int)len);
		Tcl_ListObjReplace(NULL, list, 0, 0, 1, &entry);
		n--;
	}
}

/* Encodes an entry like vis(3): one line without blanks. */
static void encode_entry(Tcl_DString *line, const char *entry)
{
	const unsigned char *p;
	char octal[5];

	for (p = (const unsigned char *)entry; *p; p++) {
		if (*p > ' ' && *p != '\\' && *p != 0x7f) {
			Tcl_DStringAppend(line, (const char *)p, 1);
			continue;
		}
		snprintf(octal, sizeof(octal), "\\%03o", *p);
		Tcl_DStringAppend(line, octal, -1);
	}
	Tcl_DStringAppend(line, "\n", 1);
}

/* Appends an entry to the file. Returns 0 or an errno. */
static int append_entry(const char *path, const char *entry)
{
	SCOPED_TEXT(line);
	struct stat st;
	int fd, why = 0;

	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	flock(fd, LOCK_EX);
	if (fstat(fd, &st) == 0 && st.st_size == 0)
		Tcl_DStringAppend(&line, COOKIE, -1);
	encode_entry(&line, entry);
	if (save_piece(fd, Tcl_DStringValue(&line), (size_t)Tcl_DStringLength(&line)))
		why = errno;
	if (close(fd) && !why)
		why = errno;
	return why;
}

void hist_add(struct hist *h, const char *entry)
{
	HistEvent ev;
	int why;

	if (h->last && strcmp(h->last, entry) == 0)
		return;
	free(h->last);
	h->last = xstrdup(entry);
	libedit.history(h->entries, &ev, H_ENTER, entry);
	why = h->path ? append_entry(h->path, entry) : 0;
	if (!why)
		return;
	print_error("rdmash: %s: %s: the history is not saved from here on\n", h->path,
		    strerror(why));
	free(h->path);
	h->path = NULL;
}

/* ---------------------------------------------------------------------- search -- */

#define CTRL_KEY(letter) ((letter)&0x1f)
#define DELETE		 0x7f

struct search {
	struct edit *e;
	int at;	      /* number of the entry that is shown, 0 is the newest */
	char *before; /* what the last search was for */
};

/* Ignores case unless wanted has capital letters. */
static const char *find_text(const char *entry, const char *wanted)
{
	const char *p = wanted;

	while (*p && !(*p >= 'A' && *p <= 'Z'))
		p++;
	return *p ? strstr(entry, wanted) : strcasestr(entry, wanted);
}

/* Finds the entry that contains wanted and is nearest to number *at, in the older or newer
 * direction and *at included. Skips entries equal to shown, if that is not NULL. NULL: there is
 * none. */
static const char *find_entry(struct hist *h, const char *wanted, int *at, bool older,
			      const char *shown)
{
	const char *found = NULL;
	int number = 0, more, nearest = *at;
	HistEvent ev;

	for (more = libedit.history(h->entries, &ev, H_FIRST); more == 0;
	     more = libedit.history(h->entries, &ev, H_NEXT), number++) {
		if ((older ? number < *at || found : number > *at) || !find_text(ev.str, wanted) ||
		    (shown && strcmp(shown, ev.str) == 0))
			continue;
		found = ev.str;
		nearest = number;
	}
	*at = nearest;
	return found;
}

static char *copy_line(struct edit *e)
{
	const LineInfo *line = libedit.el_line(e->el);

	return xasprintf("%.*s", (int)(line->lastchar - line->buffer), line->buffer);
}

/* Replaces the line by text, with the cursor before its byte at. */
static void set_line(struct edit *e, const char *text, size_t at)
{
	const LineInfoW *line = libedit.el_wline(e->el);
	const char *p = text;
	int chars = 0;

	libedit.el_cursor(e->el, (int)(line->lastchar - line->cursor));
	libedit.el_deletestr(e->el, (int)(line->lastchar - line->buffer));
	libedit.el_insertstr(e->el, text);
	line = libedit.el_wline(e->el);
	while (p < text + at) {
		edit_take_char(&p);
		chars++;
	}
	libedit.el_cursor(e->el, chars - (int)(line->lastchar - line->buffer));
}

/* Searches from entry number at on and shows the result; again: skips entries equal to the line. */
static void search(struct search *f, int at, bool older, bool again)
{
	const char *wanted = Tcl_DStringValue(&f->e->wanted), *entry;
	char *shown = again ? copy_line(f->e) : NULL;
	const int from = at;

	edit_erase_line(f->e);
	entry = *wanted ? find_entry(f->e->hist, wanted, &at, older, shown) : "";
	if (entry)
		f->at = at;
	f->e->search = entry	? SEARCH_FOUND
		       : !older ? NOTHING_NEWER
		       : from	? NOTHING_OLDER
				: NOTHING_HAS;
	if (entry && *wanted) {
		set_line(f->e, entry, (size_t)(find_text(entry, wanted) - entry));
		if (edit_is_tall(f->e))
			set_line(f->e, entry, strlen(entry));
	}
	edit_draw(f->e);
	free(shown);
}

static void drop_last_char(Tcl_DString *text)
{
	int n = Tcl_DStringLength(text);

	while (n > 0 && (Tcl_DStringValue(text)[--n] & 0xc0) == 0x80)
		;
	Tcl_DStringSetLength(text, n);
}

/* ^R or ^S: searches on; if no text is typed, repeats the last search. */
static void search_on(struct search *f, bool older)
{
	Tcl_DString *wanted = &f->e->wanted;

	if (Tcl_DStringLength(wanted)) {
		search(f, older ? f->at + 1 : f->at - 1, older, true);
	} else {
		Tcl_DStringAppend(wanted, f->before, -1);
		search(f, 0, true, false);
	}
}

/* Returns false if the key ends the search. */
static bool take_search_key(struct search *f, wchar_t c)
{
	Tcl_DString *wanted = &f->e->wanted;
	char bytes[MB_LEN_MAX];

	if (c == CTRL_KEY('R') || c == CTRL_KEY('S')) {
		search_on(f, c == CTRL_KEY('R'));
	} else if (c == CTRL_KEY('H') || c == DELETE) {
		drop_last_char(wanted);
		search(f, 0, true, false);
	} else if (iswprint((wint_t)c)) {
		Tcl_DStringAppend(wanted, bytes, wctomb(bytes, c));
		search(f, f->at, true, false);
	} else {
		return false;
	}
	return true;
}

unsigned char edit_search_key(EditLine *el, wint_t key)
{
	struct search f = { .e = edit_of(el) };
	const LineInfo *line = libedit.el_line(el);
	const size_t cursor = (size_t)(line->cursor - line->buffer);
	char *typed = copy_line(f.e);
	wchar_t c;
	int got;

	(void)key;
	f.before = xstrdup(Tcl_DStringValue(&f.e->wanted));
	Tcl_DStringSetLength(&f.e->wanted, 0);
	search(&f, 0, true, false);
	do
		got = keys_next(f.e->keys, &c);
	while (got == 1 && take_search_key(&f, c));
	edit_erase_line(f.e);
	f.e->search = SEARCH_NONE;
	if (got == 1 && c == CTRL_KEY('G'))
		set_line(f.e, typed, cursor);
	else if (got == 1 && !keys_was_escape(f.e->keys, c))
		keys_put_back(f.e->keys, c);
	edit_draw(f.e);
	free(f.before);
	free(typed);
	return CC_NORM;
}
