/* SPDX-License-Identifier: MIT */
/* The message of listen -share: the bytes that other programs read, and what a hostile peer may
 * send.
 */
#include <string.h>

#include "checks.h"
#include "connection/cm.h"
#include "live.h"

static char memory[4096];
static struct live_region region = { .rkey = 0x01020304,
				     .len = sizeof memory,
				     .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
					       IBV_ACCESS_REMOTE_READ };

static uint64_t big_endian(const unsigned char *at, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | *at++;
	return v;
}

static void other_programs_read_the_first_bytes(void)
{
	unsigned char data[SHARE_BYTES];

	cm_share_pack(&region, data);
	CHECK(big_endian(data, 8) == (uintptr_t)memory);
	CHECK(big_endian(data + 8, 4) == 0x01020304);
	CHECK(big_endian(data + 12, 8) == sizeof memory);
}

static void it_comes_back_as_it_was(void)
{
	unsigned char data[196] = { 0 };
	struct qp_peer window = { 0 };

	cm_share_pack(&region, data);
	CHECK(cm_share_unpack(data, sizeof data, &window));
	CHECK(window.addr == (uintptr_t)memory);
	CHECK(window.len == sizeof memory);
	CHECK(window.rkey == 0x01020304);
	CHECK(window.access == (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ));
	CHECK(!window.known);
}

/* Takes the bytes with n of them from at on being value, from len bytes. */
static bool taken(unsigned at, unsigned n, unsigned char value, size_t len)
{
	unsigned char data[SHARE_BYTES];
	struct qp_peer window = { .rkey = 7 };
	bool is;

	cm_share_pack(&region, data);
	memset(data + at, value, n);
	is = cm_share_unpack(data, len, &window);
	CHECK(is || (window.rkey == 7 && !window.len));
	return is;
}

static void what_is_no_window_is_not_taken(void)
{
	for (size_t len = 0; len < SHARE_BYTES; len++)
		CHECK(!taken(0, 0, 0, len));
	for (unsigned i = 20; i < 28; i++)
		CHECK(!taken(i, 1, 0xff, SHARE_BYTES));
	CHECK(!taken(28, 8, 0, SHARE_BYTES));	 /* of no length */
	CHECK(!taken(28, 8, 0xff, SHARE_BYTES)); /* beyond the last address */
	CHECK(!taken(36, 4, 0, SHARE_BYTES));	 /* open to nothing */
	CHECK(!taken(36, 4, 0xff, SHARE_BYTES)); /* open to what nobody knows */
	CHECK(taken(0, 8, 0, SHARE_BYTES));	 /* zero-based */
}

int main(void)
{
	region.begin = (uintptr_t)memory;
	other_programs_read_the_first_bytes();
	it_comes_back_as_it_was();
	what_is_no_window_is_not_taken();
	return checks_end();
}
