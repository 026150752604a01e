/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "command/cmd.h"
#include "command_lines.h"
#include "session.h"

#define OF(list) (sizeof(list) / sizeof *(list))

/* xorshift64*: a seed of 0 would stay 0. */
unsigned lines_random(struct lines *g, unsigned n)
{
	g->random += !g->random;
	g->random ^= g->random >> 12;
	g->random ^= g->random << 25;
	g->random ^= g->random >> 27;
	return (unsigned)((g->random * UINT64_C(0x2545F4914F6CDD1D)) >> 33) % n;
}

static bool chance(struct lines *g, unsigned percent)
{
	return lines_random(g, 100) < percent;
}

bool lines_may_run(const struct cmd *c)
{
	/* peer starts what it is told to, doctor asks programs of the system; a device that has
	 * failed stays so after a reset */
	static const char *const not [] = { "peer", "doctor", "fault device" };

	for (size_t i = 0; i < OF(not ); i++)
		if (strcmp(c->name, not [i]) == 0)
			return false;
	return true;
}

const struct cmd *lines_command(struct lines *g)
{
	const struct cmd *c;
	unsigned n = 0;

	while (cmd_table[n])
		n++;
	do
		c = cmd_table[lines_random(g, n)];
	while (!lines_may_run(c));
	return c;
}

/* ------------------------------------------------------------------ values -- */

static const char *const odd[] = {
	"",
	"-",
	"--",
	"-1",
	"0x",
	"NaN",
	"1e9",
	"99999999999999999999",
	"0x1ffffffffffffffff",
	"two words",
	"{",
	"}",
	"[",
	"$x",
	"\\",
	"\"",
	"\033[31m",
	"\302\233",
	"\303\251\342\200\256",
	"%s%n",
	"::",
	"@",
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
};
static const char *const numbers[] = { "0", "1", "2", "3", "7", "8", "16", "40", "64", "0x40" };
static const char *const sizes[] = { "0", "1", "8", "64", "4096", "4K", "65536", "1M" };
static const char *const ports[] = { "0", "1", "7471", "7472", "65535" };
static const char *const paths[] = { "a.txt", "b.bin", "folder", "none/there", ".", "a.rdma" };
static const char *const texts[] = { "x", "name", "4", "10.0.0.1", "ff0e::ffff:239.1.1.1", "add" };
static const char *const hosts[] = { "10.0.0.1", "10.0.0.2", "127.0.0.1", "fd00::1", "10.0.0.77" };
static const char *const conditions[] = { "1", "0", "1 +", "[sleep 1]", "$x", "1/0" };
static const char *const scripts[] = {
	"",	   "sleep 1ms",		"show",
	"break",   "continue",		"return 1",
	"error x", "destroy -all",	"{",
	"reg 64",  "poll -all",		"post recv",
	"set x 1", "catch {destroy m}", "wait wc -within 1",
};

static const char *one_of(struct lines *g, const char *const *list, size_t n)
{
	return list[lines_random(g, (unsigned)n)];
}
#define ONE_OF(g, list) one_of(g, list, OF(list))

static Tcl_Obj *text(const char *bytes)
{
	return Tcl_NewStringObj(bytes, -1);
}

/* Words that completion would offer: names of live objects, of devices, of methods. */
static Tcl_Obj *completed(struct lines *g, const struct arg *a)
{
	Tcl_Obj *all = Tcl_NewListObj(0, NULL), *word = NULL, **v;
	Tcl_Size n;

	Tcl_IncrRefCount(all);
	if (a->kind->complete && a->kind != &kind_path)
		a->kind->complete(g->s, a, all);
	fail_clear(&g->s->fail);
	Tcl_ListObjGetElements(NULL, all, &n, &v);
	if (n)
		word = Tcl_DuplicateObj(v[lines_random(g, (unsigned)n)]);
	Tcl_DecrRefCount(all);
	return word;
}

static Tcl_Obj *flags(struct lines *g, const struct word *words)
{
	Tcl_Obj *list = Tcl_NewObj();
	unsigned n = 0;

	while (words[n].name)
		n++;
	for (unsigned i = 1 + lines_random(g, 3); i; i--)
		Tcl_AppendPrintfToObj(list, "%s%s", *Tcl_GetString(list) ? "," : "",
				      words[lines_random(g, n)].name);
	return list;
}

static Tcl_Obj *nested(struct lines *g)
{
	Tcl_Obj *words;

	if (g->depth > 1 || chance(g, 60))
		return text(ONE_OF(g, scripts));
	g->depth++;
	words = lines_words(g, lines_command(g), 2);
	g->depth--;
	return words;
}

static Tcl_Obj *value(struct lines *g, const struct arg *a)
{
	const struct arg_kind *k = a->kind;
	Tcl_Obj *word;

	if (chance(g, 8))
		return text(ONE_OF(g, odd));
	if (k == &kind_ms)
		return Tcl_ObjPrintf("%u%s", lines_random(g, 4), chance(g, 50) ? "ms" : "");
	if (k == &kind_port)
		return text(ONE_OF(g, ports));
	if (k == &kind_size)
		return text(ONE_OF(g, sizes));
	if (k == &kind_path)
		return text(ONE_OF(g, paths));
	if (k == &kind_expr)
		return text(ONE_OF(g, conditions));
	if (k == &kind_script || k == &kind_command)
		return nested(g);
	if (k == &kind_flags)
		return flags(g, a->data);
	word = completed(g, a);
	if (word)
		return word;
	if (strcmp(a->name, "host") == 0 || strstr(a->name, "addr") || strstr(a->name, "source"))
		return text(ONE_OF(g, hosts));
	if (k == &kind_str || k == &kind_bytes || k == &kind_obj)
		return text(chance(g, 50) ? ONE_OF(g, texts) : ONE_OF(g, numbers));
	return text(ONE_OF(g, numbers));
}

static void append(Tcl_Obj *words, Tcl_Obj *word)
{
	Tcl_ListObjAppendElement(NULL, words, word);
}

static void add_positional(struct lines *g, Tcl_Obj *words, const struct arg *a)
{
	unsigned n = a->flags & ARG_MANY ? lines_random(g, 4) : 1;

	if (a->flags & ARG_NEED ? chance(g, 3) : chance(g, 40))
		return;
	if (a->kind == &kind_command) { /* the words of a command */
		Tcl_Obj *command = g->depth > 1 ? text("show") : nested(g);

		Tcl_IncrRefCount(command);
		if (Tcl_ListObjAppendList(NULL, words, command) != TCL_OK)
			append(words, text("show"));
		Tcl_DecrRefCount(command);
		return;
	}
	for (; n; n--)
		append(words, value(g, a));
}

static void add_option(struct lines *g, Tcl_Obj *words, const struct arg *a, unsigned ms)
{
	bool within = a->kind == &kind_ms && strcmp(a->name, "within") == 0;

	if (!within && !(a->flags & ARG_NEED) && chance(g, 75))
		return;
	if (chance(g, 2))
		return;
	append(words, Tcl_ObjPrintf("-%s", a->name));
	if (within && chance(g, 95))
		append(words, Tcl_ObjPrintf("%u", ms));
	else if (a->kind != &kind_switch)
		append(words, value(g, a));
}

Tcl_Obj *lines_words(struct lines *g, const struct cmd *c, unsigned ms)
{
	Tcl_Obj *words = Tcl_NewListObj(0, NULL);
	const char *second = strchr(c->name, ' ');

	append(words, Tcl_NewStringObj(c->name, second ? (int)(second - c->name) : -1));
	if (second)
		append(words, text(second + 1));
	for (const struct arg *a = c->args; a && a->name; a++)
		if (!(a->flags & ARG_POS))
			add_option(g, words, a, ms);
	for (const struct arg *a = c->args; a && a->name; a++)
		if (a->flags & ARG_POS)
			add_positional(g, words, a);
	if (chance(g, 2))
		append(words, text(ONE_OF(g, odd)));
	return words;
}
