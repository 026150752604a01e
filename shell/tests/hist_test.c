/* SPDX-License-Identifier: MIT */
/* The history file: what comes back from it, who may read it, two shells at once. */
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checks.h"
#include "edit/edit_impl.h"
#include "alloc.h"

static char *folder, *path;

static mode_t mode_of(const char *name)
{
	struct stat st;

	CHECK_INT(stat(name, &st), 0);
	return st.st_mode & 07777;
}

static long size_of(const char *name)
{
	struct stat st;

	CHECK_INT(stat(name, &st), 0);
	return st.st_size;
}

/* Walks the history as libedit does, through the function it is given. */
static void check_entries(struct hist *h, const char *const *newest_first)
{
	HistEvent ev;
	int at = H_FIRST;

	for (; *newest_first; newest_first++) {
		CHECK_INT(history(hist_entries(h), &ev, at), 0);
		CHECK_STR(ev.str, *newest_first);
		at = H_NEXT;
	}
	CHECK_INT(history(hist_entries(h), &ev, at), -1);
}

#define ENTRIES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void comes_back(void)
{
	struct hist *h = hist_open(path);

	hist_add(h, "first");
	hist_add(h, "several\n\tlines \\ and\\n 100 %\n");
	hist_add(h, "gr\303\266\303\237e \344\270\226\360\237\230\200");
	hist_close(h);
	h = hist_open(path);
	check_entries(h, ENTRIES("gr\303\266\303\237e \344\270\226\360\237\230\200",
				 "several\n\tlines \\ and\\n 100 %\n", "first"));
	hist_close(h);
}

static void is_private(void)
{
	char *middle = xasprintf("%s/state", folder);

	CHECK_INT(mode_of(path), 0600);
	CHECK_INT(mode_of(middle), 0700);
	free(middle);
}

static void no_repeats(void)
{
	struct hist *h = hist_open(path);
	long before;

	hist_add(h, "again");
	before = size_of(path);
	hist_add(h, "again");
	CHECK_INT(size_of(path), before);
	hist_close(h);
	h = hist_open(path);
	hist_add(h, "again");
	CHECK_INT(size_of(path), before);
	hist_close(h);
}

static void two_at_once(void)
{
	struct hist *a, *b;

	unlink(path);
	a = hist_open(path);
	b = hist_open(path);
	hist_add(a, "a1");
	hist_add(b, "b1");
	hist_add(a, "a2");
	check_entries(a, ENTRIES("a2", "a1"));
	hist_close(a);
	hist_close(b);
	a = hist_open(path);
	check_entries(a, ENTRIES("a2", "b1", "a1"));
	hist_close(a);
}

static void without_file(void)
{
	struct hist *h = hist_open(NULL);

	hist_add(h, "kept");
	check_entries(h, ENTRIES("kept"));
	hist_close(h);
	h = hist_open("/proc/none/history");
	hist_add(h, "kept");
	check_entries(h, ENTRIES("kept"));
	hist_close(h);
}

static void foreign_file(void)
{
	FILE *f = fopen(path, "w");
	struct hist *h;
	long before;

	fputs("this is no history\n", f);
	fclose(f);
	before = size_of(path);
	h = hist_open(path);
	hist_add(h, "kept");
	check_entries(h, ENTRIES("kept"));
	hist_close(h);
	CHECK_INT(size_of(path), before);
}

static void remove_all(void)
{
	char *slash;

	unlink(path);
	while ((slash = strrchr(path, '/')) && strcmp(path, folder) != 0) {
		*slash = '\0';
		CHECK_INT(rmdir(path), 0);
	}
	free(path);
}

int main(void)
{
	char name[] = "/tmp/hist_test.XXXXXX";

	setlocale(LC_CTYPE, "C.UTF-8");
	umask(0);
	folder = mkdtemp(name);
	CHECK(folder);
	path = xasprintf("%s/state/rdmash/history", folder);
	comes_back();
	is_private();
	no_repeats();
	two_at_once();
	without_file();
	foreign_file();
	remove_all();
	return checks_end();
}
