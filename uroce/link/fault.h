/* SPDX-License-Identifier: MIT */
/* Faults of the wire, on request: uroce_faults_set() in uroce.h. */
#ifndef UROCE_LINK_FAULT_H
#define UROCE_LINK_FAULT_H

#include <stddef.h>

#include "counters.h"
#include "packet.h"
#include "uroce.h"

#define FAULT_RULES 64 /* at most */

/* The fate of a packet: it passes, or has one of the faults of UROCE_FAULTS. */
#define FATE(name, word, lost, netem, help) name,
enum fate { PASS, UROCE_FAULTS(FATE) FATES };
#undef FATE
#define FIRST_FAULT (PASS + 1)

extern const struct fault_kind {
	const char *name; /* in rules, and for the tap */
	size_t chance;	  /* offset of its probability, a double, in struct uroce_fault */
	enum counter counter;
	bool lost;	   /* the packet does not reach the receiver, or is refused there */
	const char *netem; /* its word in tc-netem(8), or NULL */
} fault_kinds[FATES];	   /* that of PASS is empty */
static inline double *fault_chance(struct uroce_fault *f, enum fate fate)
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

/* Replaces all rules by those of a text: "drop=5%,dup=2%,dir=out,op=ACK;delay=2ms". A semicolon
 * begins the next rule. The words are those of UROCE_FAULTS (5% or 0.05), delay (us, ms, s), dir
 * (in, out, both), op (ACK, UC_SEND_ONLY, 0x11), psn (5 or 5-9), qpn and count. seed: as for
 * uroce_faults_set(). 0, or -1 with errno; on EINVAL why (of size bytes) says which word is wrong.
 */
int fault_parse(const char *text, uint64_t seed, char *why, size_t size);
/* Reads the rules of a text, FAULT_RULES at most. Returns how many there are, or -1 with why. */
int fault_read(const char *text, struct uroce_fault *rules, char *why, size_t size);
/* Reads one word of a rule into *f: key "drop" and value "5%". 0, or -1 with why. */
int fault_word(const char *key, const char *value, struct uroce_fault *f, char *why, size_t size);
/* After fork(), in the child: drops the rules, and packets that are held back. */
void fault_forget(void);

#endif
