/* SPDX-License-Identifier: MIT */
/*
 * Requests to the embedded device beyond verbs: faults, a packet tap, who
 * is there. liburoce.so exports these functions; look them up at run time with
 * dlsym(RTLD_DEFAULT, "uroce_..."): absent means that the system's own devices are used.
 *
 * All functions may be called from any thread; they return 0, or -1 with errno.
 */
#ifndef UROCE_H
#define UROCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UROCE_DEVICE "uroce0"

/* ------------------------------------------------------------------- faults -- */

enum uroce_direction {
	UROCE_OUT = 1, /* what this process sends */
	UROCE_IN = 2,  /* what it receives */
};

/*
 * The kinds of faults, in the order in which a rule draws them, X(NAME, word, lost, help):
 * NAME   enum fate and enum counter (CNT_FAULT_NAME) have it
 * word   in UROCE_FAULT; the option of rdmash's "fault wire"; the field of struct wire_rule; the
 *        fate of a packet in uroce_tap(); the counter is fault_WORD
 * lost   the receiver does not get the packet, or refuses it
 * help   one line, for the option
 */
#define UROCE_FAULTS(X)                                                               \
	X(DROP, drop, true, "share of packets that are lost: 10% or 0.1")             \
	X(DUP, dup, false, "share of packets that arrive twice")                      \
	X(REORDER, reorder, false, "share of packets that arrive after the next one") \
	X(CORRUPT, corrupt, true, "share of packets with one wrong bit")

/* A rule about packets. The first that matches a packet and is drawn decides what happens to it. */
struct uroce_fault {
	char text[160]; /* as it was given: "drop=5%,op=ACK" */
	bool loses;	/* packets that it hits are lost, refused or late */
	uint64_t hits;
};

/* Replaces all rules by those of a text, "drop=5%,dup=2%,dir=out,op=ACK;delay=2ms", or adds these.
 * A semicolon begins the next rule. The words are those of UROCE_FAULTS (5% or 0.05), delay (us,
 * ms, s), dir (in, out, both), op (ACK, UC_SEND_ONLY, 0x11), psn (5 or 5-9), qpn and count. "":
 * none. seed: of the random numbers; 0: keep their sequence. 0, or -1 with errno; on EINVAL why (of
 * size bytes) says which word is wrong, and the rules stay as they were. */
int uroce_faults_set(const char *text, bool adds, uint64_t seed, char *why, size_t size);
/* Fills up to n entries with the rules there are. Returns how many there are. */
unsigned uroce_faults_get(struct uroce_fault *rules, unsigned n);

struct fault_rule; /* common/fault_rule.h */
/* Makes requests, connections, the port and the device fail by these rules, whose counters are
 * updated, from now on; n 0: by none. Rules about calls are skipped. They must stay. */
void uroce_rules_set(struct fault_rule *rules, unsigned n);

struct ibv_context;
/* Takes an entry out of the GID table of a device, as if its address had been deleted, or lets two
 * entries change places. GID_CHANGE. ENODATA: there is none. uroce_gid_restore() undoes both, of
 * all devices. */
int uroce_gid_hide(struct ibv_context *context, unsigned index);
int uroce_gid_move(struct ibv_context *context, unsigned from, unsigned to);
void uroce_gid_restore(void);

/* -------------------------------------------------------------------- order -- */

/* The device does in another order whatever the specification lets it: UROCE_ORDER=SEED, or
 * SEED,far (level 2: what a WRITE brings is seen only where the specification promises it). */
struct uroce_order {
	uint64_t seed;
	unsigned level; /* 0: off */
	/* how often that was done since the seed was given */
	uint64_t pieces;      /* of messages, which came to memory later than others */
	uint64_t requests;    /* whose memory was read some time after they were posted */
	uint64_t repeated;    /* requests of which packets were sent again */
	uint64_t completions; /* which came late */
	uint64_t events;      /* which came after what they tell of */
};

/* Begins with a seed, which gives the same choices each time; level 0 ends it. EINVAL: there is no
 * such level. */
int uroce_order_set(uint64_t seed, unsigned level);
void uroce_order_get(struct uroce_order *o);

/* ---------------------------------------------------------------------- tap -- */

struct uroce_packet {
	uint64_t time;	   /* CLOCK_REALTIME, ns */
	bool out;	   /* sent, else received */
	const char *fate;  /* NULL: as usual; a word of UROCE_FAULTS, "delay", "icrc" ... */
	const uint8_t *ip; /* from the IP header to the ICRC, as it is on the wire */
	size_t len;
	/* of what a work request of this process sends: its id and its QP. Responses, messages
	 * of the connection manager and what is received have none (0). */
	uint32_t qpn;
	bool has_wr_id;
	uint64_t wr_id;
};
typedef void uroce_tap_fn(void *arg, const struct uroce_packet *p);

/* Calls fn for every packet of this process, in order, from whichever thread handles it:
 * fn must be quick and must not call verbs. NULL ends it. */
int uroce_tap(uroce_tap_fn *fn, void *arg);
/* Writes every packet to a pcapng file from now on (NULL: stops and closes; -1 with errno when
 * a packet could not be written, which has ended the file before it); what faults did
 * is in the comments. UROCE_PCAP=FILE does so from the start, and adds to the FILE that is
 * there, so that several processes can share it; it says on stderr when it ends early. %p in the
 * name is the process id. */
int uroce_capture(const char *file);

/* ----------------------------------------------------------------- counters -- */

struct uroce_counter {
	const char *name; /* as rdma_rxe's in hw_counters */
	uint64_t value;
};
/* Fills up to n entries, returns how many there are. */
unsigned uroce_counters(struct uroce_counter *c, unsigned n);

/* ------------------------------------------------------------------- status -- */

/* Writes a text to fd: the processes of this user and host that use the device, with their
 * QPs and listeners. Needs no device to be open. */
int uroce_status(int fd);

#ifdef __cplusplus
}
#endif

#endif
