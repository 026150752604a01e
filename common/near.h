/* SPDX-License-Identifier: MIT */
/* The word that was probably meant. */
#ifndef COMMON_NEAR_H
#define COMMON_NEAR_H

struct near {
	const char *typed;
	const char *best; /* the nearest word so far; NULL: none is near */
	unsigned distance;
};

/* Begins a search. typed must stay. */
struct near near_begin(const char *typed);
/* Compares one more word, which must stay. */
void near_try(struct near *n, const char *word);

#endif
