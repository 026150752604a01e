/* SPDX-License-Identifier: MIT */
/* Finding commands, did-you-mean, and what fits an expectation. */
#include "check/check.h"
#include "checks.h"
#include "command/cmd.h"
#include "edit/edit.h"
#include "fixture.h"

static struct session *s;

static const char *found(const char *first, const char *second, int want_used)
{
	const char *words[2] = { first, second };
	const struct cmd *c;
	int used = 0;

	c = cmd_find(NULL, words, second ? 2 : 1, &used);
	if (c)
		CHECK_INT(used, want_used);
	return c ? c->name : "";
}

static void names(void)
{
	CHECK_STR(found("post", "write", 2), "post write");
	CHECK_STR(found("po", "w", 2), "post write");
	CHECK_STR(found("post", "re", 2), "");
	CHECK_STR(found("post", NULL, 1), "");
	CHECK_STR(found("show", NULL, 1), "show");
	CHECK_STR(found("show", "mr0", 1), "show");
	CHECK_STR(found("show", "al", 2), "show all");
	CHECK_STR(found("m", NULL, 1), "");
	CHECK_STR(found("mo", NULL, 1), "modify-qp");
	CHECK_STR(found("", NULL, 1), "");
	CHECK_STR(found("posts", "write", 2), "");
}

#define RUN(command, want) CHECK_STR(fixture_run(s, command), want)

static void messages(void)
{
	RUN("pots write", "error: unknown command 'pots'; did you mean post? | next help post");
	RUN("write hello",
	    "error: unknown command 'write'; did you mean post write? | next help post write");
	RUN("bye", "error: unknown command 'bye'; did you mean quit? | next help quit");
	RUN("pkeys", "error: unknown command 'pkeys'; did you mean call ibv_query_pkey? | "
		     "next help call ibv_query_pkey");
	RUN("?", "error: unknown command '?'; did you mean help? | next help");
	RUN("qqqqqq", "error: unknown command 'qqqqqq' | next help");
	RUN("m", "error: ambiguous command: m could be: mem, modify-qp | "
		 "mem and a second word: dump | modify-qp Fails");
	RUN("re", "error: ambiguous command: re could be: record, repeat | "
		  "record write what is typed to a script | repeat run commands several times");
	RUN("post wirte",
	    "error: post has no 'wirte'; did you mean write? | one of read, recv, write");
	RUN("post re", "error: ambiguous command: post re could be: read, recv | "
		       "read Read | recv Receive");
	RUN("post",
	    "error: post needs a second word | read Read | recv Receive | write Write | next help post");
	RUN("po w m -remote 1", "status SUCCESS");
	RUN("::post write m -remote 1", "status SUCCESS");
	RUN("fe80::1", "error: unknown command 'fe80::1' | note [...] runs a command: write IPv6 "
		       "addresses without brackets, the port as a word of its own");
	RUN("exec ls", "error: Tcl's exec is not available to scripts | note scripts cannot leave "
		       "the shell; rdmash --unsafe lifts that (but for after, vwait, update, "
		       "interp)");
}

static const char *near(const char *typed, const char *words)
{
	Tcl_Obj *list = Tcl_NewStringObj(words, -1);
	static char text[40];
	const char *got;

	Tcl_IncrRefCount(list);
	got = cmd_suggest(typed, list);
	snprintf(text, sizeof text, "%s", got ? got : "");
	Tcl_DecrRefCount(list);
	return text;
}

static void suggestions(void)
{
	CHECK_STR(near("recrod", "repeat record reg"), "record");
	CHECK_STR(near("RECORD", "repeat record reg"), "record");
	CHECK_STR(near("reocrd", "repeat record reg"), "record");
	CHECK_STR(near("zzz", "repeat record reg"), "");
	CHECK_STR(near("dp", "pd cq qp"), "pd");
	CHECK_STR(near("dq", "pd cq qp"), "");
	CHECK_STR(near("x", "a b c"), "");
	CHECK_STR(near("", "a b c"), "");
	CHECK_STR(near("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a"), "");
}

static void fits(void)
{
	CHECK(expect_fits("SUCCESS", "SUCCESS"));
	CHECK(!expect_fits("SUCCESS", "success"));
	CHECK(expect_fits("0x10", "16"));
	CHECK(expect_fits("18446744073709551615", "0xffffffffffffffff"));
	CHECK(!expect_fits("16", "17"));
	CHECK(expect_fits("RNR*", "RNR_RETRY_EXC_ERR"));
	CHECK(expect_fits("*", ""));
	CHECK(expect_fits("[a]", "[a]"));
	CHECK(!expect_fits("", "x"));
}

static void expectations(void)
{
	s->opt.quiet = true;
	RUN("expect status SUCCESS {po w m -remote 1}", "status SUCCESS");
	RUN("expect status SUCC* {list {status SUCCESS}}", "{status SUCCESS}");
	CHECK_INT(s->passed, 2);
	RUN("expect -name {a name} status NO {po w m -remote 1}",
	    "error: expected status NO, got SUCCESS | check a name | in po w m -remote 1 | "
	    "result status SUCCESS");
	RUN("expect state RTS {po w m -remote 1}",
	    "error: expected state RTS, got no such field | in po w m -remote 1 | "
	    "result status SUCCESS");
	RUN("expect -value 3 {\n  expr {2 + 2}\n}", "error: expected 3, got 4 | in expr {2 + 2}");
	CHECK_INT(s->failed, 3);
	RUN("expect -error EINVAL {modify-qp}", "");
	RUN("expect -error ibv_modify_qp {modify-qp}", "");
	RUN("expect -error ENOENT {modify-qp}",
	    "error: expected error ENOENT, got EINVAL | in modify-qp | "
	    "said ibv_modify_qp: RESET -> INIT: Invalid argument (EINVAL)");
	RUN("expect -error EINVAL {set x 1}",
	    "error: expected error EINVAL, got no error | in set x 1 | result 1");
	RUN("expect -error REM_OP_ERR {set x {wr_id 1 status REM_OP_ERR}}",
	    "error: expected error REM_OP_ERR, got no error | in set x {wr_id 1 status REM_OP_ERR} | "
	    "result wr_id 1 status REM_OP_ERR | next expect status REM_OP_ERR "
	    "{set x {wr_id 1 status REM_OP_ERR}}: this is a result, not an error");
	RUN("expect status SUCCESS {modify-qp}",
	    "error: expected status SUCCESS, got EINVAL | in modify-qp | "
	    "said ibv_modify_qp: RESET -> INIT: Invalid argument (EINVAL)");
	CHECK_INT(s->failed, 7);
	RUN("expect status SUCCESS {modfy-qp}", "error: unknown command 'modfy-qp'; did you mean "
						"modify-qp? | next help modify-qp");
	CHECK_INT(s->failed, 7);
	RUN("expect -true {1 < 2}", "");
	RUN("expect -true {1 > 2}", "error: expected true, got false | in 1 > 2");
	RUN("catch {expect -value 1 {set x 2}} e o; dict get $o -errorcode",
	    "RDMASH expect FAILED");
	RUN("expect status SUCCESS",
	    "error: expect: pairs of field and value, then a script, not 2 words | "
	    "next expect status SUCCESS {poll}");
	RUN("try {repeat 2 {throw {MY CODE} x}} trap {MY CODE} {e} {set e}", "x");
	RUN("proc p {} {repeat 5 {return 7}}; p", "7");
	RUN("set n 0; repeat 5 {incr n; if {$n == 3} break}; set n", "3");
}

int main(void)
{
	s = fixture_new();
	names();
	messages();
	suggestions();
	fits();
	expectations();
	fixture_free(s);
	return checks_end();
}
