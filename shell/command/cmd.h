/* SPDX-License-Identifier: MIT */
/* Commands and their argument tables: one row per argument. The parser fills a typed struct from
 * them; usage, hints and completion read the same rows. */
#ifndef SHELL_CMD_H
#define SHELL_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

#include "word.h"

struct text;
struct arg;
struct cmd;
struct session;

/* The type of an argument. cmds/ defines further kinds, such as objects and addresses. */
struct arg_kind {
	const char *word; /* in usage: "addr", "size" */
	size_t size;	  /* of what parse stores */
	/* Stores the value of word in *dst; -1 with s->fail filled (args_bad()). */
	int (*parse)(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst);
	/* Stores the value of an optional argument that was not given and has no default in the
	 * table. NULL: *dst stays zero. */
	int (*absent)(struct session *s, const struct arg *a, void *dst);
	/* Can word be this optional positional? If not, it is matched with the next one. NULL:
	 * always. */
	bool (*matches)(struct session *s, const struct arg *a, Tcl_Obj *word);
	/* parse() needs no open device, so that -n can call it. */
	bool is_static;
	/* For other kinds: is word certainly a literal, not the name of an object, so that -n may
	 * parse it? NULL: never. */
	bool (*is_certain)(struct session *s, const struct arg *a, Tcl_Obj *word);
	/* Appends the possible words to a Tcl list. NULL: none. */
	void (*complete)(struct session *s, const struct arg *a, Tcl_Obj *words);
	const void *of; /* for these functions: the class of an object */
	unsigned bits;	/* of an integer */
};

struct arg {
	const char *name;   /* "remote": the option -remote, or the name of a positional */
	const char *option; /* "-remote"; "" of a positional */
	unsigned flags;	    /* ARG_... */
	const struct arg_kind *kind;
	size_t offset;	   /* in the argument struct */
	size_t room;	   /* the size of that struct */
	const char *help;  /* a few words, no full stop */
	const char *dflt;  /* parsed when the argument is not given; shown in help */
	const void *data;  /* for the kind: the words of an enum, the class of an object */
	uint64_t min, max; /* numbers: the range; max 0: that of the kind */
};

#define ARG_POS	 0x1 /* positional, in the order of the table */
#define ARG_NEED 0x2 /* must be given */
#define ARG_MANY 0x4 /* may be repeated, or takes all remaining words: struct many */

#define ARG_REST \
	0x8 /* with ARG_POS | ARG_MANY: all remaining words, options too: a nested command */
#define ARG_MIXED 0x10 /* with ARG_MANY: options may follow its words; '--' ends them */

#define AT(st, field) .offset = offsetof(struct st, field), .room = sizeof(struct st)
/* OPT("rkey", post_args, rkey, kind_u32, "key of the peer's region", .flags = ARG_NEED)
 */
#define OPT(name_, st, field, kind_, help_, ...)                                                  \
	{                                                                                         \
		.name = name_, .option = "-" name_, AT(st, field), .kind = &kind_, .help = help_, \
		__VA_ARGS__                                                                       \
	}
#define POS_WITH(flags_, name_, st, field, kind_, help_, ...)                              \
	{                                                                                  \
		.name = name_, .option = "", AT(st, field), .kind = &kind_, .help = help_, \
		.flags = ARG_POS | (flags_), __VA_ARGS__                                   \
	}
#define POS(...)       POS_WITH(ARG_NEED, __VA_ARGS__)
#define POS_OPT(...)   POS_WITH(0, __VA_ARGS__)
#define POS_MANY(...)  POS_WITH(ARG_MANY, __VA_ARGS__)
#define POS_MIXED(...) POS_WITH(ARG_MANY | ARG_MIXED, __VA_ARGS__)
#define SWITCH(name_, st, field, help_)                                                  \
	{                                                                                \
		.name = name_, .option = "-" name_, AT(st, field), .kind = &kind_switch, \
		.help = help_                                                            \
	}
#define ARGS_END             \
	{                    \
		.name = NULL \
	}

/* The value of a number, size, enum or flag list, and whether it was given. */
struct num {
	uint64_t v;
	bool set;
};

/* One number, or a range: the first, and its doubles up to the last. */
struct size_range {
	uint64_t first, last;
	bool is_range;
};

/* kind_bytes, kind_str: borrowed from the words, valid until the command returns. */
struct bytes {
	const unsigned char *data; /* NULL: not given */
	size_t len;
};

/* ARG_MANY: n values of kind->size each, valid until the command returns. */
struct many {
	void *v;
	size_t n;
};

extern const struct arg_kind kind_switch;  /* bool */
extern const struct arg_kind kind_str;	   /* const char *, NULL when not given */
extern const struct arg_kind kind_bytes;   /* struct bytes: the bytes of a Tcl value */
extern const struct arg_kind kind_obj;	   /* Tcl_Obj *: any value */
extern const struct arg_kind kind_command; /* Tcl_Obj *: with ARG_REST, words of a command */
extern const struct arg_kind kind_script;  /* Tcl_Obj *: a script to run */
extern const struct arg_kind kind_path;	   /* const char *: a file; completes file names */
extern const struct arg_kind kind_host;	   /* const char *: completes names and own addresses */
extern const struct arg_kind kind_expr;	   /* Tcl_Obj *: a condition for Tcl_ExprObj() */
extern const struct arg_kind kind_u8, kind_u16, kind_u32, kind_u64; /* struct num */
extern const struct arg_kind kind_size;	      /* struct num: bytes; K, M, G are 1024s */
extern const struct arg_kind kind_size_range; /* struct size_range: such a number, or 8..1M */
extern const struct arg_kind kind_port;	      /* struct num: 0 to 65535 */
extern const struct arg_kind kind_ms;	      /* struct num: milliseconds; "2s", "500ms", plain */
extern const struct arg_kind kind_enum;	      /* struct num: one of .data (struct word[]) */
extern const struct arg_kind kind_flags;      /* struct num: comma list of .data, ORed */

/* The size of the struct that the arguments of the command are parsed into. */
size_t args_room(const struct cmd *c);
/* Parses words into *dst (args_room() bytes, zeroed first). -1 with s->fail filled. Allocates from
 * s->arena. */
int args_parse(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[], void *dst);

/* The parsers of kind_str, kind_obj and kind_enum, for kinds that differ from them otherwise. */
int args_parse_str(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst);
int args_parse_obj(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst);
int args_parse_enum(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst);
/* For kinds: fails with "-rkey: <fmt>" (or "<name>: ..." for a positional); returns -1.
 */
int args_bad(struct session *s, const struct arg *a, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Appends a blank and text as one word that can be typed: in quotes if it contains blanks. */
void args_append_quoted(struct text *d, const char *text);
/* Parses a number, decimal or 0x..., exact to 64 bits. False: text is not a number. *fits is false
 * when the number is negative or does not fit in 64 bits. */
bool args_number(const char *text, uint64_t *v, bool *fits);
/* Parses len bytes of text as kind_size does: a part of the argument a. -1 with s->fail filled. */
int args_size(struct session *s, const struct arg *a, const char *text, size_t len, uint64_t *v);

/* Checks words without running the command. A word is NULL when its value is not known yet ($x,
 * [cmd]). Values are parsed if their kind is static. more: further words may follow. is(ctx, i, a),
 * unless NULL, is called with the argument that word i belongs to. -1 with s->fail filled. */
int args_check(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[], bool more,
	       void (*is)(void *ctx, int i, const struct arg *a), void *ctx);

/* The index of the first word of the argument that takes the rest (ARG_REST); objc if no word
 * belongs to it yet, -1 if the command has no such argument. */
int args_rest(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[]);

/* Appends the usage of c: "post write <mr> -remote addr ...". */
void args_usage(const struct cmd *c, struct text *d);
/* The same in a line or two: many options are shortened to "[option ...]". */
void args_usage_short(const struct cmd *c, struct text *d);
/* Adds the usage of c, and its first example, to s->fail. Returns -1. */
int args_fail_usage(struct session *s, const struct cmd *c);
/* Appends the part of the usage that is still missing after these (complete) words. */
void args_hint(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[],
	       struct text *d);
/* Appends to list what may follow these words: values of the next argument, and options that are
 * not given yet. The list is not filtered by the beginning of the next word. */
void args_complete(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[],
		   Tcl_Obj *list);

/* A command that sets something to one of some words, or shows it: SETTING_ARG is its argument. */
struct setting_args {
	struct num how;
};
#define SETTING_ARG(words, help) POS_OPT("how", setting_args, how, kind_enum, help, .data = words)
struct out;
/* Returns the value of the word that was given. Without one it shows and returns the present
 * value, now: "NAME is WORD". */
uint64_t setting_take(const struct setting_args *a, const char *name, const struct word *words,
		      uint64_t now, struct out *o);

/* A command is one declarative entry. Parsing, usage, hints, completion, help, the manual page and
 * the bash completion all use it. */

/* The comment directly before a definition is the help of the command: cmd_text(), and the lines
 * after '>' at its end, which are cmd_examples(). */
struct cmd {
	const char *name;	/* one or two words: "poll", "post write" */
	const char *family;	/* heading in help: "data path" */
	const char *summary;	/* one line, no full stop */
	const char *calls;	/* "ibv_post_send(3)": named in help, linked in the man page */
	const char *setup;	/* a script that the examples need to run first, or NULL */
	const struct arg *args; /* ends with a NULL name; NULL: none */
	unsigned flags;		/* CMD_... */
	/* args points to the parsed struct; returns 0, or -1 with s->fail filled. With
	 * CMD_EVALS also TCL_RETURN, TCL_BREAK or TCL_CONTINUE of the script it ran. */
	int (*exec)(struct session *s, const void *args, struct out *o);
	/* For a command whose arguments depend on its first words, else NULL: appends the words
	 * that may come next, and what is still missing. */
	void (*complete)(struct session *s, int objc, Tcl_Obj *const objv[], Tcl_Obj *words);
	void (*hint)(int objc, Tcl_Obj *const objv[], struct text *d);
	/* For a command that takes dicts, else NULL: appends what may come next in an open brace
	 * after its words. inner has one list for each of the depth open braces, the outermost
	 * first: the words in it so far. */
	void (*complete_dict)(struct session *s, int objc, Tcl_Obj *const objv[], int depth,
			      Tcl_Obj *const inner[], Tcl_Obj *words);
	/* For -n, after the argument table has been checked, or NULL: checks the positional words.
	 * A word is NULL if it is known only at run time. -1 with s->fail filled. */
	int (*check)(struct session *s, int n, Tcl_Obj *const words[]);
	/* help COMMAND WORD: writes the help for word (o NULL: does not); false: there is none. */
	bool (*help)(const char *word, struct out *o);
};

#define CMD_NO_RECORD 0x1 /* record leaves it out: help, show, record ... */
#define CMD_EVALS     0x2 /* runs a script given as an argument: its errors pass through */
#define CMD_LOOKS     0x4 /* changes no object; implied by CMD_NO_RECORD */

/* An example: a line of input, and text that its output or error must contain. The tests run the
 * examples of a command in order in one session, after the setup. */
struct cmd_eg {
	const char *line;
	const char *shows; /* NULL: any output */
};

/* All commands, sorted by name; ends with NULL. command_table.py makes it from the sources. */
extern const struct cmd *const cmd_table[];
/* The help of each, from the comment before its definition, in the same order. The lists of
 * examples end with a NULL line. */
extern const char *const cmd_texts[];
extern const struct cmd_eg *const cmd_example_lists[];

/* A second word, and the command that both words name. */
struct cmd_member {
	const char *word;
	const struct cmd *cmd;
};

/* The commands that share a first word. */
struct cmd_group {
	const char *word;
	const struct cmd *alone;	  /* the command of this word alone, or NULL */
	const struct cmd_member *members; /* sorted, ends with a NULL word; NULL: none */
};

/* All groups, sorted by word; ends with a NULL word. Made with cmd_table. */
extern const struct cmd_group cmd_groups[];

/* The command that a line of len bytes (-1: all) begins with. *rest, unless rest is NULL, is what
 * follows its name there. NULL: none, or the line is not complete. */
const struct cmd *cmd_of_line(const char *line, int len, const char **rest);

/* Finds the command that words[0..n) begin with. Names match by unique prefix, two-word names
 * first. *used is the number of words in the name; 0 for "@NAME", which is the command "@" and its
 * first argument in one word. NULL with s->fail filled when the name is unknown or ambiguous; with
 * s NULL there is no message. */
const struct cmd *cmd_find(struct session *s, const char *const words[], int n, int *used);

/* Like cmd_find(), for the group's word and objv[1], if there is one. */
const struct cmd *cmd_find_in(struct session *s, const struct cmd_group *group, int objc,
			      Tcl_Obj *const objv[], int *used);

/* "Did you mean": the word of the Tcl list that is nearest to typed, or NULL if none is near. Case
 * is ignored; each swapped, missing or wrong letter counts as one. Borrowed from the list. */
const char *cmd_suggest(const char *typed, Tcl_Obj *words);
/* "; did you mean NEAR?", to end a message; "" for NULL. Valid as temp_text() is. */
const char *mistake_did_you_mean(const char *near);

/* Finds a group by its word or a unique prefix of it; NULL: none or several. */
const struct cmd_group *cmd_group(const char *word);

/* The long help of a command of the table: paragraphs between empty lines, indented lines stay. */
const char *cmd_text(const struct cmd *c);
/* Its examples; the last one has a NULL line. */
const struct cmd_eg *cmd_examples(const struct cmd *c);

/* Does c->calls name the function fn, such as "ibv_post_send"? */
bool cmd_calls(const struct cmd *c, const char *fn);
/* "call ibv_query_pkey": the command that has help for this word, with the word, as temp_text();
 * NULL: none has. */
const char *cmd_with_help(const char *typed);

/* Parses objv (the words after the name), runs the command and releases what it used. Returns the
 * result of exec, or -1 with s->fail filled. */
int cmd_run(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[], struct out *o);

#endif
