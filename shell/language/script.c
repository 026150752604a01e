/* SPDX-License-Identifier: MIT */
/* Running text, one top-level command at a time. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "file/file.h"
#include "language/interp.h"
#include "language/script.h"
#include "output/print.h"
#include "session.h"
#include "alloc.h"

#define END_MARK     "::rdmash_end"
#define SCRIPT_DEPTH 16	  /* files that source files */
#define NEST_MAX     2000 /* brackets in brackets: Tcl runs no more than 1000 */

/* ---------------------------------------------------------------- printing -- */

/* {"value":...,"where":"file:3"}; what is typed at a prompt has no place. */
static void print_as_json(struct session *s)
{
	struct json_object *place;
	struct where now;
	SCOPED_TEXT(value);
	SCOPED_TEXT(line);

	out_print(s->last, OUT_JSON, &value);
	if (!text_len(&value))
		return;
	where_init(&now);
	script_where(s, &now);
	place = json_object_new_string(text_str(&now.text));
	xappendf(&line, "{\"value\":%.*s", (int)text_len(&value) - 1, text_str(&value));
	if (text_len(&now.text))
		xappendf(&line, ",\"where\":%s",
			 json_object_to_json_string_ext(place, JSON_C_TO_STRING_NOSLASHESCAPE));
	text_add(&line, "}\n");
	print_json(text_str(&line));
	json_object_put(place);
	text_free(&now.text);
}

/* The result of a command of the shell is printed as that command prints it, also if Tcl's if
 * or a proc returned it. */
static void print_result(struct session *s, bool ours)
{
	const char *text;

	if (s->opt.quiet)
		return;
	if (ours || (s->last && out_is_value(s->last, Tcl_GetObjResult(s->tcl)))) {
		if (s->last && s->opt.format == OUT_JSON)
			print_as_json(s);
		else if (s->last)
			out_show(s->last, s->opt.format);
	} else if (s->at_prompt) {
		text = Tcl_GetStringResult(s->tcl);
		if (*text)
			out_line(OUT_TEXT, text);
	}
}

static void echo_command(struct session *s, const char *command, int len)
{
	static const char marks[SCRIPT_DEPTH + 1] = "++++++++++++++++";
	unsigned depth = 0;

	for (const struct script *sc = s->script; sc; sc = sc->parent)
		depth++;
	print_error("%.*s %.*s\n", (int)depth, marks, len, command);
}

/* ----------------------------------------------------------------- running -- */

/* Is a marker command evaluated after the command? It runs only if the command did not return from
 * the script, which the interpreter does not report. It hides the command's value. */
static bool is_marked(const struct script *sc)
{
	return sc->name && !(sc->valued && sc->last);
}

static int eval_command(struct session *s, const char *command, int len)
{
	static const char mark[] = "\n\n" END_MARK;
	struct script *sc = s->script;
	int rc;

	fail_keep(s);
	s->commands++;
	s->partly = 0;
	step_command(s);
	out_free(s->last);
	s->last = NULL;
	sc->ended = false;
	if (sc->domain == s->own)
		domain_turn(s);
	rc = script_fs_eval(s->tcl, &(struct position){ sc->name, sc->line }, command, len,
			    is_marked(sc) ? mark : NULL);
	if (rc == TCL_OK && is_marked(sc) && !sc->ended)
		rc = TCL_RETURN;
	step_ended(s);
	if (rc == TCL_ERROR)
		interp_fail(s);
	return rc;
}

/* Runs one command; prints its result. A Tcl result code. */
static int run_one(struct session *s, const char *command, int len, bool print)
{
	const bool outer = s->printing, outer_typed = s->at_prompt;
	const bool ours = interp_ours(s, command, len);
	int rc;

	if (s->opt.echo)
		echo_command(s, command, len);
	s->at_prompt = s->opt.interactive && !s->script->name;
	s->printing = print && (ours || s->at_prompt) && !s->opt.quiet;
	s->script->command = command;
	s->script->len = len;
	rc = eval_command(s, command, len);
	s->printing = outer;
	if (rc == TCL_OK && print)
		print_result(s, ours);
	s->at_prompt = outer_typed;
	return rc;
}

/* Prints the error of a command at top level, and counts it. */
static void report_error(struct session *s)
{
	if (!s->opt.interactive && !s->opt.peer)
		fail_add_causes(s);
	if (!verdict_is_shown(s))
		fail_report(s);
	verdict_error(s);
}

/* Reports an error at top level. True: continue with the next command. */
static bool report_and_continue(struct session *s)
{
	report_error(s);
	return s->opt.keep_going && !loop_interrupted(s->loop) && !loop_ending(s->loop) &&
	       !s->skipped;
}

#define SHOWN 50 /* bytes of a line that are shown before and after an error's position */

/* Adds the line of text that contains at, and below it a caret under at: "  opened      echo
 * [poll", "^". */
static void point_at(struct session *s, const char *label, const char *text, const char *end,
		     const char *at)
{
	const char *from = at, *to = at;
	SCOPED_TEXT(line);
	int column;

	while (from > text && from[-1] != '\n' && at - from < SHOWN)
		from--;
	while (to < end && *to != '\n' && to - at < SHOWN)
		to++;
	while ((*from & 0xc0) == 0x80) /* not in the middle of a character */
		from++;
	visible_append(&line, from, (size_t)(at - from), VISIBLE_ONE_LINE);
	column = Tcl_NumUtfChars(text_str(&line), text_len(&line));
	visible_append(&line, at, (size_t)(to - at), VISIBLE_ONE_LINE);
	fail_row(s, label, "%s\n%*s^", text_str(&line), column, "");
}

const char *script_unparsed(struct session *s, const char *text, const char *end,
			    const Tcl_Parse *parse)
{
	const char *at = parse->term && parse->term >= text && parse->term < end ? parse->term
										 : text;

	fail(s, "script", "SYNTAX", "%s", Tcl_GetStringResult(s->tcl));
	point_at(s, parse->incomplete ? "opened" : "here", text, end, at);
	return at;
}

/* Fails with the error of Tcl's parser; text begins at that line. */
static int syntax_error(struct session *s, const char *name, unsigned line, const char *text,
			const char *end, const Tcl_Parse *parse)
{
	const char *at = script_unparsed(s, text, end, parse);

	Tcl_SetObjResult(s->tcl, Tcl_NewStringObj(s->fail.text, -1));
	fail_at(s, name, line + where_lines(text, at));
	return -1;
}

/* Finds the place of the syntax error, or NULL. Sets *incomplete if something is opened there and
 * not closed. A braced word need not be a script, so only an error with this message counts. */
static const char *find_syntax(Tcl_Interp *tcl, const char *text, const char *end,
			       const char *message, unsigned depth, bool *incomplete)
{
	const char *found = NULL;

	while (text < end && !found) {
		Tcl_Parse parse;
		const Tcl_Token *t;

		if (Tcl_ParseCommand(tcl, text, (int)(end - text), 0, &parse) != TCL_OK) {
			*incomplete = parse.incomplete;
			return parse.term && strcmp(Tcl_GetStringResult(tcl), message) == 0
				       ? parse.term
				       : NULL;
		}
		t = parse.tokenPtr;
		for (int i = 0; i < parse.numWords && !found && depth; i++) {
			if (t->type == TCL_TOKEN_SIMPLE_WORD && *t->start == '{')
				found = find_syntax(tcl, t[1].start, t[1].start + t[1].size,
						    message, depth - 1, incomplete);
			t += t->numComponents + 1;
		}
		text = parse.commandStart + parse.commandSize;
		Tcl_FreeParse(&parse);
	}
	return found;
}

#define BLOCKS 100 /* braces in braces that are looked into */

bool script_syntax(struct session *s, const char *text, size_t len, const char *message,
		   unsigned *line)
{
	Tcl_InterpState saved = Tcl_SaveInterpState(s->tcl, TCL_OK);
	bool incomplete = false;
	const char *at = find_syntax(s->tcl, text, text + len, message, BLOCKS, &incomplete);

	Tcl_RestoreInterpState(s->tcl, saved);
	if (!at)
		return false;
	point_at(s, incomplete ? "opened" : "here", text, text + len, at);
	*line = where_lines(text, at) + 1;
	return true;
}

/* Has Tcl parsed raw, the inside of a braced word, as text? Tcl replaces a backslash at the end of
 * a line, and the indentation of the next line, by one blank. */
static bool is_inside(const char *raw, size_t size, const char *text)
{
	for (const char *end = raw + size; raw < end; raw++, text++) {
		bool is_joined = raw[0] == '\\' && raw + 1 < end && raw[1] == '\n';

		if (*text != (is_joined ? ' ' : *raw))
			return false;
		if (is_joined)
			raw += 1 + strspn(raw + 2, " \t");
		else if (raw[0] == '\\' && raw + 1 < end && *++text != *++raw)
			return false;
	}
	return !*text;
}

const char *script_word(const char *command, const char *text, size_t *size)
{
	const char *found = NULL;
	Tcl_Parse parse;
	const Tcl_Token *t;

	if (Tcl_ParseCommand(NULL, command, -1, 0, &parse) != TCL_OK)
		return NULL;
	t = parse.tokenPtr;
	for (int i = 0; i < parse.numWords; i++, t += t->numComponents + 1) {
		bool braced = *t->start == '{';
		const char *raw = t->start + braced;
		size_t n = (size_t)t->size - 2 * braced;

		if ((braced || t->type == TCL_TOKEN_SIMPLE_WORD) && is_inside(raw, n, text)) {
			found = raw;
			*size = n;
		}
	}
	Tcl_FreeParse(&parse);
	return found;
}

/* A cheap estimate: newlines and quotes can deceive it; main()'s stack guard catches such text. */
bool script_nests(const char *text)
{
	unsigned depth = 0;

	for (; *text && depth <= NEST_MAX; text++) {
		if (*text == '[')
			depth++;
		else if (*text == ']' && depth)
			depth--;
		else if (*text == '\n')
			depth = 0;
		else if (*text == '\\' && text[1])
			text++;
	}
	return depth > NEST_MAX;
}

static int fail_nested(struct session *s, const char *name)
{
	fail(s, "script", "SYNTAX", "brackets nested more than %d deep", NEST_MAX);
	s->fail.where = xstrdup(name ? name : "");
	return -1;
}

/* A command in a text, and where the next one begins. */
struct piece {
	const char *text;
	int len;
	unsigned line;
	bool empty; /* comments only */
	const char *next;
	unsigned next_line;
};

static const char *last_word_end(const Tcl_Parse *parse)
{
	const Tcl_Token *t = parse->tokenPtr;

	for (int i = 1; i < parse->numWords; i++)
		t += t->numComponents + 1;
	return t->start + t->size;
}

/* Cuts the first command off text; -1 with s->fail filled. */
static int cut_command(struct session *s, const char *name, const char *text, const char *end,
		       unsigned line, struct piece *c)
{
	Tcl_Parse parse;

	if (Tcl_ParseCommand(s->tcl, text, (int)(end - text), 0, &parse) != TCL_OK)
		return syntax_error(s, name, line, text, end, &parse);
	c->text = parse.commandStart;
	c->len = parse.commandSize;
	c->next = c->text + c->len;
	if (parse.numWords)
		c->len = (int)(last_word_end(&parse) - c->text);
	c->line = line + where_lines(text, c->text);
	c->empty = parse.numWords == 0;
	c->next_line = c->line + where_lines(c->text, c->next);
	Tcl_FreeParse(&parse);
	return 0;
}

/* Is c the last command: do only comments follow? */
static bool is_last(struct session *s, const struct piece *c, const char *end)
{
	struct piece next = *c;

	while (next.next < end)
		if (cut_command(s, s->script->name, next.next, end, next.next_line, &next) ||
		    !next.empty)
			return false;
	return true;
}

/* Does the text parse, which begins at that line? */
static int script_parses(struct session *s, const char *name, const char *text, unsigned line)
{
	const char *end = text + strlen(text);
	struct piece c = { .next = text, .next_line = line };

	if (script_nests(text))
		return fail_nested(s, name);
	while (c.next < end)
		if (cut_command(s, name, c.next, end, c.next_line, &c))
			return -1;
	return 0;
}

static void note_command(struct session *s, const struct piece *c, bool failed)
{
	if (!s->script->parent && !s->script->dir && !c->empty)
		recorder_note(s, c->text, c->len, failed);
}

/* Counts the expectations behind c, which has ended the script: they belong to the plan. */
static void count_unreached(struct session *s, struct piece c, const char *end)
{
	static const char expect[] = "expect";

	while (c.next < end && !cut_command(s, s->script->name, c.next, end, c.next_line, &c))
		s->unreached += !c.empty && strncmp(c.text, expect, sizeof expect - 1) == 0 &&
				strchr(" \t", c.text[sizeof expect - 1]);
}

/* top: errors are printed. Returns a Tcl result code. */
static int run_commands(struct session *s, const char *text, bool top, bool print)
{
	const char *end = text + strlen(text);
	struct piece c = { .next = text, .next_line = s->script->line };
	int result = TCL_OK, rc;

	while (c.next < end && !s->quit) {
		if (cut_command(s, s->script->name, c.next, end, c.next_line, &c)) {
			if (top)
				report_error(s);
			return TCL_ERROR;
		}
		if (c.empty)
			continue;
		s->script->line = c.line;
		s->script->last = s->script->valued && is_last(s, &c, end);
		rc = run_one(s, c.text, c.len, print);
		if (s->quit)
			return TCL_OK;
		note_command(s, &c, rc == TCL_ERROR);
		if (rc != TCL_OK && rc != TCL_ERROR)
			return rc;
		if (rc == TCL_ERROR) {
			result = TCL_ERROR;
			if (top && report_and_continue(s))
				continue;
			if (top && s->script->name && !s->skipped)
				count_unreached(s, c, end);
			break;
		}
	}
	return result;
}

/* Fails because break or continue was used outside of a loop. */
static int fail_outside_loop(struct session *s, int rc, bool top)
{
	fail(s, "script", "ERROR", "%s outside of a loop", rc == TCL_BREAK ? "break" : "continue");
	fail_at(s, s->script->name, s->script->line);
	if (top)
		report_error(s);
	return TCL_ERROR;
}

static int enter_script(struct session *s, struct script *script, const char *text,
			struct border *border)
{
	unsigned depth = 0;

	if (script_nests(text))
		return fail_nested(s, script->name);
	for (const struct script *sc = s->script; sc; sc = sc->parent)
		if (++depth == SCRIPT_DEPTH)
			return fail(s, "source", "DEPTH", "scripts nested more than %d deep",
				    SCRIPT_DEPTH);
	script->parent = s->script;
	s->script = script;
	domain_enter(s, border, script->domain, false);
	return 0;
}

/* Moves the result to the interpreter of the domain that is returned to. */
static int leave_script(struct session *s, struct script *script, struct border *border, int rc)
{
	s->script = script->parent;
	domain_leave(s, border);
	Tcl_TransferResult(border->into->tcl, rc, s->tcl);
	return rc;
}

/* Runs text, which begins at script->line, in the script's domain. */
static int run_text(struct session *s, struct script *script, const char *text, bool top,
		    bool print)
{
	struct border border;
	int rc;

	if (enter_script(s, script, text, &border)) {
		if (top)
			report_error(s);
		return TCL_ERROR;
	}
	Tcl_ResetResult(s->tcl); /* a text without a command has no value */
	rc = run_commands(s, text, top, print);
	if ((rc == TCL_BREAK || rc == TCL_CONTINUE) && !script->is_body)
		rc = fail_outside_loop(s, rc, top);
	return leave_script(s, script, &border, rc);
}

int script_run_as(struct session *s, struct script *script, const char *text)
{
	int rc;

	if (script->name && script_parses(s, script->name, text, script->line)) {
		report_error(s);
		return -2;
	}
	rc = run_text(s, script, text, true, true);
	script->left = rc == TCL_RETURN;
	return rc == TCL_ERROR ? -1 : 0;
}

int script_run(struct session *s, const char *name, const char *text)
{
	return script_run_as(s,
			     &(struct script){ .name = name,
					       .line = 1,
					       .domain = s->domain,
					       .is_block = !name && strchr(text, '\n') },
			     text);
}

int script_body(struct session *s, Tcl_Obj *body)
{
	struct script script = { .dir = s->script ? s->script->dir : NULL,
				 .domain = s->domain,
				 .is_body = true };
	struct position at;
	char *text = where_body(s->domain, body, &at);
	int rc;

	if (!text) { /* the script has built the body: use the line of the loop */
		if (!s->script)
			return interp_eval(s, body);
		at = (struct position){ .name = s->script->name, .line = s->script->line };
		text = xstrdup(Tcl_GetString(body));
	}
	script.name = at.name;
	script.line = at.line;
	rc = run_text(s, &script, text, false, true);
	free(text);
	return rc;
}

int script_part(struct session *s, const struct script *as, const char *text, bool print)
{
	struct script script = { .name = as->name,
				 .dir = as->dir,
				 .line = as->line,
				 .domain = as->domain ? as->domain : domain_of(s, as->dir),
				 .valued = true };

	return run_text(s, &script, text, false, print);
}

static int end_mark(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	struct domain *d = data;

	(void)tcl, (void)objc, (void)objv;
	if (d->s->script)
		d->s->script->ended = true;
	return TCL_OK;
}

void script_commands(struct domain *d)
{
	Tcl_CreateObjCommand(d->tcl, END_MARK, end_mark, d, NULL);
}

/* ------------------------------------------------------------------- files -- */

static int run_file(struct session *s, const char *path, bool start)
{
	struct script script = { .name = path, .line = 1 };
	struct script_text t;
	int rc;

	if (file_read_script(s, path, &t)) {
		report_error(s);
		return -2;
	}
	if (start && !t.is_users)
		print_text(PRINT_OUT, "Others could have written it: it runs with the rights of a "
				      "script\n");
	script.dir = t.dir;
	script.domain = start && t.is_users ? s->own : domain_of(s, t.dir);
	rc = script_run_as(s, &script, t.text);
	file_free_script(&t);
	return rc;
}

int script_file(struct session *s, const char *path)
{
	return run_file(s, path, false);
}

int script_start_file(struct session *s, const char *path)
{
	return run_file(s, path, true);
}

int script_source(struct session *s, const char *path)
{
	/* without a directory of the script, file_open() begins at the current one */
	const bool is_beside = s->script && s->script->dir;
	char *name = file_path_beside(is_beside ? s->script->name : NULL, path);
	struct script script = { .name = name, .line = 1 };
	struct script_text t;
	int rc = TCL_ERROR;

	if (file_read_script(s, path, &t) == 0) {
		script.dir = t.dir;
		script.domain = s->domain == s->own ? domain_of(s, t.dir) : s->domain;
		if (!script_parses(s, name, t.text, 1))
			rc = run_text(s, &script, t.text, false, false);
		file_free_script(&t);
	}
	free(name);
	return rc;
}
