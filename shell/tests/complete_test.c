/* SPDX-License-Identifier: MIT */
/* Hints and completion: two files, of what is typed and what is to come of it. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checks.h"
#include "edit/edit.h"
#include "fixture.h"

static struct session *s;

/* '_' at an end is a blank: editors eat blanks there.. */
static void unblank(char *text)
{
	size_t len = strlen(text);

	if (text[0] == '_')
		text[0] = ' ';
	if (len && text[len - 1] == '_')
		text[len - 1] = ' ';
}

static const char *hint(const char *typed)
{
	static char text[1000];
	struct text d;

	d = (struct text){ 0 };
	complete_hint(s, typed, &d);
	snprintf(text, sizeof text, "%s", text_str(&d));
	text_free(&d);
	return text;
}

static const char *words(const char *typed)
{
	static char text[1000];
	Tcl_Obj *list = Tcl_NewListObj(0, NULL);
	size_t start = 9999;

	Tcl_IncrRefCount(list);
	complete_words(s, typed, list, &start);
	CHECK(start <= strlen(typed));
	snprintf(text, sizeof text, "%s", Tcl_GetString(list));
	Tcl_DecrRefCount(list);
	return text;
}

static void file(const char *dir, const char *name, const char *(*got)(const char *))
{
	char path[1000], line[1000];
	unsigned n = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "r");
	CHECK(f);
	while (fgets(line, sizeof line, f)) {
		char *bar = strchr(line, '|');

		n++;
		line[strcspn(line, "\n")] = 0;
		if (!bar)
			continue;
		*bar = 0;
		unblank(line);
		unblank(bar + 1);
		check_str(got(line), bar + 1, line, name, (int)n);
	}
	fclose(f);
}

/* Nothing that can be typed may lead astray. */
static void anything(void)
{
	static const char letters[] = " a{}[]\"\\;\n$#-,po";
	char text[200];

	srand(1);
	for (int i = 0; i < 20000; i++) {
		size_t len = (size_t)rand() % sizeof text;

		for (size_t k = 0; k < len; k++)
			text[k] = letters[(size_t)rand() % (sizeof letters - 1)];
		text[len ? len - 1 : 0] = 0;
		hint(text);
		words(text);
	}
}

/* A link to a directory is completed like the directory. */
static void folders(void)
{
	char dir[] = "/tmp/complete.XXXXXX", *old = getcwd(NULL, 0);

	CHECK(mkdtemp(dir) && chdir(dir) == 0);
	CHECK(mkdir("folder", 0700) == 0 && symlink("folder", "link") == 0);
	CHECK(symlink("nowhere", "lost") == 0);
	CHECK_STR(words("source fo"), "folder/");
	CHECK_STR(words("source li"), "link/");
	CHECK_STR(words("source lo"), "lost");
	CHECK(unlink("lost") == 0 && unlink("link") == 0 && rmdir("folder") == 0);
	CHECK(chdir(old) == 0 && rmdir(dir) == 0);
	free(old);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	s = fixture_new();
	fixture_run(s, "set hello_world 1; proc twice {x} {}");
	file(argv[1], "hints.txt", hint);
	file(argv[1], "words.txt", words);
	CHECK(strcmp(hint("echo \"one\n"), "a \" is open; Ctrl-C drops it all") == 0);
	CHECK(strcmp(hint("echo \"one"), "") == 0);
	anything();
	folders();
	fixture_free(s);
	return checks_end();
}
