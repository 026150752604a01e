/* SPDX-License-Identifier: MIT */
/* The rows of a record that tell what a program does besides calling the libraries. */
#include "replay.h"

#include "call_record.h"

#define NUMBER(name_)                       \
	{                                   \
		name_, CALL_UINT, .size = 8 \
	}
/* the argument with_ has their number */
#define BYTES(name_, with_)                                \
	{                                                  \
		name_, CALL_DATA, .with = with_, .size = 8 \
	}
#define COUNT(counts_)                                       \
	{                                                    \
		"n", CALL_UINT, .counts = counts_, .size = 8 \
	}

const struct call_value replay_socket_args[] = { NUMBER("number"),
						 BYTES("address", 3),
						 COUNT(2),
						 { 0 } };
const struct call_value replay_accept_args[] = { NUMBER("listener"),
						 NUMBER("number"),
						 BYTES("address", 4),
						 COUNT(3),
						 { 0 } };
const struct call_value replay_stream_args[] = { NUMBER("number"),
						 BYTES("data", 3),
						 COUNT(2),
						 NUMBER("all"),
						 { 0 } };
const struct call_value replay_close_args[] = { NUMBER("number"), { 0 } };
static const struct call_value memory_args[] = { NUMBER("at"),
						 BYTES("data", 3),
						 COUNT(2),
						 NUMBER("arrived"),
						 { 0 } };
static const struct call_value unseen_args[] = { NUMBER("at"), NUMBER("n"), { 0 } };

#define ROW(row, name_, args_)                                      \
	[row] = { .name = (name_),                                  \
		  .header = "",                                     \
		  .path = CALL_SETUP,                               \
		  .says = RESULT_NOTHING,                           \
		  .args = (args_),                                  \
		  .result = { .name = (name_), .kind = CALL_VOID }, \
		  .prototype = "" }

static const struct call_fn rows[REPLAY_ROWS] = {
	ROW(REPLAY_LISTEN, "listen", replay_socket_args),
	ROW(REPLAY_ACCEPT, "accept", replay_accept_args),
	ROW(REPLAY_CONNECT, "connect", replay_socket_args),
	ROW(REPLAY_SEND, "send", replay_stream_args),
	ROW(REPLAY_RECV, "recv", replay_stream_args),
	ROW(REPLAY_CLOSE, "close", replay_close_args),
	ROW(REPLAY_MEMORY, "memory", memory_args),
	ROW(REPLAY_UNSEEN, "unseen", unseen_args),
};

void replay_rows_begin(void)
{
	record_own_rows(rows, REPLAY_ROWS);
}

bool replay_row_of(const struct call_fn *fn, enum replay_row *row)
{
	if (fn < rows || fn >= rows + REPLAY_ROWS)
		return false;
	*row = (enum replay_row)(fn - rows);
	return true;
}
