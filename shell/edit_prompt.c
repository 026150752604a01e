/* SPDX-License-Identifier: MIT */
/* The prompt as libedit wants it: its colours marked as without width. */
#include <limits.h>
#include <string.h>

#include "edit_impl.h"

#define CONTINUATION "...> "

static void end_colors(Tcl_DString *out, Tcl_DString *colors)
{
	const char literal = EDIT_LITERAL;

	if (Tcl_DStringLength(colors) == 0)
		return;
	Tcl_DStringAppend(out, &literal, 1);
	Tcl_DStringAppend(out, Tcl_DStringValue(colors), Tcl_DStringLength(colors));
	Tcl_DStringAppend(out, &literal, 1);
	Tcl_DStringSetLength(colors, 0);
}

/* Length of the SGR sequence at s, or 0. */
static int sgr_length(const char *s)
{
	size_t n;

	if (s[0] != '\033' || s[1] != '[')
		return 0;
	n = 2 + strspn(s + 2, "0123456789;:");
	return s[n] == 'm' ? (int)n + 1 : 0;
}

/* libedit ties a literal to the character behind it: adjacent ones are to be one, and the
 * last one is lost, so it goes before the blank that ends the prompt. */
static void close_prompt(Tcl_DString *out, Tcl_DString *colors)
{
	const char *s = Tcl_DStringValue(out);
	int n = Tcl_DStringLength(out);

	if (Tcl_DStringLength(colors) == 0)
		return;
	if (n > 1 && s[n - 1] == ' ' && s[n - 2] != EDIT_LITERAL)
		Tcl_DStringSetLength(out, n - 1);
	end_colors(out, colors);
	Tcl_DStringAppend(out, " ", 1);
}

static void enclose_colors(Tcl_DString *out, const char *s)
{
	Tcl_DString colors;
	int n;

	Tcl_DStringInit(&colors);
	while (*s) {
		n = sgr_length(s);
		if (n > 0) {
			Tcl_DStringAppend(&colors, s, n);
			s += n;
			continue;
		}
		if ((unsigned char)*s >= ' ') {
			end_colors(out, &colors);
			Tcl_DStringAppend(out, s, 1);
		}
		s++;
	}
	close_prompt(out, &colors);
	Tcl_DStringFree(&colors);
}

static void first_prompt(struct edit *e)
{
	struct spot at = { .columns = INT_MAX };
	Tcl_DString plain;

	Tcl_DStringInit(&plain);
	e->ops->prompt(e->ctx, &plain);
	enclose_colors(&e->prompt, Tcl_DStringValue(&plain));
	Tcl_DStringFree(&plain);
	edit_advance_prompt(&at, Tcl_DStringValue(&e->prompt));
	e->first_width = at.col;
}

static void next_prompt(struct edit *e)
{
	int pad = e->first_width - (int)strlen(CONTINUATION);

	if (e->first_width <= edit_terminal_size(e, "co") / 2)
		while (pad-- > 0)
			Tcl_DStringAppend(&e->prompt, " ", 1);
	Tcl_DStringAppend(&e->prompt, CONTINUATION, -1);
}

char *edit_prompt(EditLine *el)
{
	struct edit *e = edit_of(el);

	Tcl_DStringSetLength(&e->prompt, 0);
	if (Tcl_DStringLength(&e->lines) > 0)
		next_prompt(e);
	else
		first_prompt(e);
	return Tcl_DStringValue(&e->prompt);
}
