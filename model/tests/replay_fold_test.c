/* SPDX-License-Identifier: MIT */
/* Lines of a recorded script that are repeated become a loop. */
#include "checks.h"
#include "play_parts.h"

static const char *folded(const char *script)
{
	static struct text to;

	text_free(&to);
	play_fold(script, &to);
	return text_str(&to);
}

int main(void)
{
	CHECK_STR(folded(""), "");
	CHECK_STR(folded("a\nb\na\nb\n"), "a\nb\na\nb\n"); /* twice is not often */
	CHECK_STR(folded("a\na\na\nb\n"), "a\na\na\nb\n"); /* it would not be shorter */
	CHECK_STR(folded("x\na\na\na\na\nb\n"),
		  "x\nfor {set i 0} {$i < 4} {incr i} {\n\ta\n}\nb\n");
	CHECK_STR(folded("a\nb\na\nb\na\nb\na\nc\n"),
		  "for {set i 0} {$i < 3} {incr i} {\n\ta\n\tb\n}\na\nc\n");
	/* a line in two parts is one */
	CHECK_STR(folded("a \\\n\tb\na \\\n\tb\na \\\n\tb\na \\\n\tb\n"),
		  "for {set i 0} {$i < 4} {incr i} {\n\ta \\\n\t\tb\n}\n");
	return checks_end();
}
