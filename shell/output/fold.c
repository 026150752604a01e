// SPDX-License-Identifier: MIT
#include "output/print.h"

#include <string.h>
#include <wchar.h>

#define LABEL_MAX 22 /* most columns that a label takes */

/* The bytes of the character or colour code at text; *columns: the columns that it takes. */
static unsigned measure_piece(const char *text, unsigned *columns)
{
	struct character c;
	int width;

	*columns = 0;
	if (text[0] == '\033' && text[1] == '[') /* a colour */
		return 2 + (unsigned)strcspn(text + 2, "m") + 1;
	c = character_at(text, strlen(text));
	width = wcwidth((wchar_t)c.code);
	*columns = width > 0 ? (unsigned)width : 0;
	return c.len;
}

static unsigned width_of(const char *text, size_t len)
{
	unsigned n = 0, columns;

	for (size_t i = 0; i < len; i += measure_piece(text + i, &columns), n += columns)
		;
	return n;
}

/* The column at which the text after a label begins: "  next        reg 4096". */
static unsigned hang_of(const char *line, size_t len, unsigned columns)
{
	char plain[LABEL_MAX + 2] = "";
	unsigned n = 0, indent, hang, width;
	const char *gap;

	for (size_t i = 0; i < len && n < sizeof plain - 1; i += measure_piece(line + i, &width))
		if (line[i] != '\033')
			plain[n++] = line[i];
	indent = (unsigned)strspn(plain, " ");
	gap = strstr(plain + indent, "  ");
	hang = gap ? (unsigned)(gap - plain) + (unsigned)strspn(gap, " ")
		   : indent + (indent ? 0 : 2);
	return hang < columns / 2 ? hang : indent < columns / 2 ? indent : 2;
}

/* How many bytes of the line fit into this many columns, up to a blank, or else behind a comma; all
 * if there is neither. */
static size_t fitting_length(const char *line, size_t len, unsigned columns)
{
	unsigned at = 0, width;
	size_t blank = 0, comma = 0;

	for (size_t i = 0; i < len; at += width) {
		unsigned n = measure_piece(line + i, &width);

		if (line[i] == ' ' && at && at <= columns)
			blank = i;
		if (at + width > columns && (blank > strspn(line, " ") || comma))
			return blank > strspn(line, " ") ? blank : comma;
		if (line[i] == ',')
			comma = i + 1;
		i += n;
	}
	return len;
}

static unsigned fold_line(const char *line, size_t len, unsigned columns, Tcl_DString *d)
{
	unsigned rows = 1, hang = hang_of(line, len, columns), room = columns;

	while (width_of(line, len) > room) {
		size_t n = fitting_length(line, len, room);

		if (n == len)
			break;
		Tcl_DStringAppend(d, line, (int)n);
		Tcl_DStringAppend(d, "\n", 1);
		for (unsigned i = 0; i < hang; i++)
			Tcl_DStringAppend(d, " ", 1);
		n += strspn(line + n, " ");
		line += n;
		len -= n < len ? n : len;
		room = columns - hang;
		rows++;
	}
	Tcl_DStringAppend(d, line, (int)len);
	return rows + width_of(line, len) / (columns + 1);
}

unsigned fold(const char *text, unsigned columns, Tcl_DString *d)
{
	unsigned rows = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");

		rows += fold_line(text, len, columns, d);
		text += len;
		if (*text) {
			Tcl_DStringAppend(d, "\n", 1);
			text++;
		}
	}
	return rows;
}

void fold_to_ascii(const char *text, Tcl_DString *d)
{
	static const struct {
		const char *sign, *ascii;
	} near[] = { { "µ", "u" },  { "…", "..." }, { "–", "-" },  { "×", "x" },
		     { "→", "->" }, { "←", "<-" },  { "≤", "<=" }, { "≥", ">=" } };
	size_t left = strlen(text);

	while (left) {
		struct character c = character_at(text, left);
		const char *as = c.len > 1 ? "?" : NULL;

		for (size_t i = 0; as && i < sizeof near / sizeof *near; i++)
			if (strlen(near[i].sign) == c.len && memcmp(near[i].sign, text, c.len) == 0)
				as = near[i].ascii;
		Tcl_DStringAppend(d, as ? as : text, as ? -1 : 1);
		text += c.len;
		left -= c.len;
	}
}
