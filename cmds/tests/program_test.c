/* SPDX-License-Identifier: MIT */
/* Exported programs: names as identifiers, and numbers as expressions. */
#include <string.h>

#include "checks.h"
#include "export/program.h"
#include "objects.h"
#include "words.h"
#include "alloc.h"

static bool named(const char *name, const char *want)
{
	char got[40];

	program_name(name, got, sizeof got);
	return strcmp(got, want) == 0;
}

static void test_names(void)
{
	CHECK(named("buf", "buf"));
	CHECK(named("my-buf.2", "my_buf_2"));
	CHECK(named("int", "int_"));
	CHECK(named("errno", "errno_"));
	CHECK(named("EOF", "EOF_")); /* as macros are written */
	CHECK(named("2nd", "x2nd"));
	CHECK(named("a-name-of-31-characters-xxxxxxx", "a_name_of_31_characters_xxxxxxx"));
}

static struct var region = { .serial = 1,
			     .kind = OBJECT_MR,
			     .name = "buf",
			     .live = true,
			     .memory = 0x7f0000001000,
			     .len = 4096,
			     .lkey = 0x1111,
			     .rkey = 0x2222 },
		  pair = { .serial = 2,
			   .kind = OBJECT_QP,
			   .name = "qp0",
			   .live = true,
			   .qpn = 0x12345 };

bool __wrap_leads_here(const struct program *p, const struct ibv_ah_attr *to);

/* In place of the addresses of devices: this end has the LID 1. */
bool __wrap_leads_here(const struct program *p, const struct ibv_ah_attr *to)
{
	(void)p;
	return !to || to->dlid == 1;
}

static void begin(struct program *p)
{
	*p = (struct program){ 0 };
	program_read(p);
	p->vars = xcalloc(2, sizeof *p->vars);
	p->vars[0] = &region;
	p->vars[1] = &pair;
	p->nvars = 2;
}

static void end(struct program *p)
{
	p->nvars = 0; /* not to be freed */
	program_free(p);
}

static void test_own(void)
{
	struct program p;

	begin(&p);
	CHECK_STR(own_addr(&p, 0x7f0000001000), "(uintptr_t)at(s.buf, 0)");
	CHECK_STR(own_addr(&p, 0x7f0000001fff), "(uintptr_t)at(s.buf, 4095)");
	CHECK(!own_addr(&p, 0x7f0000002000));
	CHECK(!own_addr(&p, 0x7f0000000fff));
	CHECK_STR(lkey_expr(&p, 0x1111), "s.buf->lkey");
	CHECK_STR(remote_key_expr(&p, 0x2222, 0), "s.buf->rkey");
	CHECK_STR(qpn_expr(&p, 0x12345, NULL), "s.qp0->qp_num");
	CHECK(!text_len(&p.warnings));
	region.live = false; /* deregistered: its values are anybody's */
	CHECK_STR(remote_key_expr(&p, 0x2222, 0), "8738");
	CHECK(text_len(&p.warnings));
	region.live = true;
	end(&p);
}

static void test_told(void)
{
	static const unsigned char data[] = { 0, 0, 0x7e, 0, 0, 0, 0x10, 0, 0xca, 0xfe, 0, 1 };
	bool used = false;
	struct program p;

	begin(&p);
	source_add(&p, "s.event_of_id1.data", data, sizeof data, &pair, &used);
	CHECK_STR(remote_addr_expr(&p, 0x7e0000001000), "get_be(s.event_of_id1.data + 0, 8)");
	CHECK(used);
	CHECK_STR(remote_key_expr(&p, 0xcafe0001, 0),
		  "(uint32_t)get_be(s.event_of_id1.data + 8, 4)");
	CHECK_STR(remote_key_expr(&p, 0x0100feca, 0),
		  "(uint32_t)get_le(s.event_of_id1.data + 8, 4)");
	CHECK(!text_len(&p.warnings));
	CHECK_STR(remote_addr_expr(&p, 0x7e0000002000), "0x7e0000002000ull");
	CHECK(text_len(&p.warnings));
	/* a later event of the same takes the place of the first */
	source_add(&p, "s.event_of_id1.data", "", 0, &pair, &used);
	CHECK_STR(remote_key_expr(&p, 0xcafe0001, 0), "0xcafe0001u");
	end(&p);
}

/* A key whose bytes, with a zero before them, are the same key in the other order: it is at the
 * multiple of 4. */
static void test_overlap(void)
{
	static const unsigned char told[] = { 0, 0, 0x7e, 0, 0, 0, 0x10, 0, 0xab, 0x12, 0xab, 0 };
	unsigned char own[] = { 0, 0, 0, 0, 0x12, 0x34, 0x12, 0 };
	bool used = false;
	struct program p;

	begin(&p);
	source_add(&p, "data", told, sizeof told, &pair, &used);
	CHECK_STR(remote_key_expr(&p, 0xab12ab00, 0), "(uint32_t)get_be(data + 8, 4)");
	region.rkey = 0x123412;
	own_bytes(&p, &p.body, "", "data", own, sizeof own);
	CHECK_STR(text_str(&p.body), "put_le(data + 4, s.buf->rkey, 4);\n");
	CHECK(!without_own(&p, own, sizeof own));
	CHECK_INT(own[4], 0);
	/* in a packed struct it may be anywhere */
	text_resize(&p.body, 0);
	own_bytes(&p, &p.body, "", "data", (const unsigned char *)"\1\x12\x34\x12\0", 5);
	CHECK_STR(text_str(&p.body), "put_le(data + 1, s.buf->rkey, 4);\n");
	region.rkey = 0x2222;
	end(&p);
}

/* The peer's region is where ours is: it runs the same program. */
static void test_same_addr(void)
{
	static const unsigned char data[] = { 0, 0, 0x7f, 0, 0, 0, 0x10, 0 };
	bool used = false;
	struct program p;

	begin(&p);
	CHECK_STR(remote_addr_expr(&p, 0x7f0000001000), "(uintptr_t)at(s.buf, 0)");
	source_add(&p, "s.event_of_id1.data", data, sizeof data, &pair, &used);
	CHECK_STR(remote_addr_expr(&p, 0x7f0000001000), "get_be(s.event_of_id1.data + 0, 8)");
	end(&p);
}

/* An end alone does not know what is the other end's. */
static void test_role(void)
{
	struct program p;

	begin(&p);
	p.role = END_CLIENT;
	CHECK_STR(remote_key_expr(&p, 0x2222, 0), "8738");
	pair.end = END_SERVER;
	CHECK_STR(qpn_expr(&p, 0x12345, NULL), "0x12345u");
	pair.end = END_BOTH;
	end(&p);
}

/* A QP of another host has the number of one of ours. */
static void test_same_number(void)
{
	static const struct ibv_ah_attr here = { .dlid = 1 }, there = { .dlid = 2 },
					elsewhere = { .dlid = 3 };
	const struct qp_peer peer = { .qpn = 0x12345, .lid = 2 };
	const struct record exchange = { .args = (const uint64_t[]){ [4] = (uintptr_t)&peer } };
	struct program p;

	begin(&p);
	CHECK_STR(qpn_expr(&p, 0x12345, &here), "s.qp0->qp_num");
	CHECK(!text_len(&p.warnings));
	CHECK_STR(qpn_expr(&p, 0x12345, &there), "0x12345u");
	CHECK(text_len(&p.warnings));
	pair.by = &exchange;
	CHECK_STR(qpn_expr(&p, 0x12345, &there), "s.peer_of_qp0.qpn");
	CHECK_STR(qpn_expr(&p, 0x12345, &here), "s.qp0->qp_num");
	CHECK_STR(qpn_expr(&p, 0x12345, &elsewhere), "0x12345u");
	pair.by = NULL;
	end(&p);
}

static void test_bytes(void)
{
	unsigned char data[] = { 'k', ' ', 0, 0, 0x7f, 0, 0, 0, 0x10, 0x10, 0, 0, 0x22, 0x22 };
	struct program p;
	struct text d;

	d = (struct text){ 0 };
	c_string(&d,
		 (const unsigned char *)"a\"b\\?"
					"?=\n\0007",
		 10, "\t");
	CHECK_STR(text_str(&d), "\"a\\\"b\\\\?\\?=\\012\\0007\"");
	text_free(&d);
	begin(&p);
	own_bytes(&p, &p.body, "", "data", data, sizeof data);
	CHECK_STR(text_str(&p.body), "put_be(data + 2, (uintptr_t)at(s.buf, 16), 8);\n"
				     "put_be(data + 10, s.buf->rkey, 4);\n");
	CHECK(without_own(&p, data, sizeof data)); /* "k" */
	CHECK(data[8] == 0 && data[0] == 'k');
	CHECK(!without_own(&p, (unsigned char[]){ 0, 0, 0x7f, 0, 0, 0, 0x10, 0 }, 8));
	/* every byte of a key may be a letter: one key in forty on a device with random keys */
	region.rkey = 0x6b657931;
	text_resize(&p.body, 0);
	own_bytes(&p, &p.body, "", "data", (const unsigned char *)"key1", 4);
	CHECK_STR(text_str(&p.body), "put_be(data + 0, s.buf->rkey, 4);\n");
	region.rkey = 0x2222;
	end(&p);
}

int main(void)
{
	test_names();
	test_own();
	test_told();
	test_overlap();
	test_same_addr();
	test_role();
	test_same_number();
	test_bytes();
	return checks_end();
}
