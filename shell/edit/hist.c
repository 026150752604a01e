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
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <tcl.h>
#include <unistd.h>

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
	Tcl_DString line;
	struct stat st;
	int fd, why = 0;

	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	Tcl_DStringInit(&line);
	flock(fd, LOCK_EX);
	if (fstat(fd, &st) == 0 && st.st_size == 0)
		Tcl_DStringAppend(&line, COOKIE, -1);
	encode_entry(&line, entry);
	if (save_piece(fd, Tcl_DStringValue(&line), (size_t)Tcl_DStringLength(&line)))
		why = errno;
	if (close(fd) && !why)
		why = errno;
	Tcl_DStringFree(&line);
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
