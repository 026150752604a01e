/* SPDX-License-Identifier: MIT */
/* Of the library of places_test. */
__attribute__((visibility("default"))) int place_first(int n);

int place_first(int n)
{
	return n + 1;
}
