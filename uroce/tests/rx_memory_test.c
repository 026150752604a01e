// SPDX-License-Identifier: MIT
/* Packets through memory: a ring that stays full, and more frames than one pass handles. */
#include <poll.h>

#include "checks.h"
#include "gid.h"
#include "group_own.h"
#include "link.h"
#include "pair.h"
#include "rig.h"

#define SLOT 1u
#define QPN  (SLOT << SLOT_SHIFT | 0x3456)

static void send_one(struct pair *pair, uint32_t psn, uint32_t len)
{
	struct flow f = { .sgid = rig_gid_of("127.0.0.1"), .dgid = rig_gid_of("127.0.0.1") };
	struct packet p = {
		.op = opcode_find(OP_SEND_ONLY),
		.pkey = PKEY_DEFAULT,
		.qpn = QPN,
		.psn = psn,
		.len = len,
	};

	memset(tx_begin(pair, &f, &p), 0, len);
	tx_commit();
}

/* The ring of a process that reads nothing is blocked after a while, until it has room. */
static void check_blocked(struct pair *p)
{
	while (tx_has_room(p, false))
		send_one(p, 0, MTU_MAX);
	CHECK(!tx_is_blocked(p));
	rig_now += TX_BLOCKED_NS - 1;
	CHECK(tx_has_room(p, true)); /* what answers has room that is kept for it */
	CHECK(!tx_has_room(p, false) && !tx_is_blocked(p));
	rig_now++;
	CHECK(tx_is_blocked(p));
	rx_drain();
	CHECK(tx_has_room(p, false) && !tx_is_blocked(p));
	rig_forget();
}

/* Packets go through memory, then by UDP: those in memory come first, however many there are. */
static void check_change_to_udp(struct pair *p)
{
	struct pollfd arrived = { .fd = group_fd(), .events = POLLIN };
	const unsigned n = 100;

	for (uint32_t psn = 0; psn < n; psn++)
		send_one(p, psn, 0);
	send_one(NULL, n, 0);
	tx_flush();
	CHECK_INT(poll(&arrived, 1, 5000), 1);
	rx_packets(32, RX_READY);
	CHECK_INT(rig_packets.n, n + 1);
	for (uint32_t psn = 0; psn <= n; psn++)
		CHECK_INT(rig_packets.p[psn].psn, psn);
}

int main(void)
{
	struct pair *p;

	rig_open_sockets(SLOT);
	group.sender[0] = sockets_open_send(AF_INET, &group.port[0]);
	CHECK(group.sender[0] >= 0);
	pair_start();
	p = pair_with(SLOT); /* with itself */
	CHECK(p != NULL);
	check_blocked(p);
	check_change_to_udp(p);
	pair_stop();
	return checks_end();
}
