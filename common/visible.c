/* SPDX-License-Identifier: MIT */
#include "visible.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wctype.h>

#include "text.h"

#define PLANE_SPECIAL 0xe0000 /* from here on: tags, variation selectors, private use */

/* The lead bytes of UTF-8: length of the sequence, and the smallest code point it may encode. */
static const struct {
	unsigned char mask, lead, len;
	uint32_t least;
} leads[] = {
	{ 0x80, 0x00, 1, 0 },
	{ 0xe0, 0xc0, 2, 0x80 },
	{ 0xf0, 0xe0, 3, 0x800 },
	{ 0xf8, 0xf0, 4, 0x10000 },
};

static bool is_valid(const struct character *c, uint32_t least)
{
	return c->code >= least && c->code <= 0x10ffff && (c->code < 0xd800 || c->code > 0xdfff);
}

static struct character decode_utf8(const unsigned char *p, size_t len)
{
	struct character c = { .code = *p, .len = 1 };

	if (len > 1 && p[0] == 0xc0 && p[1] == 0x80)
		return (struct character){ .len = 2, .valid = true };
	for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
		struct character whole = { .code = *p & (unsigned char)~leads[i].mask,
					   .len = leads[i].len };
		unsigned n = 1;

		if ((*p & leads[i].mask) != leads[i].lead || whole.len > len)
			continue;
		for (; n < whole.len && (p[n] & 0xc0) == 0x80; n++)
			whole.code = whole.code << 6 | (p[n] & 0x3f);
		if (n == whole.len && is_valid(&whole, leads[i].least)) {
			whole.valid = true;
			return whole;
		}
	}
	return c;
}

/* Characters of the basic plane that are invisible, change the direction of text, or are private,
 * which the C library takes for graphic ones. */
static const struct {
	uint16_t from, to;
} unseen[] = {
	{ 0x00ad, 0x00ad }, { 0x0600, 0x0605 }, { 0x061c, 0x061c }, { 0x06dd, 0x06dd },
	{ 0x070f, 0x070f }, { 0x0890, 0x0891 }, { 0x08e2, 0x08e2 }, { 0x180e, 0x180e },
	{ 0x2000, 0x200f }, { 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0xe000, 0xf8ff },
	{ 0xfeff, 0xfeff }, { 0xfff0, 0xfffb }, { 0xfffe, 0xffff },
};

/* The characters of Unicode, whatever the user's locale; without their table none is shown. */
static bool is_graphic(uint32_t code)
{
	static locale_t unicode;

	if (!unicode)
		unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
		if (code >= unseen[i].from && code <= unseen[i].to)
			return false;
	return unicode && iswgraph_l(code, unicode);
}

static bool is_shown(uint32_t code)
{
	if (code < 0x80)
		return code >= ' ' && code < 0x7f;
	if (code > 0xffff)
		return code < PLANE_SPECIAL;
	return is_graphic(code) || code == 0xa0 || code == 0x3000; /* blanks */
}

struct character visible_character(const char *text, size_t len)
{
	struct character c = decode_utf8((const unsigned char *)text, len);

	c.visible = c.valid && is_shown(c.code);
	return c;
}

static void append_escape(struct text *to, const struct character *c)
{
	if (c->valid && (c->code == '\n' || c->code == '\t'))
		text_add_bytes(to, c->code == '\n' ? "\\n" : "\\t", 2);
	else if (!c->valid || c->code < 0x80)
		xappendf(to, "\\x%02x", c->code);
	else if (c->code <= 0xffff)
		xappendf(to, "\\u%04x", c->code);
	else
		xappendf(to, "\\U%08x", c->code);
}

/* JSON writes a character beyond the basic plane as a surrogate pair. */
static void append_json_escape(struct text *d, const struct character *c)
{
	if (c->code <= 0xffff)
		xappendf(d, "\\u%04x", c->code);
	else
		xappendf(d, "\\u%04x\\u%04x", 0xd7c0 + (c->code >> 10), 0xdc00 | (c->code & 0x3ff));
}

void visible_append(struct text *to, const char *text, size_t len, enum visible_lines lines)
{
	struct character c;

	for (size_t i = 0; i < len; i += c.len) {
		c = visible_character(text + i, len - i);
		if (c.visible ||
		    (lines != VISIBLE_ONE_LINE && (text[i] == '\n' || text[i] == '\t')))
			text_add_bytes(to, text + i, c.len);
		else if (lines == VISIBLE_JSON)
			append_json_escape(to, &c);
		else
			append_escape(to, &c);
	}
}

bool visible_is_plain(const char *text)
{
	size_t len = strlen(text);
	struct character c;

	for (size_t i = 0; i < len; i += c.len) {
		c = visible_character(text + i, len - i);
		if (!c.visible)
			return false;
	}
	return true;
}

#define PER_LINE 16

static void append_hex_line(struct text *d, const unsigned char *p, size_t n, uint64_t off)
{
	char hex[PER_LINE * 3 + 3] = "", text[PER_LINE + 1] = "";
	size_t x = 0;

	for (size_t i = 0; i < PER_LINE; i++) {
		if (i == PER_LINE / 2)
			hex[x++] = ' ';
		x += (size_t)snprintf(hex + x, sizeof hex - x, i < n ? " %02x" : "   ",
				      i < n ? p[i] : 0u);
		if (i < n)
			text[i] = p[i] >= ' ' && p[i] < 0x7f ? (char)p[i] : '.';
	}
	xappendf(d, "  0x%04llx %s   %s\n", (unsigned long long)off, hex, text);
}

/* How many whole lines from p on are the same as the one before p. */
static size_t count_repeated(const unsigned char *p, size_t n)
{
	size_t lines = 0;

	while (n >= (lines + 1) * PER_LINE &&
	       memcmp(p + lines * PER_LINE, p - PER_LINE, PER_LINE) == 0)
		lines++;
	return lines;
}

static const char *entity_of(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* Control characters become visible: XML does not allow them, not even escaped. */
void visible_markup(struct text *d, const char *text)
{
	SCOPED_TEXT(visible);

	visible_append(&visible, text, strlen(text), VISIBLE_LINES);
	for (const char *p = text_str(&visible); *p; p++) {
		const char *instead = entity_of(*p);

		text_add_bytes(d, instead ? instead : p, instead ? strlen(instead) : 1);
	}
}

void visible_hexdump(struct text *d, const unsigned char *p, size_t n, uint64_t off)
{
	for (size_t at = 0; at < n; at += PER_LINE) {
		size_t same = at ? count_repeated(p + at, n - at) : 0;

		if (same > 1) {
			xappendf(d, "  ...      %zu more lines like this one\n", same);
			at += (same - 1) * PER_LINE;
		} else {
			append_hex_line(d, p + at, n - at < PER_LINE ? n - at : PER_LINE, off + at);
		}
	}
}
