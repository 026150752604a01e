/* SPDX-License-Identifier: MIT */
/* What the commands add to the shell: nothing yet. */
#include "session.h"

static int app_open(struct session *s)
{
	(void)s;
	return 0;
}

static void app_close(struct session *s)
{
	(void)s;
}

static void app_prompt(struct session *s, Tcl_DString *prompt)
{
	(void)s;
	Tcl_DStringAppend(prompt, "rdmash> ", -1);
}

static void app_version(Tcl_DString *text)
{
	(void)text;
}

const struct app app = {
	.open = app_open,
	.close = app_close,
	.prompt = app_prompt,
	.version = app_version,
};
