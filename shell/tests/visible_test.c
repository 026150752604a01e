/* SPDX-License-Identifier: MIT */
/* All that text can hold: what is shown as it is, and what as an escape. */
#include <string.h>

#include "checks.h"
#include "output/print.h"

static const char *visible(const char *text, size_t len, enum visible_lines lines)
{
	static struct text d;

	text_free(&d);
	visible_append(&d, text, len, lines);
	return text_str(&d);
}

static void words(void)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{ "plain \\x1b \303\266 \342\202\254 \346\274\242 \360\237\230\200",
		  "plain \\x1b \303\266 \342\202\254 \346\274\242 \360\237\230\200" },
		{ "\033[2J\a\b\r\177", "\\x1b[2J\\x07\\x08\\x0d\\x7f" },
		{ "a\nb\tc", "a\\nb\\tc" },
		{ "\302\233m", "\\u009bm" },			    /* CSI of C1 */
		{ "\342\200\256x\342\201\246", "\\u202ex\\u2066" }, /* bidi */
		{ "\330\234\342\200\216", "\\u061c\\u200e" },
		{ "\342\200\213\357\273\277\302\255", "\\u200b\\ufeff\\u00ad" }, /* no width */
		{ "\342\200\250\342\200\251", "\\u2028\\u2029" }, /* other ends of lines */
		{ "\363\240\201\201", "\\U000e0041" },		  /* a tag */
		{ "\300\200", "\\x00" },			  /* Tcl's NUL */
		{ "\300\233", "\\xc0\\x9b" },			  /* overlong */
		{ "\340\200\233", "\\xe0\\x80\\x9b" },
		{ "\355\240\200", "\\xed\\xa0\\x80" }, /* a surrogate */
		{ "\364\220\200\200", "\\xf4\\x90\\x80\\x80" },
		{ "\233", "\\x9b" },
		{ "\342\200", "\\xe2\\x80" }, /* cut off */
		{ "\377\376", "\\xff\\xfe" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		CHECK_STR(visible(rows[i].text, strlen(rows[i].text), VISIBLE_ONE_LINE),
			  rows[i].shown);
		CHECK(visible_is_plain(rows[i].text) == (strcmp(rows[i].text, rows[i].shown) == 0));
		CHECK(visible_is_plain(rows[i].shown));
	}
	CHECK_STR(visible("a\nb\tc\r", 6, VISIBLE_LINES), "a\nb\tc\\x0d");
	CHECK_STR(visible("a\0b", 3, VISIBLE_LINES), "a\\x00b");
	CHECK_STR(visible("a\n\303\266\377\342\200\256\363\240\201\201", 12, VISIBLE_JSON),
		  "a\n\303\266\\u00ff\\u202e\\udb40\\udc41");
}

/* Every code there is: what comes out is visible, and does not change when it is put in. */
static void all_codes(void)
{
	for (uint32_t c = 1; c <= 0x10ffff; c++) {
		char text[5] = { 0 };

		if (c < 0x80) {
			text[0] = (char)c;
		} else if (c < 0x800) {
			text[0] = (char)(0xc0 | c >> 6);
			text[1] = (char)(0x80 | (c & 0x3f));
		} else if (c < 0x10000) {
			text[0] = (char)(0xe0 | c >> 12);
			text[1] = (char)(0x80 | (c >> 6 & 0x3f));
			text[2] = (char)(0x80 | (c & 0x3f));
		} else {
			text[0] = (char)(0xf0 | c >> 18);
			text[1] = (char)(0x80 | (c >> 12 & 0x3f));
			text[2] = (char)(0x80 | (c >> 6 & 0x3f));
			text[3] = (char)(0x80 | (c & 0x3f));
		}
		if (!visible_is_plain(visible(text, strlen(text), VISIBLE_ONE_LINE)))
			CHECK_INT(c, 0);
		if ((c < ' ' || (c >= 0x7f && c < 0xa0)) && visible_is_plain(text))
			CHECK_INT(c, 0);
	}
}

static void hexdumps(void)
{
	static const char zeros[] =
		"  0x0010  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00   ................\n";
	unsigned char bytes[7 * 16 + 3] = "hi";
	struct text d;
	char *text;

	d = (struct text){ 0 };
	visible_hexdump(&d, bytes, sizeof bytes, 0);
	text = text_str(&d);
	CHECK(strstr(text, zeros));
	CHECK(strstr(text, "\n  ...      5 more lines like this one\n  0x0070  00 00 00  "));
	CHECK(!strstr(text, "0x0020"));
	text_free(&d);
	/* what is one line more is shown */
	visible_hexdump(&d, bytes, 3 * 16, 0x1000);
	CHECK(strstr(text_str(&d), "\n  0x1020  00 00"));
	text_free(&d);
}

int main(void)
{
	Tcl_FindExecutable("test");
	words();
	all_codes();
	hexdumps();
	return checks_end();
}
