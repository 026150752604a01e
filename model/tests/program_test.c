/* SPDX-License-Identifier: MIT */
/* Exported programs: names as identifiers, and values as expressions by where they came from. */
#include <infiniband/verbs.h>

#include "checks.h"
#include "program_parts.h"
#include "recorded.h"

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
	CHECK(named("data", "data_"));
	CHECK(named("buf12", "buf12_")); /* as the program names memory */
	CHECK(named("qp12", "qp12"));
	CHECK(named("2nd", "x2nd"));
	CHECK(named("a-name-of-31-characters-xxxxxxx", "a_name_of_31_characters_xxxxxxx"));
}

/* ------------------------------------------------- a region, a QP, a GID of this end -- */

#define REGION UINT64_C(0x7f0000001000)

static struct replay_object region = { .kind = OBJECT_MR, .name = "buf", .lkey = 0x1111 };
static struct replay_object pair = { .kind = OBJECT_QP,
				     .name = "qp0",
				     .made = &(struct record){ 0 } };
static const struct replay_gid here = { .gid.raw = { [15] = 1 }, .lid = 1 };
static struct replay_call posting = { .row = REPLAY_CALL, .r.fn = &call_table[ROW_ibv_post_send] };
static struct replay_source from = { .calls = &posting, .ncalls = 1, .gids = &here, .ngids = 1 };
static struct program program;
static struct text differences;

static void begin(struct replay *p)
{
	*p = (struct replay){ .from = &from, .back = &program_back, .its = &program };
	program = (struct program){ .differences = &differences };
	text_resize(&differences, 0);
	p->live = live_program_new();
	replay_own_add(p,
		       &(struct own_value){
			       .kind = OWN_MEMORY, .of = &region, .value = REGION, .len = 4096 });
	replay_own_add(p,
		       &(struct own_value){ .kind = OWN_KEY, .of = &region, .value = 0xab222200 });
	replay_own_add(p, &(struct own_value){ .kind = OWN_QPN, .of = &pair, .value = 0x12345 });
	replay_own_add(p,
		       &(struct own_value){ .kind = OWN_GID, .of = &region, .gid = { [15] = 1 } });
}

/* The value as the program has it; "": as the table writes it. */
static const char *word(struct replay *p, const struct call_struct *of, const char *member,
			const void *base)
{
	static char text[256];
	FILE *f = fmemopen(text, sizeof text, "w");
	struct call_sink k = { .to = f, .arg = p, .values = of->fields, .base = base };
	const struct call_value *v = call_value_find(of->fields, member);

	memset(text, 0, sizeof text);
	replay_words_own(&k, v, (const char *)base + v->offset);
	fclose(f);
	return text;
}

static const char *remote(struct replay *p, uint64_t addr, uint32_t key, const char *member)
{
	const struct ibv_send_wr wr = { .wr.rdma = { addr, key } };

	return word(p, call_table[ROW_ibv_post_send].args[1].of, member, &wr);
}

static const char *remote_addr(struct replay *p, uint64_t addr)
{
	return remote(p, addr, 0, "wr.rdma.remote_addr");
}

static const char *remote_key(struct replay *p, uint32_t key)
{
	return remote(p, 0, key, "wr.rdma.rkey");
}

static const char *local_key(struct replay *p, uint32_t key)
{
	const struct ibv_sge sge = { .lkey = key };
	const struct call_struct *wr = call_table[ROW_ibv_post_send].args[1].of;

	return word(p, call_value_find(wr->fields, "sg_list")->of, "lkey", &sge);
}

/* In ibv_modify_qp() with that LID. */
static const char *qpn(struct replay *p, uint32_t number, uint16_t lid)
{
	static struct ibv_qp_attr attrs[16], *attr = attrs; /* each stays, as in a record */
	static const uint64_t args[] = { 0, 0, IBV_QP_AV };
	const char *found;

	*attr = (struct ibv_qp_attr){ .dest_qp_num = number, .ah_attr.dlid = lid };
	posting.r.args = args;
	found = word(p, call_table[ROW_ibv_modify_qp].args[1].of, "dest_qp_num", attr++);
	posting.r.args = NULL;
	return found;
}

static void test_own(void)
{
	struct replay p;

	begin(&p);
	CHECK_STR(remote_addr(&p, REGION), "(uintptr_t)at(s.buf, 0)");
	CHECK_STR(remote_addr(&p, REGION + 4095), "(uintptr_t)at(s.buf, 4095)");
	CHECK_STR(remote_key(&p, 0xab222200), "s.buf->rkey");
	CHECK_STR(local_key(&p, 0x1111), "s.buf->lkey");
	CHECK_STR(qpn(&p, 0x12345, 1), "s.qp0->qp_num");
	CHECK(!text_len(&differences));
	CHECK_STR(remote_addr(&p, REGION + 4096), "");
	CHECK(text_len(&differences));
	text_resize(&differences, 0);
	replay_own_end(&p, &region); /* deregistered: its values are anybody's */
	CHECK_STR(remote_key(&p, 0xab222200), "");
	CHECK(text_len(&differences));
	replay_free(&p);
}

static void test_told(void)
{
	static const unsigned char data[] = { 0, 0, 0x7e, 0, 0, 0, 0x10, 0, 0xca, 0xfe, 0, 1 };
	struct replay p;

	begin(&p);
	CHECK(!replay_told_add(&p, "private", data, sizeof data));
	CHECK_STR(remote_addr(&p, 0x7e0000001000), "get_be(s.private0 + 0, 8)");
	CHECK(replay_told_is_wanted(&p, &p.told[0]));
	CHECK_STR(remote_addr(&p, 0x7e0000001020), "get_be(s.private0 + 0, 8) + 32");
	CHECK_STR(remote_key(&p, 0xcafe0001), "get_be(s.private0 + 8, 4)");
	CHECK_STR(remote_key(&p, 0x0100feca), "get_le(s.private0 + 8, 4)");
	CHECK(!text_len(&differences));
	CHECK_STR(remote_addr(&p, 0x7dffffff0000), "");
	CHECK(text_len(&differences));
	CHECK(!replay_told_add(&p, "heard", "qpn 0abcde;", 11));
	CHECK_STR(qpn(&p, 0xabcde, 2), "get_digits(s.heard0 + 4, 6, 16)");
	replay_free(&p);
}

/* The peer's region is where ours is: it runs the same program. */
static void test_same_address(void)
{
	static const unsigned char data[] = { 0, 0, 0x7f, 0, 0, 0, 0x10, 0 };
	struct replay p;

	begin(&p);
	CHECK_STR(remote_addr(&p, REGION), "(uintptr_t)at(s.buf, 0)");
	replay_told_add(&p, "private", data, sizeof data);
	CHECK_STR(remote_addr(&p, REGION), "get_be(s.private0 + 0, 8)");
	replay_free(&p);
}

/* A QP of another host has the number of one of ours. */
static void test_same_number(void)
{
	static const struct qp_peer peer = { .qpn = 0x12345, .lid = 2 };
	struct replay p;

	begin(&p);
	CHECK_STR(qpn(&p, 0x12345, 2), "");
	CHECK(text_len(&differences));
	CHECK(!replay_told_add_peer(&p, "peer_of_qp1", &peer, false));
	CHECK_STR(qpn(&p, 0x12345, 2), "s.peer_of_qp1.qpn");
	CHECK(replay_told_is_wanted(&p, &p.told[0]));
	CHECK_STR(qpn(&p, 0x12345, 1), "s.qp0->qp_num");
	CHECK_STR(qpn(&p, 0x12345, 3), "");
	replay_free(&p);
}

/* The peer's region, as an exchange by hand has told it. */
static void test_members(void)
{
	static const struct qp_peer peer = { .addr = 0x7e0000001000,
					     .len = 64,
					     .rkey = 0xcafe0001 };
	struct replay p;

	begin(&p);
	replay_told_add_peer(&p, "peer_of_qp1", &peer, false);
	CHECK_STR(remote_addr(&p, 0x7e0000001000), "s.peer_of_qp1.addr");
	CHECK_STR(remote_addr(&p, 0x7e000000103f), "s.peer_of_qp1.addr + 63");
	CHECK_STR(remote_key(&p, 0xcafe0001), "s.peer_of_qp1.rkey");
	CHECK(!text_len(&differences));
	CHECK_STR(remote_addr(&p, 0x7e0000001040), "");
	CHECK(text_len(&differences));
	replay_free(&p);
}

/* The statements that store the bytes. */
static const char *bytes(const void *data, size_t n)
{
	static struct text text;
	struct replay p;

	text_resize(&text, 0);
	begin(&p);
	program.is_open = true;
	program_data(&p, data, n, true);
	text_add(&text, text_str(&p.body));
	replay_free(&p);
	return text_str(&text);
}

static void test_bytes(void)
{
	CHECK_STR(bytes("k \0\0\x7f\0\0\0\x10\x10\xab\x22\x22\0", 14),
		  "\tmemcpy(s.data, \"k \", 2);\n"
		  "\tput_be(s.data + 2, (uintptr_t)at(s.buf, 16), 8);\n"
		  "\tput_be(s.data + 10, s.buf->rkey, 4);\n");
	CHECK_STR(bytes("\0\x22\x22\xab", 4), "\tput_le(s.data, s.buf->rkey, 4);\n");
	CHECK_STR(bytes("ab222200", 8), "\tput_digits(s.data, s.buf->rkey, 8, 16);\n");
	CHECK_STR(bytes("q:012345:", 9), "\tmemcpy(s.data, \"q:\", 2);\n"
					 "\tput_digits(s.data + 2, s.qp0->qp_num, 6, 16);\n"
					 "\tmemcpy(s.data + 8, \":\", 1);\n");
}

int main(void)
{
	test_names();
	test_own();
	test_told();
	test_same_address();
	test_same_number();
	test_members();
	test_bytes();
	text_free(&differences);
	return checks_end();
}
