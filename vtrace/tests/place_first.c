/* SPDX-License-Identifier: MIT */
/* Of the library of places_test. */
#line 3 "place_first.c\033[2J"
__attribute__((visibility("default"))) int place_first(int n);

int place_first(int n)
{
	return n + 1;
}
