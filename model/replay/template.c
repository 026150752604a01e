/* SPDX-License-Identifier: MIT */
#include "template.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "text.h"

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool begins_with(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

/* The word by which other parts use this one: "check(", "struct event ", "completion "; a
 * temp_text(). "": it defines nothing. */
static const char *defined_word(const char *part)
{
	size_t len;

	for (const char *line = part, *end; *line; line += len + (line[len] != '\0')) {
		len = strcspn(line, "\n");
		if (begins_with(line, "struct "))
			return temp_text("%.*s", (int)strcspn(line, "{"), line);
		if (begins_with(line, "proc "))
			return temp_text("%.*s", (int)strcspn(line + 5, " ") + 1, line + 5);
		if (!begins_with(line, "static "))
			continue;
		line = end = strchr(line, '(');
		while (is_of_word(line[-1]))
			line--;
		return temp_text("%.*s", (int)(end + 1 - line), line);
	}
	return "";
}

/* Does the code use the word, outside strings and comments of C? */
static bool uses(const char *code, const char *word)
{
	const bool is_c = word[strlen(word) - 1] == '(' || begins_with(word, "struct ");
	char before = ' ';

	for (const char *c = code; *c; before = *c++) {
		const char *end = is_c && begins_with(c, "/*") ? strstr(c, "*/") : NULL;

		if (end)
			c = end + 1;
		else if (is_c && *c == '"')
			for (c++; c[0] && c[0] != '"' && c[1]; c++)
				c += *c == '\\';
		else if (!is_of_word(before) && begins_with(c, word))
			return true;
	}
	return false;
}

/* Cuts the last part off the template and returns it. Before a part there is an empty line that is
 * not within a function. Returns the template itself for the first part. */
static char *cut_last_part(char *template)
{
	for (char *at = template + strlen(template); at > template + 2; at--)
		if (at[-1] == '\n' && at[-2] == '\n' && *at && *at != '\t') {
			at[-1] = '\0';
			return at;
		}
	return template;
}

/* The text for a mark; for any other part the part itself. */
static const char *text_of(const char *part, const struct template_part *parts)
{
	for (; parts->mark; parts++)
		if (strcmp(part, parts->mark) == 0)
			return parts->text;
	return part;
}

void template_fill(const char *template, const struct template_part *parts, struct text *text)
{
	char *rest = xstrdup(template), *part, *code = xstrdup(""), *longer;

	do {
		const char *word;

		part = cut_last_part(rest);
		word = defined_word(part);
		if (*word && !uses(code, word))
			continue;
		longer = xasprintf("%s%s%s", text_of(part, parts), *code ? "\n" : "", code);
		free(code);
		code = longer;
	} while (part != rest);
	text_add(text, code);
	free(code);
	free(rest);
}
