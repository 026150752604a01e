/* SPDX-License-Identifier: MIT */
/*
 * A small shell on edit.h, to be driven at a terminal: its blocks are Tcl, and its own
 * commands are echo, notice (MS TEXT: posts it later), notices (FIFO: posts what is written
 * there, each write one notice), busy (MS), hints (0 or 1), quit.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcl.h>
#include <unistd.h>

#include "edit/edit.h"
#include "loop.h"
#include "output/print.h"
#include "alloc.h"

struct demo {
	struct loop *loop;
	struct edit *edit;
	struct notices *notices;
	Tcl_Interp *interp;
	bool quit;
};

static const char *const words[] = { "echo",
				     "notice",
				     "busy",
				     "hints",
				     "quit",
				     "post-read",
				     "post-write",
				     "two words",
				     "gr\303\266\303\237e",
				     "gr\303\266\303\237er" };
#define N_WORDS (sizeof(words) / sizeof(*words))

static void show_prompt(void *ctx, struct text *prompt)
{
	(void)ctx;
	text_add(prompt, "\033[1m\033[32mdemo\033[0m> ");
}

static bool is_whole(void *ctx, const char *text)
{
	(void)ctx;
	return Tcl_CommandComplete(text);
}

static void add_fitting(Tcl_Obj *list, const char *word, const char *typed)
{
	if (strncmp(word, typed, strlen(typed)) == 0)
		Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(word, -1));
}

static void complete(void *ctx, const char *text, Tcl_Obj *list, size_t *start)
{
	const char *p, *typed = text;
	char number[8];
	unsigned i;

	(void)ctx;
	for (p = text; *p; p++)
		if (strchr(" \n", *p))
			typed = p + 1;
	*start = typed - text;
	if (strncmp(text, "opt ", 4) == 0) {
		add_fitting(list, "-only", typed);
		return;
	}
	for (i = 0; i < N_WORDS; i++)
		add_fitting(list, words[i], typed);
	for (i = 0; *typed == 'n' && i < 300; i++) {
		snprintf(number, sizeof(number), "num%03u", i);
		add_fitting(list, number, typed);
	}
}

static void hint(void *ctx, const char *text, struct text *missing)
{
	const char *line = strrchr(text, '\n');

	(void)ctx;
	line = line ? line + 1 : text;
	if (strcmp(line, "post-write ") == 0)
		text_add(missing, "<mr> -remote <addr> -len <n> -rkey <n>");
}

static const struct edit_ops ops = { show_prompt, is_whole, complete, hint };

static int echo_cmd(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
	int i;

	(void)data;
	(void)interp;
	for (i = 1; i < objc; i++)
		printf("%s%s", i > 1 ? " " : "", Tcl_GetString(objv[i]));
	putchar('\n');
	return TCL_OK;
}

struct later {
	struct demo *demo;
	char *text;
};

static void post_now(void *arg)
{
	struct later *later = arg;

	notice_post(later->demo->notices, NOTICE_CM, "%s", later->text);
	free(later->text);
	free(later);
}

static int number(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[], int at, int *n)
{
	if (objc > at && Tcl_GetIntFromObj(interp, objv[at], n) == TCL_OK)
		return TCL_OK;
	return TCL_ERROR;
}

static int notice_cmd(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
	struct later *later;
	int ms;

	if (objc != 3 || number(interp, objc, objv, 1, &ms) != TCL_OK)
		return TCL_ERROR;
	later = xcalloc(1, sizeof(*later));
	later->demo = data;
	later->text = xstrdup(Tcl_GetString(objv[2]));
	loop_after(later->demo->loop, ms, post_now, later);
	return TCL_OK;
}

static void on_fifo(void *arg, int fd, short revents)
{
	struct demo *demo = arg;
	char text[256];
	ssize_t n = read(fd, text, sizeof(text) - 1);

	(void)revents;
	if (n <= 0)
		return;
	text[n] = 0;
	notice_post(demo->notices, NOTICE_CM, "%s", text);
}

/* For writing, too: so there is no end of file between two that write. */
static int notices_cmd(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
	struct demo *demo = data;
	int fd = objc == 2 ? open(Tcl_GetString(objv[1]), O_RDWR | O_NONBLOCK) : -1;

	(void)interp;
	if (fd < 0)
		return TCL_ERROR;
	loop_watch(demo->loop, fd, POLLIN, on_fifo, demo);
	return TCL_OK;
}

static int busy_cmd(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
	struct demo *demo = data;
	int ms;

	if (number(interp, objc, objv, 1, &ms) != TCL_OK)
		return TCL_ERROR;
	if (loop_wait(demo->loop, NULL, NULL, ms) == LOOP_INTERRUPTED)
		puts("interrupted");
	loop_clear_interrupt(demo->loop);
	return TCL_OK;
}

static int hints_cmd(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
	struct demo *demo = data;
	int on;

	if (number(interp, objc, objv, 1, &on) != TCL_OK)
		return TCL_ERROR;
	edit_hints(demo->edit, on);
	return TCL_OK;
}

static int quit_cmd(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
	struct demo *demo = data;

	(void)interp;
	(void)objc;
	(void)objv;
	demo->quit = true;
	return TCL_OK;
}

static void run(struct demo *demo, const char *block)
{
	const char *result;

	Tcl_Eval(demo->interp, block);
	result = Tcl_GetStringResult(demo->interp);
	if (*result)
		puts(result);
}

static void read_blocks(struct demo *demo)
{
	enum edit_end end = EDIT_CANCEL;
	struct text block;

	while (!demo->quit && end != EDIT_EOF) {
		block = (struct text){ 0 };
		end = edit_read(demo->edit, &block);
		if (end == EDIT_BLOCK)
			run(demo, text_str(&block));
		text_free(&block);
	}
}

static void add_commands(struct demo *demo)
{
	Tcl_CreateObjCommand(demo->interp, "echo", echo_cmd, demo, NULL);
	Tcl_CreateObjCommand(demo->interp, "notice", notice_cmd, demo, NULL);
	Tcl_CreateObjCommand(demo->interp, "notices", notices_cmd, demo, NULL);
	Tcl_CreateObjCommand(demo->interp, "busy", busy_cmd, demo, NULL);
	Tcl_CreateObjCommand(demo->interp, "hints", hints_cmd, demo, NULL);
	Tcl_CreateObjCommand(demo->interp, "quit", quit_cmd, demo, NULL);
}

int main(void)
{
	const char *state = getenv("XDG_STATE_HOME");
	char *history = state ? xasprintf("%s/rdmash/history", state) : NULL;
	struct demo demo = { 0 };

	demo.loop = loop_new();
	demo.interp = Tcl_CreateInterp();
	add_commands(&demo);
	demo.edit = edit_new(demo.loop, &ops, &demo, history);
	demo.notices = notices_new(NULL);
	print_editor(demo.edit);

	read_blocks(&demo);

	notices_free(demo.notices);
	edit_free(demo.edit);
	Tcl_DeleteInterp(demo.interp);
	loop_free(demo.loop);
	Tcl_Finalize();
	free(history);
	puts("bye");
	return 0;
}
