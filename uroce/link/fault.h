/* SPDX-License-Identifier: MIT */
/* Faults of the wire, on demand: uroce_faults_set() in uroce.h. */
#ifndef UROCE_LINK_FAULT_H
#define UROCE_LINK_FAULT_H

#include <stddef.h>

#include "counters.h"
#include "packet.h"
#include "uroce.h"

#define FAULT_RULES 64 /* at most */

/* What can become of a packet: it passes, or has one of the faults of UROCE_FAULTS. */
#define FATE(name, word, lost, netem, help) name,
enum fate { PASS, UROCE_FAULTS(FATE) FATES };
#undef FATE
#define FIRST_FAULT (PASS + 1)

extern const struct fault_kind {
	const char *name; /* in rules, and for the tap */
	size_t chance;	  /* where struct uroce_fault has its probability, a double */
	enum counter counter;
	bool lost;	   /* the receiver does not get the packet, or refuses it */
	const char *netem; /* the word of tc-netem(8); NULL: there is none */
} fault_kinds[FATES];	   /* that of PASS is empty */
static inline double *fault_chance(struct uroce_fault *f, enum fate fate)
{
	return (double *)(void *)((char *)f + fault_kinds[fate].chance);
}
/* Is a packet of this fate (struct uroce_packet; NULL: none) lost to the receiver by a fault? */
bool fault_loses(const char *fate);

/* For which directions there are rules; 0: fault_pass() need not be called. */
extern unsigned fault_directions;

/* A packet comes along: the rules decide whether, when, in what shape and how often tx_again()
 * (UROCE_OUT) or rx_again() (UROCE_IN) gets it. data: the UDP payload, n bytes, ICRC included. */
void fault_pass(enum uroce_direction dir, const struct packet *addresses, const uint8_t *data,
		uint32_t n);

/* As uroce_faults_set() and uroce_faults_parse(), with the lock held. */
int fault_set(const struct uroce_fault *rules, unsigned n, uint64_t seed);
int fault_parse(const char *text, uint64_t seed, char *why, size_t size);
/* Reads text into rules (FAULT_RULES at most): how many there are, or -1 with why. */
int fault_read(const char *text, struct uroce_fault *rules, char *why, size_t size);
/* One word of it: key "drop" and value "5%". Writes to *f what it says, or returns -1 with
 * why. */
int fault_word(const char *key, const char *value, struct uroce_fault *f, char *why, size_t size);
/* After fork(): what was held back is the parent's. */
void fault_forget(void);

#endif
