// SPDX-License-Identifier: MIT
/* Faults: which packets they hit, how often, and what becomes of them. */
#include "fault.h"

#include <errno.h>

#include "checks.h"
#include "bytes.h"
#include "counters.h"
#include "rig.h"
#include "link.h"
#include "tap.h"

#define SENDS 20000

bool tap_on = true;

/* The result of fault_pass(). */
static struct {
	unsigned n, changed, dropped;
	uint32_t psn[SENDS * 2];
	uint64_t when[SENDS * 2];
	const char *fate[SENDS * 2];
	uint8_t last[64];
} out;

static void note(const uint8_t *data, const char *fate)
{
	out.psn[out.n] = get_be24(data + 9);
	out.when[out.n] = rig_now;
	out.fate[out.n++] = fate ? fate : "";
}

static uint8_t sample[64];

/* Does pass() write this byte of the BTH? A packet that was held back has others than sample. */
static bool is_varied(unsigned i)
{
	return i == 0 || (i >= 5 && i <= 7) || (i >= 9 && i <= 11); /* opcode, QP, PSN */
}

void tx_passed(const struct packet *a, const uint8_t *data, uint32_t n, const char *fate)
{
	unsigned bits = 0;

	CHECK_INT(a->sport, 1234);
	CHECK_INT(n, sizeof(sample));
	note(data, fate);
	memcpy(out.last, data, sizeof(out.last));
	for (unsigned i = 0; i < n; i++)
		bits += is_varied(i) ? 0 : (unsigned)__builtin_popcount(data[i] ^ sample[i]);
	CHECK(data[4] == sample[4]); /* not covered by the ICRC */
	if (fault_loses(fate))
		out.changed++;
	else
		CHECK_INT(bits, 0);
	if (fate && strcmp(fate, "corrupt") == 0)
		CHECK(bits <= 1);
}

void rx_passed(const struct packet *a, const uint8_t *data, uint32_t n, const char *fate)
{
	CHECK_INT(a->sport, 1234);
	CHECK(n == sizeof(sample) || n == 5);
	if (n > 5)
		note(data, fate);
}

void tap(enum uroce_direction dir, const char *fate, const struct packet *a, const uint8_t *data,
	 uint32_t n, uint16_t ip_id)
{
	CHECK(dir && a && data && n && !ip_id);
	CHECK_STR(fate, "drop");
	out.dropped++;
}

static void pass(enum uroce_direction dir, uint8_t opcode, uint32_t qpn, uint32_t psn)
{
	struct packet a = { .sport = 1234 };

	sample[0] = opcode;
	put_be24(sample + 5, qpn);
	put_be24(sample + 9, psn);
	fault_pass(dir, &a, sample, sizeof(sample));
}

static void rules(const char *text, uint64_t seed)
{
	char why[200] = "";

	if (fault_set(text, false, seed, why, sizeof(why)) != 0) {
		fprintf(stderr, "%s: %s\n", text, why);
		exit(1);
	}
	memset(&out, 0, sizeof(out));
	memset(counters, 0, sizeof(counters));
}

/* Of each kind: it hits, is counted, is told to the tap, and changes the packet only if the table
 * says that the receiver loses it. */
static void check_kinds(void)
{
	for (enum fate fate = FIRST_FAULT; fate < FATES; fate++) {
		const struct fault_kind *kind = &fault_kinds[fate];
		char text[80];

		snprintf(text, sizeof(text), "%s=100%%", kind->name);
		rules(text, 0);
		pass(UROCE_OUT, OP_SEND_ONLY, 5, 1);
		rig_run(1000000); /* what is reordered comes by then */
		for (enum fate i = FIRST_FAULT; i < FATES; i++)
			CHECK_INT(counters[fault_kinds[i].counter], i == fate);
		CHECK(out.n || (kind->lost && out.dropped == 1));
		if (!out.n)
			continue;
		CHECK_STR(out.fate[out.n - 1], kind->name);
		CHECK_INT(memcmp(out.last, sample, sizeof(sample)) != 0, kind->lost);
	}
}

static void check_rates(void)
{
	rules("drop=5%,dup=2%,corrupt=1%", 7);
	for (uint32_t psn = 0; psn < SENDS; psn++)
		pass(UROCE_OUT, OP_SEND_ONLY, 5, psn);
	CHECK_INT(out.dropped, counters[CNT_FAULT_DROP]);
	CHECK_INT(out.changed, counters[CNT_FAULT_CORRUPT]);
	CHECK_INT(out.n, SENDS - out.dropped + counters[CNT_FAULT_DUP]);
	CHECK(out.dropped > SENDS * 4 / 100 && out.dropped < SENDS * 6 / 100);
	CHECK(counters[CNT_FAULT_DUP] > SENDS * 15 / 1000 &&
	      counters[CNT_FAULT_DUP] < SENDS * 25 / 1000);
	CHECK(out.changed > SENDS * 5 / 1000 && out.changed < SENDS * 15 / 1000);
	for (unsigned i = 1; i < out.n; i++) /* none goes astray: the order stays */
		if (strcmp(out.fate[i], "corrupt") != 0 && strcmp(out.fate[i - 1], "corrupt") != 0)
			CHECK(out.psn[i] >= out.psn[i - 1]);
}

static unsigned sequence(uint64_t seed)
{
	unsigned hash = 0;

	rules("drop=50%", seed);
	for (uint32_t psn = 0; psn < 100; psn++)
		pass(UROCE_IN, OP_SEND_ONLY, 5, psn);
	for (unsigned i = 0; i < out.n; i++)
		hash = hash * 31 + out.psn[i];
	return hash;
}

static void check_seeds(void)
{
	unsigned first = sequence(42);

	CHECK(sequence(0) != first); /* goes on */
	CHECK_INT(sequence(42), first);
	CHECK(sequence(43) != first);
}

static unsigned survivors(enum uroce_direction dir, uint8_t opcode, uint32_t qpn, uint32_t psn)
{
	out.n = 0;
	pass(dir, opcode, qpn, psn);
	return out.n;
}

static void check_matching(void)
{
	rules("drop=100%,dir=out", 0);
	CHECK_INT(fault_directions, UROCE_OUT);
	CHECK_INT(survivors(UROCE_OUT, OP_ACK, 1, 1), 0);
	CHECK_INT(survivors(UROCE_IN, OP_ACK, 1, 1), 1);
	rules("drop=1,op=ack,dir=in;drop=1,op=UC_SEND_ONLY;drop=1,qpn=0x12345,psn=7", 0);
	CHECK_INT(fault_directions, UROCE_OUT | UROCE_IN);
	CHECK_INT(survivors(UROCE_IN, OP_ACK, 1, 1), 0);
	CHECK_INT(survivors(UROCE_OUT, OP_ACK, 1, 1), 1);
	CHECK_INT(survivors(UROCE_OUT, OPCODE_UC + OP_SEND_ONLY, 1, 1), 0);
	CHECK_INT(survivors(UROCE_OUT, OP_SEND_ONLY, 1, 1), 1);
	CHECK_INT(survivors(UROCE_OUT, OP_SEND_ONLY, 0x12345, 7), 0);
	CHECK_INT(survivors(UROCE_OUT, OP_SEND_ONLY, 0x12345, 8), 1);
	CHECK_INT(survivors(UROCE_OUT, OP_SEND_ONLY, 0x12346, 7), 1);
	rules("drop=1,psn=0,count=2", 0);
	CHECK_INT(survivors(UROCE_OUT, OP_SEND_ONLY, 1, 0), 0);
	CHECK_INT(survivors(UROCE_OUT, OP_SEND_ONLY, 1, 0), 0);
	CHECK_INT(survivors(UROCE_OUT, OP_SEND_ONLY, 1, 0), 1);
	/* a range of PSNs, which go round */
	rules("drop=1,psn=0xfffffe-1", 0);
	CHECK_INT(survivors(UROCE_OUT, OP_ACK, 1, 0xfffffd), 1);
	CHECK_INT(survivors(UROCE_OUT, OP_ACK, 1, 0xfffffe), 0);
	CHECK_INT(survivors(UROCE_OUT, OP_ACK, 1, 1), 0);
	CHECK_INT(survivors(UROCE_OUT, OP_ACK, 1, 2), 1);
	/* the first rule that is drawn decides */
	rules("dup=1,op=ACK;drop=1", 0);
	CHECK_INT(survivors(UROCE_OUT, OP_ACK, 1, 0), 2);
	CHECK_STR(out.fate[0], "");
	CHECK_STR(out.fate[1], "dup");
	CHECK_INT(survivors(UROCE_OUT, OP_SEND_ONLY, 1, 0), 0);
	rules("", 0);
	CHECK_INT(fault_directions, 0);
}

static void check_reorder(void)
{
	rules("reorder=1,psn=1", 0);
	pass(UROCE_OUT, OP_SEND_ONLY, 5, 1);
	CHECK_INT(out.n, 0);
	pass(UROCE_OUT, OP_SEND_ONLY, 6, 50); /* another QP */
	CHECK_INT(out.n, 1);
	pass(UROCE_IN, OP_SEND_ONLY, 5, 60); /* the other direction */
	CHECK_INT(out.n, 2);
	pass(UROCE_OUT, OP_SEND_ONLY, 5, 2);
	CHECK_INT(out.n, 4);
	CHECK_INT(out.psn[2], 2);
	CHECK_INT(out.psn[3], 1);
	CHECK_STR(out.fate[3], "reorder");
	pass(UROCE_OUT, OP_SEND_ONLY, 5, 3);
	CHECK_INT(out.n, 5);
	rig_run(10000000);
	CHECK_INT(out.n, 5);
	/* nothing follows: a millisecond */
	pass(UROCE_OUT, OP_SEND_ONLY, 5, 1);
	rig_run(999999);
	CHECK_INT(out.n, 5);
	rig_run(1);
	CHECK_INT(out.n, 6);
	/* all of them: each is overtaken by the next, none is lost */
	rules("reorder=1", 0);
	for (uint32_t psn = 0; psn < 10; psn++)
		pass(UROCE_IN, OP_SEND_ONLY, 5, psn);
	rig_run(1000000);
	CHECK_INT(out.n, 10);
	CHECK_INT(out.psn[0], 1);
	CHECK_INT(out.psn[1], 0);
	CHECK_INT(out.psn[9], 8);
	CHECK_INT(counters[CNT_FAULT_REORDER], 5);
}

/* A packet that is corrupted overtakes as any other, whichever bit is hit: some are of the QPN. */
static void check_reorder_corrupt(void)
{
	rules("reorder=1,psn=1;corrupt=1,psn=2", 3);
	for (unsigned i = 0; i < 500; i++) {
		out.n = 0;
		pass(UROCE_OUT, OP_SEND_ONLY, 5, 1);
		CHECK_INT(out.n, 0);
		pass(UROCE_OUT, OP_SEND_ONLY, 5, 2);
		CHECK_INT(out.n, 2);
	}
}

static void check_delay(void)
{
	uint64_t start = rig_now;

	rules("delay=2ms,psn=1;delay=500us,psn=2;delay=2ms,dup=1,psn=3", 0);
	for (uint32_t psn = 0; psn < 4; psn++)
		pass(UROCE_OUT, OP_SEND_ONLY, 5, psn);
	CHECK_INT(out.n, 1);
	CHECK_INT(out.psn[0], 0);
	rig_run(3000000);
	CHECK_INT(out.n, 5);
	CHECK_INT(out.psn[1], 2);
	CHECK_INT(out.when[1] - start, 500000);
	CHECK_STR(out.fate[1], "delay");
	CHECK_INT(out.psn[2], 1);
	CHECK_INT(out.when[2] - start, 2000000);
	CHECK_INT(out.psn[3], 3);
	CHECK_INT(out.psn[4], 3);
	CHECK_STR(out.fate[4], "dup");
	CHECK_INT(counters[CNT_FAULT_DELAY], 3);
	/* the same delay for all: the order stays */
	rules("delay=1s", 0);
	for (uint32_t psn = 0; psn < 1000; psn++)
		pass(UROCE_IN, OP_SEND_ONLY, 5, psn);
	rules("", 0); /* those that wait come nevertheless */
	rig_run(1000000000);
	CHECK_INT(out.n, 1000);
	for (uint32_t psn = 0; psn < 1000; psn++)
		CHECK_INT(out.psn[psn], psn);
	/* too many: lost as in a switch, and counted */
	rules("delay=1s", 0);
	for (uint32_t psn = 0; psn < SENDS; psn++)
		pass(UROCE_IN, OP_SEND_ONLY, 5, psn);
	rig_run(1000000000);
	CHECK(out.n >= 1000 && out.n < SENDS);
	CHECK_INT(counters[CNT_FAULT_DROP], SENDS - out.n);
	/* after fork() */
	rules("delay=1s", 0);
	pass(UROCE_IN, OP_SEND_ONLY, 5, 1);
	fault_forget();
	CHECK_INT(fault_directions, 0);
	out.n = 0;
	rig_run(2000000000); /* nothing is left that would run */
	CHECK_INT(out.n, 0);
}

static void check_short(void)
{
	static const uint8_t five[5];
	struct packet a = { .sport = 1234 };

	rules("drop=1", 0);
	fault_pass(UROCE_IN, &a, five, sizeof(five));
	CHECK_INT(out.dropped, 0);
}

static void refused(const char *text, const char *want)
{
	char why[200] = "";

	errno = 0;
	CHECK_INT(fault_set(text, false, 0, why, sizeof(why)), -1);
	CHECK_INT(errno, EINVAL);
	if (!strstr(why, want)) {
		fprintf(stderr, "\"%s\" is refused with: %s\n", text, why);
		exit(1);
	}
}

static void check_text(void)
{
	struct wire_rule f[FAULT_RULES];
	char many[FAULT_RULES * 8 + 16] = "";

	CHECK_INT(fault_read("drop=5%,dup=2.5%,reorder=0.125,corrupt=1,dir=in,op=0x64,psn=0xabcdef,"
			     "qpn=17,count=9,delay=1.5ms;DROP=0",
			     f, FAULT_RULES, NULL, 0),
		  2);
	CHECK(f[0].drop == 0.05 && f[0].dup == 0.025 && f[0].reorder == 0.125);
	CHECK(f[0].corrupt == 1 && f[0].direction == UROCE_IN && f[0].opcode == 0x64);
	CHECK(f[0].psn == 0xabcdef && f[0].qpn == 17 && f[0].count == 9 && f[0].delay_us == 1500);
	CHECK(f[1].drop == 0 && f[1].direction == 0 && f[1].opcode == -1 && f[1].psn == -1);
	CHECK_INT(fault_read("", f, FAULT_RULES, NULL, 0), 0);
	CHECK_INT(fault_read("drop=1%;", f, FAULT_RULES, NULL, 0), 1);
	refused("drop=101%", "drop=101%: not a probability");
	refused("drop=1.5", "not a probability");
	refused("drop=-1", "not a probability");
	refused("drop=", "not a probability");
	refused("drop=5%x", "not a probability");
	refused("drop=nan", "not a probability");
	refused("delay=5", "delay=5: not a delay");
	refused("delay=61s", "not a delay");
	refused("dir=up", "dir=up: not a direction");
	refused("op=PING", "op=PING: no such opcode");
	refused("op=256", "not a number from 0 to 255");
	refused("psn=0x1000000", "not a number");
	refused("psn=5-", "not a number");
	refused("psn=5-6-7", "not a number");
	refused("qpn=-1", "not a number");
	refused("count=99999999999999999999", "not a number");
	refused("loss=5%", "'loss' is no fault of packets");
	refused("dropp=5%", "did you mean drop?");
	for (enum fate fate = FIRST_FAULT; fate < FATES; fate++)
		refused("loss=5%", fault_kinds[fate].name);
	refused("drop", "\"drop\": not of the form");
	refused("drop=1%,,dup=1%", "\"\": not of the form");
	refused(";", "\"\": not of the form");
	refused("drop=0000000000000000000000000000000000000000000000000000000000000000000000000000000000%",
		"too long");
	refused("psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,"
		"psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,psn=1,drop=1",
		"a rule of 162 characters is too long");
	for (int i = 0; i <= FAULT_RULES; i++)
		strcat(many, "drop=1%;");
	refused(many, "more than 64 rules");
}

/* The rules that uroce_faults_get() tells of, and what is added to them. */
static void check_told(void)
{
	struct uroce_fault got[3];
	char why[200];

	rules("drop=0.5,psn=3-9;drop=1", 0);
	CHECK_INT(survivors(UROCE_OUT, OP_ACK, 1, 1), 0);
	CHECK_INT(uroce_faults_set("drop=1.01", false, 1, why, sizeof(why)), -1);
	CHECK_INT(uroce_faults_set("dup=1,op=SEND_ONLY;", true, 0, NULL, 0), 0);
	CHECK_INT(uroce_faults_get(got, 3), 3);
	CHECK_STR(got[0].text, "drop=0.5,psn=3-9");
	CHECK(got[0].loses && got[0].hits == 0);
	CHECK_STR(got[1].text, "drop=1");
	CHECK(got[1].loses && got[1].hits == 1);
	CHECK_STR(got[2].text, "dup=1,op=SEND_ONLY");
	CHECK(!got[2].loses && got[2].hits == 0);
	CHECK_INT(uroce_faults_get(NULL, 0), 3);
	CHECK_INT(uroce_faults_set("delay=1ms", false, 0, NULL, 0), 0);
	CHECK_INT(uroce_faults_get(got, 3), 1);
	CHECK(got[0].loses);
	CHECK_INT(uroce_faults_set("", false, 0, NULL, 0), 0);
	CHECK_INT(survivors(UROCE_OUT, OP_ACK, 1, 1), 1);
}

int main(void)
{
	check_kinds();
	check_rates();
	check_seeds();
	check_matching();
	check_reorder();
	check_reorder_corrupt();
	check_delay();
	check_short();
	check_text();
	check_told();
	return checks_end();
}
