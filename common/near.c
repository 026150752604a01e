/* SPDX-License-Identifier: MIT */
/* Optimal string alignment distance (Damerau-Levenshtein without repeated edits), for words of at
 * most 32 letters. */
#include "near.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define LEN 32

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

static unsigned edit_distance(const char *a, const char *b)
{
	unsigned d[LEN + 1][LEN + 1];
	size_t m = strlen(a), n = strlen(b);

	if (m > LEN || n > LEN)
		return LEN;
	for (size_t i = 0; i <= m; i++)
		d[i][0] = (unsigned)i;
	for (size_t j = 0; j <= n; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= m; i++)
		for (size_t j = 1; j <= n; j++) {
			int x = tolower((unsigned char)a[i - 1]),
			    y = tolower((unsigned char)b[j - 1]);

			d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
				       d[i - 1][j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				d[i][j] = min3(d[i][j], d[i - 2][j - 2] + 1, LEN);
		}
	return d[m][n];
}

/* "dp" for "pd": words of two letters are too short for edit_distance(). */
static bool is_swapped_pair(const char *a, const char *b)
{
	return strlen(a) == 2 && strlen(b) == 2 && a[0] == b[1] && a[1] == b[0];
}

struct near near_begin(const char *typed)
{
	/* a larger distance is another word */
	return (struct near){ .typed = typed, .distance = (unsigned)strlen(typed) / 3 + 1 };
}

void near_try(struct near *n, const char *word)
{
	const unsigned d = is_swapped_pair(n->typed, word) ? 0 : edit_distance(n->typed, word);

	if (d >= n->distance && (d != n->distance || n->best || d > strlen(n->typed) / 3))
		return;
	n->distance = d;
	n->best = word;
}
