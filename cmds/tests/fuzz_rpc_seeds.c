/* SPDX-License-Identifier: MIT */
/* Writes seeds of fuzz_rpc: requests and replies whole, in pieces, twice, in any order. */
#include <errno.h>
#include <sys/stat.h>

#include "check.h"
#include "rpc_message.h"

#define PIECE 20

static unsigned seeds;

static FILE *open_seed(const char *dir)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/%03u", dir, seeds++);
	f = fopen(path, "wb");
	CHECK(f);
	return f;
}

static void record(FILE *f, unsigned how, unsigned seq, const uint8_t *data, size_t n)
{
	const uint8_t head[5] = { (uint8_t)how, (uint8_t)seq, 0, 0, (uint8_t)n };

	CHECK_INT(fwrite(head, 1, sizeof head, f), sizeof head);
	CHECK_INT(fwrite(data, 1, n, f), n);
}

static void write_all(const char *dir, const uint8_t *message, size_t n)
{
	size_t pieces = (n + PIECE - 1) / PIECE;
	FILE *f = open_seed(dir);

	record(f, 0x23, 0, message, n); /* whole, after a message of ours */
	record(f, 0x43, 0, message, n); /* once more, later */
	CHECK_INT(fclose(f), 0);
	for (unsigned backwards = 0; backwards < 2; backwards++) {
		f = open_seed(dir);
		for (size_t i = 0; i < pieces; i++) {
			size_t at = backwards ? pieces - 1 - i : i;
			size_t len = at + 1 < pieces ? PIECE : n - at * PIECE;

			record(f, (at ? 0 : 1) | (at + 1 < pieces ? 0 : 2), (unsigned)at,
			       message + at * PIECE, len);
		}
		CHECK_INT(fclose(f), 0);
	}
	f = open_seed(dir); /* as fuzz_rpc reads an input as a message, too */
	CHECK_INT(fwrite(message, 1, n, f), n);
	CHECK_INT(fclose(f), 0);
}

int main(int argc, char **argv)
{
	Tcl_Obj *args[2];
	uint8_t *packed[3];
	size_t len[3];

	if (argc != 2)
		return 2;
	Tcl_FindExecutable(argv[0]);
	CHECK(mkdir(argv[1], 0777) == 0 || errno == EEXIST);
	args[0] = Tcl_NewStringObj("a first argument, longer than a piece", -1);
	args[1] = Tcl_NewStringObj("ARITH DIVZERO {divide by zero}", -1);
	Tcl_IncrRefCount(args[0]);
	Tcl_IncrRefCount(args[1]);
	packed[0] = rpc_request_pack(1, 1, "method", args, 2, &len[0]);
	packed[1] = rpc_value_pack(1, args[0], &len[1]);
	packed[2] = rpc_failure_pack(1, "divide by zero", args[1], &len[2]);
	for (unsigned i = 0; i < 3; i++) {
		CHECK(len[i] <= UINT8_MAX);
		write_all(argv[1], packed[i], len[i]);
		free(packed[i]);
	}
	Tcl_DecrRefCount(args[0]);
	Tcl_DecrRefCount(args[1]);
	Tcl_Finalize();
	return checks_end();
}
