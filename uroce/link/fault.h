/* SPDX-License-Identifier: MIT */
/* Faults of the wire, on request: uroce_faults_set() in uroce.h. */
#ifndef UROCE_LINK_FAULT_H
#define UROCE_LINK_FAULT_H

#include <stddef.h>

#include "counters.h"
#include "packet.h"
#include "uroce.h"

#define FAULT_RULES 64 /* at most */

/* A rule, as it is applied. */
struct wire_rule {
	struct uroce_fault told;
	unsigned direction; /* UROCE_OUT | UROCE_IN; 0: both */
	int opcode;	    /* of the BTH; -1: any */
	int64_t psn;	    /* -1: any */
	uint32_t psn_more;  /* so many PSNs after that one match, too */
	uint32_t qpn;	    /* destination; 0: any */
	/* probabilities, 0 to 1, of UROCE_FAULTS. A packet that is reordered lets the next one to
	 * the same QP go first, unless none comes within a millisecond. */
#define FAULT_FIELD(name, word, lost, help) double word;
	UROCE_FAULTS(FAULT_FIELD)
#undef FAULT_FIELD
	unsigned delay_us; /* added to every packet that matches and is not dropped */
	uint64_t count;	   /* how many packets it may hit; 0: no limit */
};

/* The fate of a packet: it passes, or has one of the faults of UROCE_FAULTS. */
#define FATE(name, word, lost, help) name,
enum fate { PASS, UROCE_FAULTS(FATE) FATES };
#undef FATE
#define FIRST_FAULT (PASS + 1)

extern const struct fault_kind {
	const char *name; /* in rules, and for the tap */
	size_t chance;	  /* offset of its probability, a double, in struct wire_rule */
	enum counter counter;
	bool lost;    /* the packet does not reach the receiver, or is refused there */
} fault_kinds[FATES]; /* that of PASS is empty */
static inline double *fault_chance(struct wire_rule *f, enum fate fate)
{
	return (double *)(void *)((char *)f + fault_kinds[fate].chance);
}
/* The fate of a packet that leaves from, or arrives at, a port or an address that is down. */
#define FATE_PORT_DOWN "port-down"
/* Does a packet of this fate (struct uroce_packet; NULL: none) get lost by a fault, or by a port
 * that is down? */
bool fault_loses(const char *fate);

/* The directions that have rules; 0: fault_pass() need not be called. */
extern unsigned fault_directions;

/* Applies the rules to a packet. They decide whether, when, in what shape and how often it is
 * passed to tx_passed() (UROCE_OUT) or rx_passed() (UROCE_IN). data: the UDP payload, n bytes, ICRC
 * included. */
void fault_pass(enum uroce_direction dir, const struct packet *addresses, const uint8_t *data,
		uint32_t n);

/* uroce_faults_set(), with the engine's lock. */
int fault_set(const char *text, bool adds, uint64_t seed, char *why, size_t size);
/* Reads the rules of a text, max at most. Returns how many there are, or -1 with why. */
int fault_read(const char *text, struct wire_rule *rules, int max, char *why, size_t size);
/* After fork(), in the child: drops the rules, and packets that are held back. */
void fault_forget(void);

#endif
