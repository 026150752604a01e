// SPDX-License-Identifier: MIT
/*
 * decode_ip() and what prints its fields, as wire read and wire on do with packets of anybody.
 * Input: a byte of mode, two that are not used, and a UDP payload without its ICRC; with mode
 * MODE_RAW what follows the three is an IP packet.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "decode.h"
#include "packet.h"

#define MODE_RAW 0x02
#define MODE_V6	 0x01
#define HEAD	 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads all that a field refers to. */
static void look(void *arg, const struct decode_field *f)
{
	uint64_t *sum = arg;

	if (!f->name || !*f->name)
		abort();
	*sum += f->value;
	for (size_t i = 0; i < f->len; i++)
		*sum += f->bytes[i];
}

/* n bytes at the end of a page behind which there is nothing: a byte too far ends the process. */
static uint8_t *end_of_memory(size_t n)
{
	const size_t room = 1 << 16, nothing = 4096;
	static uint8_t *memory;

	if (!memory) {
		memory = mmap(NULL, room + nothing, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED || mprotect(memory + room, nothing, PROT_NONE) != 0)
			abort();
	}
	if (n > room)
		abort();
	return memory + room - n;
}

static void decode(const uint8_t *ip, size_t n)
{
	uint8_t *exact = end_of_memory(n);
	struct decoded d;
	uint64_t sum = 0;
	char text[64], whole[1024];

	memcpy(exact, ip, n);
	if (decode_ip(&d, exact, n) == 0) {
		decode_fields(&d, look, &sum);
		decode_text(&d, text, sizeof(text));
		decode_text(&d, whole, sizeof(whole));
		if (strncmp(text, whole, strlen(text)) != 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t whole[48 + PACKET_MAX + ICRC_BYTES] = { 0 };
	union ibv_gid src = { .raw = { 0xfd, 1 } }, dst = { .raw = { 0xfd, 2 } };
	size_t head, n;

	if (size < HEAD)
		return 0;
	if (data[0] & MODE_RAW) {
		decode(data + HEAD, size - HEAD);
		return 0;
	}
	if (!(data[0] & MODE_V6)) {
		memset(src.raw, 0, 10);
		memset(src.raw + 10, 0xff, 2);
		dst = src;
	}
	n = size - HEAD < PACKET_MAX ? size - HEAD : PACKET_MAX;
	head = icrc_ip_udp(whole, &src, &dst, 1, n + ICRC_BYTES, 0, 0, 64);
	memcpy(whole + head, data + HEAD, n);
	decode(whole, head + n + ICRC_BYTES);
	decode(whole, head + n / 2); /* cut off */
	return 0;
}
