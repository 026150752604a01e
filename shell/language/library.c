/* SPDX-License-Identifier: MIT */
#include <glob.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "file/file.h"
#include "help/help.h"
#include "language/interp.h"
#include "language/script.h"
#include "output/print.h"
#include "session.h"
#include "alloc.h"
#include "visible.h"

#define DUMPED 256 /* bytes of a value that are printed */

struct library {
	STAILQ_ENTRY(library) link;
	char *name, *path, *dir;
	struct topic topic;
	struct domain *domain; /* NULL: not read yet */
};

/* A script that a caller passed in, kept to be run later. */
struct kept {
	LIST_ENTRY(kept) link;
	unsigned long number;
	struct domain *domain;
	Tcl_Obj *lambda;
};

static STAILQ_HEAD(, library) libraries = STAILQ_HEAD_INITIALIZER(libraries);
static LIST_HEAD(, kept) all_kept = LIST_HEAD_INITIALIZER(all_kept);
static bool looked;
static Tcl_Obj *text_of_result; /* what the running command prints; NULL: its value */

/* ---------------------------------------------------------------- finding them -- */

/* Reads the comment at the start of the file: its first line is the title, the rest the text. */
static void read_help(struct library *l, FILE *f)
{
	char *line = NULL, *text = NULL;
	size_t size = 0, len = 0;
	FILE *to = open_memstream(&text, &len);

	while (getline(&line, &size, f) > 0 && (*line == '#' || *line == '\n')) {
		const char *words = line + 1 + (line[1] == ' ');

		if (*line == '\n')
			break;
		if (strncmp(words, "SPDX", 4) == 0)
			continue;
		if (l->topic.title)
			fputs(words, to);
		else
			l->topic.title = xasprintf("%.*s", (int)strcspn(words, "\n"), words);
	}
	fclose(to);
	free(line);
	while (len && text[len - 1] == '\n')
		text[--len] = 0;
	l->topic.name = l->name;
	if (!l->topic.title)
		l->topic.title = xstrdup(l->name);
	l->topic.text = text;
}

static void add_library(const char *path)
{
	struct library *l;
	FILE *f = fopen(path, "re"); /* part of the program: not subject to file_open()'s checks */
	char *copy;

	if (!f)
		return;
	l = xcalloc(1, sizeof *l);
	l->path = xstrdup(path);
	copy = xstrdup(path);
	l->dir = realpath(dirname(copy), NULL);
	free(copy);
	if (!l->dir)
		l->dir = xstrdup(DOMAIN_NO_FILES);
	l->name = xstrdup(strrchr(path, '/') + 1);
	*strrchr(l->name, '.') = 0;
	read_help(l, f);
	fclose(f);
	STAILQ_INSERT_TAIL(&libraries, l, link);
}

static void find_libraries(void)
{
	glob_t files = { 0 };

	if (looked)
		return;
	looked = true;
	if (file_own_list("RDMASH_LIB", "lib", "*.rdma", &files))
		for (size_t i = 0; i < files.gl_pathc; i++)
			add_library(files.gl_pathv[i]);
	globfree(&files);
}

const struct library *library_next(const struct library *l)
{
	find_libraries();
	return l ? STAILQ_NEXT(l, link) : STAILQ_FIRST(&libraries);
}

const char *library_name(const struct library *l)
{
	return l->name;
}

const struct topic *library_topic(const struct library *l)
{
	return &l->topic;
}

struct library *library_named(const char *word)
{
	struct library *l;

	find_libraries();
	STAILQ_FOREACH(l, &libraries, link)
		if (strcmp(l->name, word) == 0)
			return l;
	return NULL;
}

void library_complete(const struct library *l, const char *second, Tcl_Obj *list)
{
	const char *line = l->topic.text, *end;
	size_t name = strlen(l->name);

	for (; *line; line = *end ? end + 1 : end) {
		const char *word = line + 2 + name + 1;
		size_t len;

		end = line + strcspn(line, "\n");
		if (strncmp(line, "  ", 2) != 0 || strncmp(line + 2, l->name, name) != 0 ||
		    line[2 + name] != ' ')
			continue;
		len = strcspn(word, " \n");
		if (!second) {
			Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(word, (int)len));
			continue;
		}
		if (strncmp(word, second, len) != 0 || second[len])
			continue;
		for (word += len; word < end; word += len) {
			word += strspn(word, " ");
			len = strcspn(word, " \n");
			if (*word == '-')
				Tcl_ListObjAppendElement(NULL, list,
							 Tcl_NewStringObj(word, (int)len));
		}
	}
}

static void free_kept(struct kept *k)
{
	LIST_REMOVE(k, link);
	Tcl_DecrRefCount(k->lambda);
	free(k);
}

void libraries_free(void)
{
	struct library *l;

	while (!LIST_EMPTY(&all_kept))
		free_kept(LIST_FIRST(&all_kept));
	while ((l = STAILQ_FIRST(&libraries))) {
		STAILQ_REMOVE_HEAD(&libraries, link);
		free((char *)l->topic.title);
		free((char *)l->topic.text);
		free(l->name);
		free(l->path);
		free(l->dir);
		free(l);
	}
	looked = false;
}

/* --------------------------------------------------------------- their commands -- */

static int fail_wrong_args(Tcl_Interp *tcl, Tcl_Obj *const objv[], const char *words)
{
	Tcl_WrongNumArgs(tcl, 1, objv, words);
	return TCL_ERROR;
}

/* The domain whose code called the library: a script that is passed in belongs to it. */
static struct domain *calling_domain(const struct session *s, const struct domain *own)
{
	const struct border *b = s->border;

	while (b && (b->into != own || b->aside))
		b = b->outer;
	return b ? b->from : s->domain;
}

static int do_keep(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	static unsigned long number;
	struct domain *d = data, *from = calling_domain(d->s, d);
	struct kept *k;

	if (objc != 3)
		return fail_wrong_args(tcl, objv, "params body");
	k = xcalloc(1, sizeof *k);
	k->number = ++number;
	k->domain = from->root ? from : domain_of(d->s, DOMAIN_NO_FILES);
	k->lambda = Tcl_NewListObj(2, objv + 1);
	Tcl_IncrRefCount(k->lambda);
	LIST_INSERT_HEAD(&all_kept, k, link);
	Tcl_SetObjResult(tcl, Tcl_ObjPrintf("kept%lu", k->number));
	return TCL_OK;
}

static struct kept *find_kept(Tcl_Interp *tcl, Tcl_Obj *name)
{
	struct kept *k;
	unsigned long number;

	if (sscanf(Tcl_GetString(name), "kept%lu", &number) == 1)
		LIST_FOREACH(k, &all_kept, link)
			if (k->number == number)
				return k;
	Tcl_SetObjResult(tcl, Tcl_ObjPrintf("nothing is kept as %s", Tcl_GetString(name)));
	return NULL;
}

static int do_drop(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	struct kept *k = objc == 2 ? find_kept(tcl, objv[1]) : NULL;

	(void)data;
	if (!k)
		return TCL_ERROR;
	free_kept(k);
	return TCL_OK;
}

static int do_run(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	struct kept *k = objc > 1 ? find_kept(tcl, objv[1]) : NULL;
	Tcl_Obj **v, *value, *code, *result[3];
	struct domain *d = data;
	SCOPED_LIST(words);
	Tcl_Size n;
	int rc;

	if (!k)
		return objc > 1 ? TCL_ERROR : fail_wrong_args(tcl, objv, "name ?arg ...?");
	value_append(words, "::apply");
	Tcl_ListObjAppendElement(NULL, words, k->lambda);
	for (int i = 2; i < objc; i++)
		Tcl_ListObjAppendElement(NULL, words, objv[i]);
	Tcl_ListObjGetElements(NULL, words, &n, &v);
	rc = interp_aside(d->s, k->domain, n, v, &value, &code);
	result[0] = Tcl_NewIntObj(rc);
	result[1] = value;
	result[2] = code ? code : Tcl_NewObj();
	Tcl_SetObjResult(tcl, Tcl_NewListObj(3, result));
	Tcl_DecrRefCount(value);
	if (code)
		Tcl_DecrRefCount(code);
	return TCL_OK;
}

static int do_text(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	(void)data;
	if (objc != 2)
		return fail_wrong_args(tcl, objv, "text");
	if (text_of_result)
		Tcl_DecrRefCount(text_of_result);
	text_of_result = objv[1];
	Tcl_IncrRefCount(text_of_result);
	return TCL_OK;
}

static int do_notice(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	struct domain *d = data;

	if (objc != 2)
		return fail_wrong_args(tcl, objv, "text");
	notice_post(d->s->notices, NOTICE_CM, "%s", Tcl_GetString(objv[1]));
	return TCL_OK;
}

static void add_commands(struct domain *d)
{
	static const struct {
		const char *name;
		Tcl_ObjCmdProc *fn;
	} commands[] = {
		{ "::rdmash::keep", do_keep },	   { "::rdmash::run", do_run },
		{ "::rdmash::drop", do_drop },	   { "::rdmash::text", do_text },
		{ "::rdmash::notice", do_notice },
	};

	Tcl_CreateNamespace(d->tcl, "::rdmash", NULL, NULL);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		Tcl_CreateObjCommand(d->tcl, commands[i].name, commands[i].fn, d, NULL);
	Tcl_ExposeCommand(d->tcl, "encoding", "encoding"); /* hidden in a safe interpreter */
	Tcl_ResetResult(d->tcl);
}

/* --------------------------------------------------------------------- running -- */

static void set_root(struct domain *d, const char *root)
{
	if (!d->is_library) /* --unsafe: it is the user's own domain */
		return;
	free(d->root);
	d->root = xstrdup(root);
}

static int load_library(struct session *s, struct library *l)
{
	struct script as = { .name = l->path, .dir = l->dir, .line = 1 };
	char *root = xasprintf("library %s", l->name);
	struct domain *d = domain_of(s, root); /* not a path: no file is below it */
	char *text = file_own_text(s, l->path);
	bool echo = s->opt.echo;
	int rc = TCL_ERROR;

	if (text) {
		d->is_library = d != s->own;
		add_commands(d);
		s->opt.echo = false;
		set_root(d, l->dir); /* while it is loaded, it may read the files beside it */
		rc = script_part(s, &as, text, false);
		set_root(d, root);
		s->opt.echo = echo;
		Tcl_ResetResult(s->tcl);
	}
	free(text);
	free(root);
	if (rc == TCL_ERROR)
		return -1;
	l->domain = d;
	return 0;
}

static void copy_rows(struct session *s, Tcl_Obj *rows)
{
	Tcl_Obj **v;
	Tcl_Size n;

	if (rows && Tcl_ListObjGetElements(NULL, rows, &n, &v) == TCL_OK)
		for (int i = 0; i + 1 < n; i += 2)
			fail_row(s, Tcl_GetString(v[i]), "%s", Tcl_GetString(v[i + 1]));
}

/* Copies the error of the library's interpreter to s->fail. */
static void copy_failure(struct session *s, Tcl_Interp *tcl, Tcl_Obj *text, Tcl_Obj **code)
{
	SCOPED_VALUE(options, Tcl_GetReturnOptions(tcl, TCL_ERROR));
	Tcl_Obj *errorcode = dict_get(options, "-errorcode"), **v = NULL;
	Tcl_Size n = 0;

	if (errorcode) {
		Tcl_ListObjGetElements(NULL, errorcode, &n, &v);
		*code = value_hold(errorcode);
	}
	fail(s, n > 1 ? Tcl_GetString(v[1]) : "script", n ? Tcl_GetString(v[n - 1]) : "ERROR", "%s",
	     Tcl_GetString(text));
	copy_rows(s, dict_get(options, "-rows"));
}

/* Writes the entries of a dict value, so that JSON has its keys. */
static void out_dict_value(struct out *o, Tcl_Obj *value)
{
	Tcl_DictSearch search;
	Tcl_Obj *key, *v;
	Tcl_WideInt n;
	int done;

	if (!text_of_result || Tcl_DictObjFirst(NULL, value, &search, &key, &v, &done) != TCL_OK) {
		out_obj(o, value);
		return;
	}
	out_dict(o, NULL);
	for (; !done; Tcl_DictObjNext(&search, &key, &v, &done))
		if (Tcl_GetWideIntFromObj(NULL, v, &n) == TCL_OK)
			out_int(o, Tcl_GetString(key), n, NULL);
		else
			out_str(o, Tcl_GetString(key), Tcl_GetString(v), NULL);
	Tcl_DictObjDone(&search);
}

static void print_value(struct out *o, Tcl_Obj *value)
{
	SCOPED_TEXT(dump);
	const unsigned char *data;
	Tcl_Size n;

	if (value_has_type(value, "bytearray")) {
		data = Tcl_GetByteArrayFromObj(value, &n);
		visible_hexdump(&dump, data, n < DUMPED ? (size_t)n : DUMPED, 0);
		out_text(o, "%s", text_str(&dump));
		if (n > DUMPED)
			out_text(o, "(%zu bytes more)\n", (size_t)n - DUMPED);
	} else if (*Tcl_GetString(value)) {
		out_text(o, "%s\n", Tcl_GetString(value));
	}
}

int library_run(struct session *s, struct library *l, int objc, Tcl_Obj *const objv[],
		struct out *o, Tcl_Obj **code)
{
	Tcl_Obj *name, *value, **v, *outer = text_of_result;
	SCOPED_VALUE(words, Tcl_NewListObj(objc, objv));
	struct border border;
	Tcl_Size n;
	int rc;

	*code = NULL;
	if (objc == 1) {
		fail(s, "command", "MISSING", "%s needs a second word", l->name);
		return fail_next(s, "help %s", l->name);
	}
	name = Tcl_ObjPrintf("::rdmash::%s", l->name);
	Tcl_ListObjReplace(NULL, words, 0, 1, 1, &name);
	if (!l->domain && load_library(s, l))
		return -1;
	text_of_result = NULL;
	Tcl_ListObjGetElements(NULL, words, &n, &v);
	domain_enter(s, &border, l->domain, false);
	rc = interp_eval_words(l->domain->tcl, n, v);
	value = value_hold(Tcl_GetObjResult(l->domain->tcl));
	if (rc == TCL_ERROR)
		copy_failure(s, l->domain->tcl, value, code);
	domain_leave(s, &border);
	if (rc != TCL_ERROR) {
		out_dict_value(o, value);
		print_value(o, text_of_result ? text_of_result : value);
	}
	if (text_of_result)
		Tcl_DecrRefCount(text_of_result);
	text_of_result = outer;
	Tcl_DecrRefCount(value);
	return rc == TCL_ERROR ? -1 : 0;
}
