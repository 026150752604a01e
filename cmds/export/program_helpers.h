/* SPDX-License-Identifier: MIT */
#ifndef CMDS_PROGRAM_HELPERS_H
#define CMDS_PROGRAM_HELPERS_H

/* Functions that exported programs have: those that they call. */
enum {
	HELPER_FAILED = 1 << 0,
	HELPER_CHECK = 1 << 1,
	HELPER_OPEN_DEVICE = 1 << 2,
	HELPER_REG = 1 << 3,
	HELPER_DEREG = 1 << 4,
	HELPER_AT = 1 << 5,
	HELPER_PUT_BE = 1 << 6,
	HELPER_PUT_LE = 1 << 7,
	HELPER_GET_BE = 1 << 8,
	HELPER_GET_LE = 1 << 9,
	HELPER_LOOKUP = 1 << 10,
	HELPER_TRANSFER = 1 << 11,
	HELPER_FIELD = 1 << 12,
	HELPER_TAKE_TOLD = 1 << 13,
	HELPER_EXCHANGE = 1 << 14,
	HELPER_READABLE = 1 << 15,
	HELPER_NEXT_EVENT = 1 << 16,
	HELPER_AWAIT_EVENT = 1 << 17,
	HELPER_COMPLETE = 1 << 18,
	HELPER_AWAIT_POLL = 1 << 19,
	HELPER_AWAIT_CQ_EVENT = 1 << 20,
	HELPER_SHOW = 1 << 21,
};

struct helper {
	unsigned bit;
	unsigned calls; /* bits of those before it */
	const char *text;
};

/* Ends with a NULL text. */
extern const struct helper program_helpers[];

#endif
