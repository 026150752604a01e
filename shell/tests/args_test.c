/* SPDX-License-Identifier: MIT */
/* Parsing from argument tables: values, and the text of every error. */
#include "checks.h"
#include "fixture.h"

static struct session *s;

#define RUN(command, want) CHECK_STR(fixture_run(s, command), want)

static void values(void)
{
	RUN("post write mr0 -remote 0xffffffffffffffff -rkey 4294967295", "status SUCCESS");
	CHECK(last_write.remote.v == UINT64_MAX && last_write.remote.set);
	CHECK(last_write.rkey.v == UINT32_MAX);
	CHECK(last_write.len.v == 4096 && last_write.len.set); /* the default */
	CHECK(!last_write.within.set && !last_write.inline_);
	RUN("post write -rem 18446744073709551615 mr0 -inl", "status SUCCESS");
	CHECK(last_write.remote.v == UINT64_MAX && last_write.inline_);
	CHECK_STR(last_write.mr, "mr0");
	RUN("post write mr0 -remote [expr {0x7fffffffffffffff + 1}]", "status SUCCESS");
	CHECK(last_write.remote.v == 1ull << 63);
	RUN("post write -remote 1 -sge a -sge b -- -odd", "status SUCCESS");
	CHECK(last_write.sge.n == 2);
	CHECK_STR(((const char **)last_write.sge.v)[1], "b");
	CHECK_STR(last_write.mr, "-odd");
	/* data that begins with a dash */
	RUN("post write -remote 1 -\\x0f\\x00\\x80a", "status SUCCESS");
	CHECK_STR(last_write.mr, "-\x0f\xc0\x80\xc2\x80"
				 "a");
}

static uint64_t size(const char *text)
{
	char command[100];

	snprintf(command, sizeof command, "post write m -remote 1 -len %s", text);
	CHECK_STR(fixture_run(s, command), "status SUCCESS");
	return last_write.len.v;
}

static uint64_t ms(const char *text)
{
	char command[100];

	snprintf(command, sizeof command, "post write m -remote 1 -within %s", text);
	CHECK_STR(fixture_run(s, command), "status SUCCESS");
	return last_write.within.v;
}

static void units(void)
{
	CHECK_INT(size("0"), 0);
	CHECK_INT(size("0x1000"), 4096);
	CHECK_INT(size("4K"), 4096);
	CHECK_INT(size("4k"), 4096);
	CHECK_INT(size("3M"), 3 << 20);
	CHECK_INT(size("16G"), 16ll << 30);
	CHECK_INT(ms("500"), 500);
	CHECK_INT(ms("500ms"), 500);
	CHECK_INT(ms("2s"), 2000);
}

static void words(void)
{
	RUN("post write m -remote 1 -flags signaled,Fence -type ud", "status SUCCESS");
	CHECK_INT(last_write.flags.v, 3);
	CHECK_INT(last_write.type.v, 4);
	RUN("post write m -remote 1 -flags local-write", "status SUCCESS");
	CHECK_INT(last_write.flags.v, 4);
	RUN("post write m -remote 1 -flags LOCAL_WRITE|sig", "status SUCCESS");
	CHECK_INT(last_write.flags.v, 6);
	RUN("post write m -remote 1 -flags {}", "status SUCCESS");
	CHECK(last_write.flags.set && !last_write.flags.v);
}

static void errors(void)
{
	RUN("post write m -remote 1 -rkey 4294967296",
	    "error: -rkey: 4294967296 does not fit in 32 bits");
	RUN("post write m -remote 1 -rkey 0x1ffffffff",
	    "error: -rkey: 0x1ffffffff does not fit in 32 bits");
	RUN("post write m -remote 0x10000000000000000",
	    "error: -remote: 0x10000000000000000 does not fit in 64 bits");
	RUN("post write m -remote -5", "error: -remote: -5 is negative");
	RUN("post write m -remote ten", "error: -remote: 'ten' is not a number");
	RUN("post write m -remote 12z", "error: -remote: '12z' is not a number");
	RUN("post write m -remote {}", "error: -remote: '' is not a number");
	RUN("post write m -remote 1 -port 255", "error: -port: 255 is not between 1 and 254");
	RUN("post write m -remote 1 -port 0", "error: -port: 0 is not between 1 and 254");
	RUN("post write m -remote 1 -port -1",
	    "error: -port: -1 is negative, not between 1 and 254");
	RUN("post write m -remote 1 -rkey -1", "error: -rkey: -1 is negative");
	RUN("post write m -remote 1 -within -1s",
	    "error: -within: -1s is negative, not between 0 and 60000");
	RUN("repeat -1 {}", "error: times: -1 is negative | "
			    "usage repeat <times> <body> [-every ms] | "
			    "example repeat 3 {echo round [incr n]}");
	RUN("post write m -remote 1 -len 5X",
	    "error: -len: '5X' is not a size such as 4096, 0x1000, 4K, 1M or 2G");
	RUN("post write m -remote 1 -len 99999999999G", "error: -len: 99999999999G is too large");
	RUN("post write m -remote 1 -within 2m",
	    "error: -within: '2m' is not a time such as 500, 500ms or 2s");
	RUN("post write m -remote 1 -within 61s", "error: -within: 61s is not between 0 and 60000");
	RUN("post write m -remote 1 -flags signald",
	    "error: -flags: 'signald' is not known; did you mean SIGNALED? | "
	    "one of SIGNALED FENCE LOCAL_WRITE");
	RUN("post write m -remote 1 -type xx", "error: -type: 'xx' is not known | one of RC UC UD");
	RUN("post write m -remote 1 -rem 2", "error: post write: -remote is given twice");
	RUN("post write m -r 1", "error: ambiguous option -r of post write: could be "
				 "-remote -rkey | next help post write");
	RUN("post write m -remoet 1", "error: post write has no option -remoet; did you "
				      "mean -remote? | next help post write");
	RUN("post write m -remote",
	    "error: post write: -remote needs a value: address at the peer");
	RUN("post write m -remote 1 # why", "error: post write: one word too many: '#' | "
					    "note a comment after a command is written "
					    "';# ...' | next help post write");
	RUN("repeat x {}", "error: times: 'x' is not a number | "
			   "usage repeat <times> <body> [-every ms] | "
			   "example repeat 3 {echo round [incr n]}");
	RUN("post write m -remote 1 uc", "error: post write: one word too many: 'uc' | "
					 "next post write -type uc");
	RUN("post write m -size 4", "error: post write has no option -size; did you mean -len? | "
				    "next help post write");
	RUN("post write m -remote 1 -len -5", "error: -len: -5 is negative");
	RUN("mem dump 0 4 x", "error: mem dump: one word too many: 'x' | next help mem dump");
	RUN("mem dump 0 4 > f",
	    "error: mem dump: one word too many: '>' | next help mem dump | note '>' is of other "
	    "shells; in a session of its own: !rdmash -c 'mem dump' > ... | or text save FILE [mem "
	    "dump], which writes its value");
	RUN("mem dump -x", "error: mem dump has no option -x | options none | next help mem dump");
	RUN("repeat 3",
	    "error: repeat: missing <body>: what to run | usage repeat <times> <body> [-every ms] | "
	    "example repeat 3 {echo round [incr n]}");
}

static void codes(void)
{
	RUN("catch {modify-qp} text options; dict get $options -errorcode",
	    "RDMASH ibv_modify_qp EINVAL");
	RUN("try {modify-qp} trap {RDMASH ibv_modify_qp EINVAL} {e} {set e}",
	    "ibv_modify_qp: RESET -> INIT: Invalid argument (EINVAL)");
	RUN("modify-qp", "error: ibv_modify_qp: RESET -> INIT: Invalid argument (EINVAL) | port 1");
}

int main(void)
{
	s = fixture_new();
	values();
	units();
	words();
	errors();
	codes();
	fixture_free(s);
	return checks_end();
}
