/* SPDX-License-Identifier: MIT */
/*
 * Did you mean: optimal string alignment distance (Damerau-Levenshtein without
 * repeated edits), on the length that people mistype: at most 32 letters.
 */
#include <ctype.h>
#include <string.h>

#include "suggest.h"

#define LEN 32

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

static unsigned distance(const char *a, const char *b)
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

const char *suggest(const char *typed, Tcl_Obj *words)
{
	const char *best = NULL;
	unsigned near = (unsigned)strlen(typed) / 3 + 1; /* farther is another word */
	Tcl_Obj **v;
	int n;

	if (Tcl_ListObjGetElements(NULL, words, &n, &v) != TCL_OK)
		return NULL;
	for (int i = 0; i < n; i++) {
		unsigned d = distance(typed, Tcl_GetString(v[i]));

		if (d < near || (d == near && !best && d <= strlen(typed) / 3)) {
			near = d;
			best = Tcl_GetString(v[i]);
		}
	}
	return best;
}
