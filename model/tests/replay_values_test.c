/* SPDX-License-Identifier: MIT */
/* Values of two programs in the bytes of their messages: what is found, where, and what is not. */
#include "checks.h"
#include "replay_values.h"

#define BYTES(text) (const unsigned char *)(text), sizeof(text) - 1

static struct value_place place;

static bool finds(const char *data, size_t n, uint64_t v, unsigned size, size_t at, size_t len,
		  enum value_form form)
{
	return replay_value_find((const unsigned char *)data, n, v, size, NULL, &place) &&
	       place.at == at && place.len == len && place.form == form;
}

static void test_binary(void)
{
	static const char message[] =
		"\x00\x00\x55\x66\x77\x88\x99\xaa\x12\x34\x56\x78\x78\x56\x34\x13";

	CHECK(finds(message, 16, 0x5566778899aa, 8, 0, 8, VALUE_BE));
	CHECK(finds(message, 16, 0x12345678, 4, 8, 4, VALUE_BE));
	CHECK(finds(message, 16, 0x13345678, 4, 12, 4, VALUE_LE));
	CHECK(!replay_value_find(BYTES("\x12\x34\x56"), 0x12345678, 4, NULL, &place)); /* cut off */
	/* at a place that is a multiple of 4 before another one */
	CHECK(finds("..\x12\x34\x56\x78..\x12\x34\x56\x78", 12, 0x12345678, 4, 8, 4, VALUE_BE));
}

/* Small numbers stand in messages by chance. */
static void test_chance(void)
{
	CHECK(!replay_value_find(BYTES("\0\0\0\1"), 1, 4, NULL, &place));
	CHECK(finds("\0\0\0\x11", 4, 0x11, 4, 0, 4, VALUE_BE));
	CHECK(!replay_value_find(BYTES("\0\0\0\x11\0\0\0\x11"), 0x11, 4, NULL, &place));
	CHECK(!replay_value_find(BYTES("\1\0\0\0\x11"), 0x11, 4, NULL,
				 &place)); /* not at a multiple of 4 */
	CHECK(finds("\0\0\3\xa7", 4, 0x3a7, 4, 0, 4, VALUE_BE));
	CHECK(!replay_value_find(BYTES("\0\0\3\xa7\0\0\3\xa7"), 0x3a7, 4, NULL, &place));
	CHECK(finds("\0\1\3\xa7\0\1\3\xa7", 8, 0x103a7, 4, 0, 4, VALUE_BE));
}

/* Half of the address that is told with it is the same number as a key. */
static void test_within(void)
{
	static const char message[] = "\0\x10\0\0\xab\x55\0\0\x40\0\0\0\xab\x55\0\0";
	const struct value_place address = { 0, 8, VALUE_LE }, elsewhere = { 8, 8, VALUE_LE };

	CHECK(!replay_value_find(BYTES(message), 0x55ab, 4, NULL, &place));
	CHECK(replay_value_find(BYTES(message), 0x55ab, 4, &address, &place));
	CHECK_INT(place.at, 12);
	CHECK_INT(place.form, VALUE_LE);
	CHECK(replay_value_find(BYTES(message), 0x55ab, 4, &elsewhere, &place));
	CHECK_INT(place.at, 4);
	CHECK(!replay_value_find((const unsigned char *)message, 12, 0x55ab, 4, &address, &place));
}

static void test_digits(void)
{
	static const char pingpong[] = "0000:000011:7ac2d0:00000000000000000000ffff0a000001";
	static const unsigned char gid[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };

	CHECK(finds(pingpong, sizeof pingpong, 0x11, 4, 5, 6, VALUE_HEX));
	CHECK(finds(pingpong, sizeof pingpong, 0x7ac2d0, 4, 12, 6, VALUE_HEX));
	CHECK(!replay_value_find(BYTES("xx000011:"), 0x110, 4, NULL, &place));
	CHECK(!replay_value_find(BYTES("a000011g"), 0x11, 4, NULL, &place)); /* not a whole run */
	CHECK(!replay_value_find(BYTES("011"), 0x11, 4, NULL, &place));	     /* too short */
	CHECK(finds("{\"qpn\": 571000}", 15, 571000, 4, 8, 6, VALUE_DECIMAL));
	CHECK(finds("0x8b678,", 8, 0x8b678, 4, 2, 5, VALUE_HEX));
	CHECK(replay_value_find_gid(BYTES(pingpong), gid, &place));
	CHECK(place.at == 19 && place.len == 32 && place.form == VALUE_HEX);
	CHECK(replay_value_find_gid(
		(const unsigned char *)"0123\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 20, gid,
		&place));
	CHECK(place.at == 4 && place.len == 16 && place.form == VALUE_BE);
	CHECK(replay_value_find_gid(BYTES("GID 00:00:00:00:00:00:00:00:00:00:FF:ff:0a:00:00:01"),
				    gid, &place));
	CHECK(place.at == 4 && place.len == 47 && place.form == VALUE_OCTETS);
	CHECK(!replay_value_find_gid(BYTES("\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0"), gid, &place));
}

static void test_base(void)
{
	uint64_t base;

	CHECK(replay_value_find_base(BYTES("\0\0\x7f\0\0\0\x10\0\0\0\0\7"), 0x7f0000001040, &place,
				     &base));
	CHECK_INT(base, 0x7f0000001000);
	CHECK_INT(place.at, 0);
	CHECK(replay_value_find_base(BYTES("0001:00007f0000001000:"), 0x7f0000001040, &place,
				     &base));
	CHECK_INT(place.at, 5);
	CHECK(!replay_value_find_base(BYTES("\0\0\x7f\0\0\0\x10\0"), 0x7f0000000fff, &place,
				      &base));
	CHECK(!replay_value_find_base(BYTES("\0\0\x7f\0\0\0\x10\0"), 0x7f0080001000, &place,
				      &base));
}

struct replay_object {
	const char *name;
};

static const struct own_value own[] = {
	{ .kind = OWN_MEMORY,
	  .value = 0x7f0000001000,
	  .len = 4096,
	  .of = &(struct replay_object){ "mr0" } },
	{ .kind = OWN_KEY, .value = 0xc8596a12, .of = &(struct replay_object){ "mr0" } },
	{ .kind = OWN_KEY,
	  .value = 0xdeadbeef,
	  .of = &(struct replay_object){ "mr1" },
	  .gone = true },
	{ .kind = OWN_QPN, .value = 0x11, .of = &(struct replay_object){ "qp0" } },
	{ .kind = OWN_GID,
	  .gid = { 0xfe, 0x80, [15] = 7 },
	  .of = &(struct replay_object){ "gid" } },
	{ .kind = OWN_KEY, .value = 0x41424344, .of = &(struct replay_object){ "mr2" } },
};

/* Keys and numbers that are the same, some bytes earlier, in the other order. */
static const struct own_value alike[] = {
	{ .kind = OWN_KEY, .value = 0x2a2a, .of = &(struct replay_object){ "mr0" } },
	{ .kind = OWN_QPN, .value = 0x123412, .of = &(struct replay_object){ "qp0" } },
};

static const char *alike_at(const char *data, size_t n, size_t at)
{
	uint64_t offset;
	const struct own_value *o = replay_value_own_at(alike, 2, (const unsigned char *)data, n,
							at, &place, &offset);

	return o ? o->of->name : "";
}

static void test_overlap(void)
{
	static const char key[] = "\x15\0\0\0\x2a\x2a\0\0", number[] = "\0\0\0\0\x12\x34\x12\0";

	CHECK_STR(alike_at(key, 8, 2), "");
	CHECK_STR(alike_at(key, 8, 4), "mr0");
	CHECK_INT(place.at, 4);
	CHECK_INT(place.form, VALUE_LE);
	CHECK_STR(alike_at(number, 8, 3), "");
	CHECK_STR(alike_at(number, 8, 4), "qp0");
	CHECK_INT(place.form, VALUE_LE);
	CHECK_STR(alike_at("...\0\0\x2a\x2a.", 8, 3), "mr0"); /* in a packed struct */
	CHECK_INT(place.form, VALUE_BE);
}

static const char *own_at(const char *data, size_t n, size_t at, uint64_t *offset)
{
	const struct own_value *o = replay_value_own_at(
		own, sizeof own / sizeof *own, (const unsigned char *)data, n, at, &place, offset);

	return o ? o->of->name : "";
}

static void test_own(void)
{
	uint64_t offset;

	CHECK_STR(own_at("..\0\0\x7f\0\0\0\x10\x40", 10, 2, &offset), "mr0");
	CHECK_INT(offset, 0x40);
	CHECK_INT(place.form, VALUE_BE);
	CHECK_STR(own_at("\x12\x6a\x59\xc8", 4, 0, &offset), "mr0");
	CHECK_INT(place.form, VALUE_LE);
	CHECK_STR(own_at("\x12\x6a\x59", 3, 0, &offset), "");
	CHECK_STR(own_at("\xde\xad\xbe\xef", 4, 0, &offset), ""); /* is no more */
	CHECK_STR(own_at("\0\0\0\x11", 4, 0, &offset), "");	  /* small */
	CHECK_STR(own_at("ABCD", 4, 0, &offset), "mr2");	  /* a key may look like text */
	CHECK_STR(own_at("0000:000011:", 12, 5, &offset), "qp0");
	CHECK_INT(place.len, 6);
	CHECK_STR(own_at("0000:000011:", 12, 6, &offset), ""); /* in the middle */
	CHECK_STR(own_at("fe800000000000000000000000000007", 32, 0, &offset), "gid");
	CHECK_INT(place.len, 32);
	CHECK_STR(own_at("c8596a12", 8, 0, &offset), "mr0");
	CHECK_STR(own_at("3361303034", 10, 0, &offset), "");
	CHECK_STR(own_at("3361303058", 10, 0, &offset), "mr0");
	CHECK_INT(place.form, VALUE_DECIMAL);
}

static void test_memory(void)
{
	struct replay_memory m = { 0 };

	replay_memory_add(&m, 1000, 100);
	replay_memory_add(&m, 3000, 100);
	replay_memory_add(&m, 2000, 100);
	replay_memory_add(&m, 500, 0);
	CHECK_INT(m.n, 3);
	CHECK(replay_memory_find(&m, 2000, 100));
	CHECK(!replay_memory_find(&m, 2000, 101));
	CHECK(!replay_memory_find(&m, 1999, 1));
	replay_memory_put(&m, 2010, (const unsigned char *)"abc", 3, true);
	replay_memory_put(&m, 2099, (const unsigned char *)"abc", 3,
			  true); /* not all of it is there */
	CHECK(memcmp(replay_memory_find(&m, 2000, 1)->bytes + 10, "abc", 3) == 0);
	CHECK_INT(replay_memory_find(&m, 2000, 1)->bytes[99], 0);
	CHECK(!replay_memory_find(&m, 2000, 1)->dirty[9] &&
	      replay_memory_find(&m, 2000, 1)->dirty[12]);
	replay_memory_clean(&m, 2011, 5);
	CHECK(replay_memory_find(&m, 2000, 1)->dirty[10] &&
	      !replay_memory_find(&m, 2000, 1)->dirty[12]);
	replay_memory_clear(&m);
	replay_memory_add(&m, 1050, 2000); /* overlaps all */
	CHECK_INT(m.n, 1);
	CHECK(replay_memory_find(&m, 1000, 2100));
	replay_memory_free(&m);
}

int main(void)
{
	test_binary();
	test_chance();
	test_within();
	test_digits();
	test_base();
	test_own();
	test_overlap();
	test_memory();
	return checks_end();
}
