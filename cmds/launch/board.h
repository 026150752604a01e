/* SPDX-License-Identifier: MIT */
/*
 * The board of a job: a directory that all its processes share, with a file for each key.
 * Nothing outside of it can be named: a key is letters, digits, '.', '-' and '_', and begins with a
 * letter, a digit or '_'.
 */
#ifndef CMDS_BOARD_H
#define CMDS_BOARD_H

#include <stdbool.h>
#include <stddef.h>

struct launcher;
struct session;

#define BOARD_KEY_MAX	64
#define BOARD_VALUE_MAX 65536

/* Opens the job's directory, and makes it if need be: below $RDMASH_RENDEZVOUS, or, when all
 * are on this host, below a directory of the launcher's or of this user's in /tmp. A
 * descriptor, or -1 with s->fail filled. */
int board_open(struct session *s, const struct launcher *l);
bool board_is_key(const char *key);
/* Puts a value, all at once; replaces. -1 with errno. */
int board_put(int board, const char *key, const void *value, size_t n);
/* Into value[BOARD_VALUE_MAX]; its length, or -1 with errno: ENOENT: not there yet; EFBIG. */
long board_get(int board, const char *key, void *value);
/* Takes all keys off, and the directory away. */
void board_clear(int board);

#endif
