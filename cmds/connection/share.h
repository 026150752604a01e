/* SPDX-License-Identifier: MIT */
/*
 * What listen -share tells each client in the private data, and what connect makes of it: the
 * window of memory that the server has opened.
 */
#ifndef CMDS_SHARE_H
#define CMDS_SHARE_H

#include "objects.h"

#define SHARE_BYTES 40

/* Writes address and key of mr as any client reads them (8 and 4 bytes, big-endian), its length
 * behind them if with_len, and then what only rdmash reads. */
void share_pack(const struct mr *mr, bool with_len, unsigned char data[SHARE_BYTES]);
/* Reads what share_pack() wrote into addr, len, rkey and access of *window. False, with nothing
 * changed: it is something else, or no peer can mean that. */
bool share_unpack(const unsigned char *data, size_t len, struct qp_peer *window);

/* "its window of 4096 bytes is open to writes and reads": of a connected QP whose peer has told
 * one; with the value "window". */
void share_out(const struct qp_peer *window, struct out *o);

#endif
