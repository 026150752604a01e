/* SPDX-License-Identifier: MIT */
/* The history, and its file. libedit would write the whole file again when it saves, which loses
 * entries of other shells: here each entry is appended under a lock. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
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

#define ENTRIES 10000

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

	h->entries = history_init();
	history(h->entries, &ev, H_SETSIZE, ENTRIES);
	history(h->entries, &ev, H_SETUNIQUE, 1);
	if (!path)
		return h;
	h->path = xstrdup(path);
	file_make_parents(path);
	if (history(h->entries, &ev, H_LOAD, path) < 0 && has_content(path)) {
		free(h->path);
		h->path = NULL;
	}
	if (history(h->entries, &ev, H_FIRST) == 0)
		h->last = xstrdup(ev.str);
	return h;
}

void hist_close(struct hist *h)
{
	if (!h)
		return;
	history_end(h->entries);
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

	for (more = history(h->entries, &ev, H_FIRST); more == 0 && n;
	     more = history(h->entries, &ev, H_NEXT)) {
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

/* Appends an entry to the file, as a history of one. Returns 0 or an errno. */
static int append_entry(const char *path, const char *entry)
{
	const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "a");
	History *one;
	HistEvent ev;
	int why = 0;

	if (!f)
		return errno;
	flock(fd, LOCK_EX);
	fseek(f, 0, SEEK_END); /* libedit begins an empty file with its mark */
	one = history_init();
	history(one, &ev, H_SETSIZE, 1);
	history(one, &ev, H_ENTER, entry);
	if (history(one, &ev, H_SAVE_FP, f) < 0)
		why = errno;
	history_end(one);
	if (fclose(f) && !why)
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
	history(h->entries, &ev, H_ENTER, entry);
	why = h->path ? append_entry(h->path, entry) : 0;
	if (!why)
		return;
	print_error("rdmash: %s: %s: the history is not saved from here on\n", h->path,
		    strerror(why));
	free(h->path);
	h->path = NULL;
}
