/* SPDX-License-Identifier: MIT */
/* Text for the width of a terminal: where lines break, and what stands below what. */
#include <locale.h>
#include <string.h>

#include "checks.h"
#include "output/print.h"

static bool folds(const char *text, unsigned columns, const char *want, unsigned rows)
{
	struct text d;
	bool is;

	d = (struct text){ 0 };
	is = print_fold(text, columns, &d) == rows && strcmp(text_str(&d), want) == 0;
	if (!is)
		printf("'%s'\n", text_str(&d));
	text_free(&d);
	return is;
}

static bool as_ascii(const char *text, const char *want)
{
	struct text d;
	bool is;

	d = (struct text){ 0 };
	print_fold_to_ascii(text, &d);
	is = strcmp(text_str(&d), want) == 0;
	text_free(&d);
	return is;
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	CHECK(folds("", 20, "", 0));
	CHECK(folds("fits\n", 20, "fits\n", 1));
	CHECK(folds("just as wide as that\n", 20, "just as wide as that\n", 1));
	CHECK(folds("one word more than it has\n", 20, "one word more than\n  it has\n", 2));
	CHECK(folds("  one word more than it has\n", 20, "  one word more than\n  it has\n", 2));
	/* below the text of a line that has a label */
	CHECK(folds("  next  some words to be typed here\n", 24,
		    "  next  some words to be\n        typed here\n", 2));
	CHECK(folds("\033[31m  next  \033[0msome words to be typed here\n", 24,
		    "\033[31m  next  \033[0msome words to be\n        typed here\n", 2));
	CHECK(folds("    UROCE_FAULT=drop=5%  loses packets, one of twenty of them\n", 60,
		    "    UROCE_FAULT=drop=5%  loses packets, one of twenty of\n"
		    "                         them\n",
		    2));
	/* and below that of an item of a list */
	CHECK(folds("  next  - some words to type\n", 24,
		    "  next  - some words to\n          type\n", 2));
	CHECK(folds("          - some words to type\n", 26,
		    "          - some words to\n            type\n", 2));
	CHECK(folds("a - b, one word more than it has\n", 20,
		    "a - b, one word more\n  than it has\n", 2));
	/* a word that is longer stays whole */
	CHECK(folds("a_word_of_more_than_twenty_columns\n", 20,
		    "a_word_of_more_than_twenty_columns\n", 2));
	/* unless it is a list */
	CHECK(folds("a LOCAL_WRITE,REMOTE_WRITE,REMOTE_READ\n", 30,
		    "a\n  LOCAL_WRITE,REMOTE_WRITE,\n  REMOTE_READ\n", 3));
	/* neither a colour nor the bytes of a sign are columns */
	CHECK(folds("\033[31mµµµµµµµµµµ\033[0m ab cd ef gh\n", 20,
		    "\033[31mµµµµµµµµµµ\033[0m ab cd ef\n  gh\n", 2));
	CHECK(folds("two\nlines\n", 4, "two\nlines\n", 3));
	CHECK(as_ascii("12 µs … 3 × 4 → ┌ \xff", "12 us ... 3 x 4 -> ? \xff"));
	return checks_end();
}
