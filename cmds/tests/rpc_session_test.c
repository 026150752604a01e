/* SPDX-License-Identifier: MIT */
/*
 * Two sessions and a network in between that loses, doubles, reorders and damages packets, by
 * a clock of its own: every message arrives once, in order, unchanged; and packets that are
 * wrong in every way that can be told.
 */
#include "check.h"
#include "rpc_session.h"

#define MSEC	 INT64_C(1000000)
#define FRAGMENT 200
#define LIMIT	 20000
#define FLYING	 4096

static uint64_t dice = 88172645463325252u;

static uint32_t roll(uint32_t below)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (uint32_t)(dice >> 32) % below;
}

struct flight {
	int64_t at;
	unsigned to;
	size_t len;
	uint8_t bytes[RPC_HEAD + FRAGMENT];
};

static struct net {
	unsigned loss, twice, reorder, damage; /* percent */
	int64_t now;
	unsigned n;
	struct flight flying[FLYING];
	unsigned corrupt, lost;
} net;

static struct end {
	struct rpc_session s;
	uint32_t sent, got; /* messages */
	unsigned sends;	    /* packets */
} ends[2];

static void fly(unsigned to, const uint8_t *bytes, size_t len, int64_t at)
{
	struct flight *f = &net.flying[net.n++];

	CHECK(net.n < FLYING);
	*f = (struct flight){ .at = at, .to = to, .len = len };
	memcpy(f->bytes, bytes, len);
	if (roll(100) < net.damage)
		f->bytes[roll((uint32_t)len)] ^= (uint8_t)(1u << roll(8));
}

static void on_send(void *arg, const struct rpc_packet *p)
{
	struct end *e = arg;
	unsigned to = e == &ends[0];
	uint8_t bytes[RPC_HEAD + FRAGMENT];
	size_t len = rpc_packet_write(bytes, p);

	e->sends++;
	if (roll(100) < net.loss) {
		net.lost++;
		return;
	}
	fly(to, bytes, len, net.now + MSEC / 10 + (roll(100) < net.reorder ? MSEC : 0));
	if (roll(100) < net.twice)
		fly(to, bytes, len, net.now + MSEC / 5);
}

/* Message n: its number, and as many bytes of a pattern as the number says. */
static size_t make(uint8_t *to, uint32_t n)
{
	size_t len = 4 + (n % 40 ? n % 50 : LIMIT - 4);

	memcpy(to, &n, 4);
	for (size_t i = 4; i < len; i++)
		to[i] = (uint8_t)(n + i);
	return len;
}

static void on_message(void *arg, const uint8_t *data, size_t len)
{
	static uint8_t want[LIMIT];
	struct end *e = arg;

	CHECK_INT(len, make(want, e->got));
	CHECK(memcmp(data, want, len) == 0);
	e->got++;
}

static const struct rpc_session_ops ops = { .send = on_send, .message = on_message };

static void begin(uint32_t first)
{
	memset(&net, 0, sizeof net);
	for (unsigned i = 0; i < 2; i++) {
		memset(&ends[i], 0, sizeof ends[i]);
		rpc_session_init(&ends[i].s, 7, FRAGMENT, LIMIT, first, &ops, &ends[i]);
	}
}

static void end(void)
{
	rpc_session_free(&ends[0].s);
	rpc_session_free(&ends[1].s);
}

static void land(unsigned i)
{
	struct flight f = net.flying[i];
	struct rpc_packet p;

	memmove(&net.flying[i], &net.flying[i + 1], (--net.n - i) * sizeof f); /* in order */
	if (rpc_packet_read(f.bytes, f.len, &p) != RPC_GOOD)
		net.corrupt++;
	else
		rpc_session_take(&ends[f.to].s, &p, net.now);
}

/* The next thing that happens, happens. False: nothing ever will. */
static bool step(void)
{
	int64_t next = INT64_MAX;
	unsigned first = net.n;

	for (unsigned i = 0; i < net.n; i++)
		if (net.flying[i].at < next) {
			next = net.flying[i].at;
			first = i;
		}
	for (unsigned i = 0; i < 2; i++)
		if (rpc_session_due(&ends[i].s) < next) {
			next = rpc_session_due(&ends[i].s);
			first = net.n + 1;
		}
	if (next == INT64_MAX)
		return false;
	if (next > net.now)
		net.now = next;
	if (first < net.n)
		land(first);
	for (unsigned i = 0; i < 2; i++)
		rpc_session_run(&ends[i].s, net.now);
	return true;
}

static void post(unsigned from)
{
	uint8_t message[LIMIT];
	size_t len = make(message, ends[from].sent++);

	rpc_session_post(&ends[from].s, message, len, net.now);
}

static void exchange(uint32_t messages)
{
	for (uint32_t n = 0; n < messages; n++) {
		post(0);
		post(1);
		for (unsigned i = roll(8); i > 0; i--)
			step();
	}
	while (step())
		;
	for (unsigned i = 0; i < 2; i++) {
		CHECK_STR(ends[i].s.broken ? ends[i].s.broken : "", "");
		CHECK_INT(ends[i].got, messages);
		CHECK(rpc_sender_idle(&ends[i].s.tx));
	}
}

static void a_perfect_network_needs_nothing_twice(void)
{
	begin(0);
	exchange(500);
	CHECK_INT(ends[0].s.tx.resent, 0);
	CHECK_INT(ends[1].s.rx.twice, 0);
	end();
}

static void a_bad_one_loses_nothing(void)
{
	static const struct net nets[] = {
		{ .loss = 20 },
		{ .twice = 20 },
		{ .reorder = 20 },
		{ .damage = 20 },
		{ .loss = 20, .twice = 20, .reorder = 20, .damage = 5 },
		{ .loss = 60, .twice = 50, .reorder = 50, .damage = 20 }
	};

	for (unsigned i = 0; i < sizeof nets / sizeof *nets; i++) {
		begin(i % 2 ? 0 : UINT32_MAX - 100); /* the numbers begin anew on the way */
		net.loss = nets[i].loss;
		net.twice = nets[i].twice;
		net.reorder = nets[i].reorder;
		net.damage = nets[i].damage;
		exchange(1000);
		CHECK(!nets[i].damage || net.corrupt > 100);
		CHECK(!nets[i].loss || ends[0].s.tx.resent > 100);
		CHECK(!nets[i].twice || ends[0].s.rx.twice > 100);
		end();
	}
}

static void silence_backs_off(void)
{
	begin(0);
	net.loss = 100;
	ends[0].sent = ends[1].got = 1; /* a message of one packet */
	post(0);
	while (net.now < 60 * 1000 * MSEC && step())
		;
	CHECK(ends[0].sends > 100); /* it does not give up ... */
	CHECK(ends[0].sends < 130); /* ... and waits longer and longer, to half a second */
	net.loss = 0;
	while (step())
		;
	CHECK_INT(ends[1].got, 2);
	end();
}

static void the_round_trip_is_measured(void)
{
	begin(0);
	exchange(200);
	CHECK(ends[0].s.tx.srtt > MSEC / 10 && ends[0].s.tx.srtt < 10 * MSEC);
	CHECK(ends[0].s.tx.rto >= 10 * MSEC && ends[0].s.tx.rto < 50 * MSEC);
	end();
}

static void the_window_is_kept(void)
{
	uint8_t big[RPC_WINDOW * FRAGMENT * 2] = { 0 };

	begin(0);
	net.loss = 100;
	rpc_session_post(&ends[0].s, big, sizeof big, 0);
	CHECK_INT(ends[0].sends, RPC_WINDOW);
	end();
}

/* ------------------------------------------------ packets that are wrong -- */

static const char checked[] = "123456789"; /* of RFC 3720's check: 0xe3069283 */

static void the_checksum_is_crc32c(void)
{
	uint8_t bytes[RPC_HEAD + sizeof checked] = { 0 };
	uint32_t crc = UINT32_MAX;

	for (unsigned i = 0; i < sizeof checked - 1; i++) { /* the definition, bit by bit */
		crc ^= (uint8_t)checked[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	CHECK_INT((uint32_t)~crc, 0xe3069283u);
	memcpy(bytes + RPC_HEAD, checked, sizeof checked);
	crc = UINT32_MAX;
	for (unsigned i = 0; i < sizeof bytes; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	CHECK_INT(rpc_packet_crc(bytes, sizeof bytes), (uint32_t)~crc);
}

static size_t sample(uint8_t *bytes)
{
	const struct rpc_packet p = { .kind = RPC_DATA,
				      .flags = RPC_FIRST | RPC_LAST,
				      .session = 7,
				      .data = (const uint8_t *)checked,
				      .len = sizeof checked };

	return rpc_packet_write(bytes, &p);
}

static void seal(uint8_t *bytes, size_t n)
{
	uint32_t crc = rpc_packet_crc(bytes, n);

	for (unsigned i = 0; i < 4; i++)
		bytes[36 + i] = (uint8_t)(crc >> (24 - 8 * i));
}

static void every_flipped_bit_is_seen(void)
{
	uint8_t bytes[RPC_HEAD + sizeof checked];
	size_t n = sample(bytes);
	struct rpc_packet p;

	CHECK(rpc_packet_read(bytes, n, &p) == RPC_GOOD);
	for (size_t bit = 0; bit < 8 * n; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		CHECK(rpc_packet_read(bytes, n, &p) != RPC_GOOD);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t cut = 0; cut < n; cut++)
		CHECK(rpc_packet_read(bytes, cut, &p) != RPC_GOOD);
}

static void malformed_packets_are_refused(void)
{
	static const struct {
		unsigned at;
		uint8_t value;
		enum rpc_judgement is;
	} wrong[] = {
		{ 0, 'X', RPC_ALIEN },	       { 3, '2', RPC_ALIEN },	   { 4, 0, RPC_MALFORMED },
		{ 4, RPC_ACK, RPC_MALFORMED }, { 4, 3, RPC_MALFORMED },	   { 5, 4, RPC_MALFORMED },
		{ 5, 0xff, RPC_MALFORMED },    { 6, 0xff, RPC_MALFORMED }, { 7, 0, RPC_MALFORMED },
		{ 7, 9, RPC_MALFORMED },       { 7, 11, RPC_MALFORMED },
	};
	uint8_t bytes[RPC_HEAD + sizeof checked];
	struct rpc_packet p;

	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		size_t n = sample(bytes);

		bytes[wrong[i].at] = wrong[i].value;
		seal(bytes, n);
		CHECK_INT(rpc_packet_read(bytes, n, &p), wrong[i].is);
	}
}

static struct rpc_packet data(uint32_t seq, unsigned flags)
{
	return (struct rpc_packet){ .kind = RPC_DATA,
				    .flags = flags,
				    .seq = seq,
				    .data = (const uint8_t *)checked,
				    .len = 4 };
}

/* The checksum is right, the peer is not. */
static void a_peer_that_breaks_the_protocol_is_found(void)
{
	struct rpc_packet p;

	begin(0);
	p = data(0, RPC_LAST);
	rpc_session_take(&ends[0].s, &p, 0);
	CHECK_STR(ends[0].s.broken, "a piece of a message that has not begun");
	end();

	begin(0);
	p = data(0, RPC_FIRST);
	rpc_session_take(&ends[0].s, &p, 0);
	p.seq = 1;
	rpc_session_take(&ends[0].s, &p, 0);
	CHECK_STR(ends[0].s.broken, "a message begins before the last one has ended");
	end();

	begin(0);
	p = (struct rpc_packet){ .kind = RPC_ACK, .ack = 1 };
	rpc_session_take(&ends[0].s, &p, 0);
	CHECK_STR(ends[0].s.broken, "it acknowledges what was never sent");
	end();

	begin(0);
	p = (struct rpc_packet){ .kind = RPC_ACK, .sack = 1u << 31 };
	post(0);
	rpc_session_take(&ends[0].s, &p, 0);
	CHECK_STR(ends[0].s.broken, "it acknowledges what was never sent");
	CHECK_INT(rpc_session_due(&ends[0].s), INT64_MAX);
	end();

	begin(0);
	for (uint32_t seq = 0; !ends[0].s.broken; seq++) {
		p = data(seq, seq ? 0 : RPC_FIRST);
		rpc_session_take(&ends[0].s, &p, 0);
		CHECK(seq <= LIMIT / 4);
	}
	CHECK_STR(ends[0].s.broken, "a message is larger than was agreed");
	end();
}

static void what_is_beyond_the_window_is_dropped(void)
{
	struct rpc_packet p = data(RPC_WINDOW, RPC_FIRST | RPC_LAST);

	begin(0);
	rpc_session_take(&ends[0].s, &p, 0);
	p.seq = UINT32_MAX / 2;
	rpc_session_take(&ends[0].s, &p, 0);
	CHECK_INT(ends[0].s.rx.too_far, 2);
	p.seq = UINT32_MAX; /* as one of long ago */
	rpc_session_take(&ends[0].s, &p, 0);
	CHECK_INT(ends[0].s.rx.twice, 1);
	CHECK_INT(ends[0].got, 0);
	end();
}

int main(void)
{
	a_perfect_network_needs_nothing_twice();
	a_bad_one_loses_nothing();
	silence_backs_off();
	the_round_trip_is_measured();
	the_window_is_kept();
	the_checksum_is_crc32c();
	every_flipped_bit_is_seen();
	malformed_packets_are_refused();
	a_peer_that_breaks_the_protocol_is_found();
	what_is_beyond_the_window_is_dropped();
	return checks_end();
}
