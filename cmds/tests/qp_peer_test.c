/* SPDX-License-Identifier: MIT */
/* The data that a peer tells of its QP: read back as they were said, and refused when it is not
 * right. */
#include "checks.h"
#include "objects.h"
#include "qp/qp.h"
#include "session.h"

static struct session s;

static const char good[] = "{\"qpn\":17,\"psn\":4711,\"lid\":3,\"gid\":\"::ffff:10.0.0.2\","
			   "\"rkey\":4294967295,\"addr\":18446744073709551614,\"mtu\":1024}";

static int from_json(const char *text, struct qp_peer *p)
{
	return qp_peer_from_json(&s, text, strlen(text), p);
}

static void test_good(void)
{
	struct qp_peer p = { 0 }, again = { 0 };
	char *text;

	CHECK_INT(from_json(good, &p), 0);
	CHECK(p.known);
	CHECK_INT(p.qpn, 17);
	CHECK_INT(p.psn, 4711);
	CHECK_INT(p.lid, 3);
	CHECK_INT(p.rkey, 0xffffffff);
	CHECK(p.addr == UINT64_MAX - 1);
	CHECK_INT(p.mtu, IBV_MTU_1024);
	CHECK_INT(p.gid.raw[15], 2);
	p.type = IBV_QPT_UC;
	text = qp_peer_to_json(&p);
	CHECK(strstr(text, "\"0000:0000:0000:0000:0000:ffff:0a00:0002\"") != NULL);
	CHECK_INT(from_json(text, &again), 0);
	CHECK(memcmp(&p, &again, sizeof p) == 0);
	free(text);
}

/* Numbers may be text, as people write them; what is not known is passed over. */
static void test_tolerant(void)
{
	struct qp_peer p = { 0 };

	CHECK_INT(from_json("{\"qpn\":\"0x11\",\"psn\":\"7\",\"lid\":1,\"colour\":[{}]}", &p), 0);
	CHECK_INT(p.qpn, 17);
	CHECK_INT(p.mtu, 0);
	CHECK_INT(from_json("{\"qpn\":1,\"psn\":0,\"gid\":\"10.0.0.1\"}", &p), 0);
	CHECK_INT(p.gid.raw[10], 0xff);
}

static void test_bad(void)
{
	static const char *const bad[] = {
		"",
		"hello",
		"[]",
		"17",
		"null",
		"{}",
		"{\"qpn\":17}",
		"{\"qpn\":17,\"psn\":1}",
		"{\"qpn\":0,\"psn\":1,\"lid\":1}",
		"{\"qpn\":-1,\"psn\":1,\"lid\":1}",
		"{\"qpn\":16777216,\"psn\":1,\"lid\":1}",
		"{\"qpn\":1.5,\"psn\":1,\"lid\":1}",
		"{\"qpn\":[17],\"psn\":1,\"lid\":1}",
		"{\"qpn\":true,\"psn\":1,\"lid\":1}",
		"{\"qpn\":\"17 \",\"psn\":1,\"lid\":1}",
		"{\"qpn\":17,\"psn\":16777216,\"lid\":1}",
		"{\"qpn\":17,\"psn\":1,\"lid\":65536}",
		"{\"qpn\":17,\"psn\":1,\"gid\":\"fe80\"}",
		"{\"qpn\":17,\"psn\":1,\"gid\":7}",
		"{\"qpn\":17,\"psn\":1,\"lid\":1,\"rkey\":4294967296}",
		"{\"qpn\":7,\"psn\":1,\"lid\":1,\"len\":18446744073709551616}",
		"{\"qpn\":17,\"psn\":1,\"lid\":1,\"mtu\":1500}",
		"{\"qpn\":17,\"psn\":1,\"lid\":1,\"type\":\"XRC\"}",
		"{\"qpn\":17,\"psn\":1,\"lid\":1,\"type\":{}}",
		"{\"a\":{\"b\":{\"c\":{\"d\":{}}}},\"qpn\":1,\"psn\":1,\"lid\":1}",
		"{\"qpn\":17,\"psn\":1,\"lid\":1",
	};
	struct qp_peer p = { .qpn = 5 };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (from_json(bad[i], &p) == 0) {
			fprintf(stderr, "taken: %s\n", bad[i]);
			exit(1);
		}
		CHECK_INT(p.qpn, 5); /* nothing of it is kept */
		CHECK_STR(s.fail.call, "peer");
	}
}

/* Every message with one byte changed is taken or refused, and nothing worse. */
static void test_damaged(void)
{
	char text[sizeof good];
	struct qp_peer p;

	for (size_t i = 0; i < strlen(good); i++)
		for (int c = 0; c < 256; c++) {
			memcpy(text, good, sizeof good);
			text[i] = (char)c;
			if (qp_peer_from_json(&s, text, strlen(good), &p) == 0)
				CHECK(p.qpn && p.qpn <= 0xffffff && p.psn <= 0xffffff);
		}
	for (size_t i = 0; i < strlen(good); i++)
		CHECK(qp_peer_from_json(&s, good, i, &p) == -1);
}

static void test_dict(void)
{
	Tcl_Obj *dict = Tcl_NewStringObj("qpn 17 psn 1 gid fe80::1 type UD qkey 0x11111111", -1);
	struct qp qp = { .type = IBV_QPT_RC };
	struct qp_peer p = { 0 };

	Tcl_IncrRefCount(dict);
	CHECK_INT(qp_peer_from_dict(&s, dict, &p), 0);
	CHECK_INT(p.qkey, 0x11111111);
	CHECK_INT(qp_peer_adopt(&s, &qp, &p), -1); /* UD to RC */
	CHECK(!qp.peer.known);
	qp.type = IBV_QPT_UD;
	CHECK_INT(qp_peer_adopt(&s, &qp, &p), 0);
	CHECK(qp.peer.known);
	Tcl_DecrRefCount(dict);
}

int main(int argc, char **argv)
{
	(void)argc;
	Tcl_FindExecutable(argv[0]);
	test_good();
	test_tolerant();
	test_bad();
	test_damaged();
	test_dict();
	fail_clear(&s.fail);
	return checks_end();
}
