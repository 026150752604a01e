/* SPDX-License-Identifier: MIT */
/*
 * A failure on purpose, as a rule: a call or a request that fails, a port, device or connection
 * that does. One form of it, as text and as a struct, for vtrace --inject, for UROCE_FAULT and for
 * "fault" in the shell. A rule is read here. Its users check the names of functions. Faults of
 * packets have a form of their own, see uroce/link/fault.h.
 *
 *	ibv_reg_mr:error=ENOMEM:when=3
 *	wc:status=RNR_RETRY_EXC_ERR:opcode=SEND:when=5
 *	event:PORT_ERR:after=1s
 *	cm:REJECTED:reason=28:when=2
 */
#ifndef COMMON_FAULT_RULE_H
#define COMMON_FAULT_RULE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "near.h"

#define FAULT_RULES_MAX	  63 /* of one process */
#define FAULT_DEVICES_MAX 8

enum fault_what {
	FAULT_CALL,	  /* a function fails, or takes longer */
	FAULT_COMPLETION, /* a request fails */
	FAULT_EVENT,	  /* the port or the device does */
	FAULT_CM,	  /* a connection does */
};

/* Why a completion of a device that knows no rules cannot be changed. */
enum fault_refusal {
	FAULT_REFUSED_NOT,
	FAULT_REFUSED_UNSIGNALED,
	FAULT_REFUSED_TYPE,
	FAULT_REFUSED_EX,
};

struct fault_rule {
	char text[160]; /* as it was written */
	enum fault_what what;
	char name[48];	 /* of the function, or "wc", "event", "cm" */
	char site[96];	 /* only calls that return there: "libfabric.so.1+0x12f0"; "": any */
	char device[64]; /* the event is only of this one; "": of each */
	bool forced;	 /* an errno that the function does not give */
	int error;	 /* an errno; 0: the call does not fail */
	int status;	 /* enum ibv_wc_status */
	int event;	 /* enum ibv_event_type, enum rdma_cm_event_type */
	int reason;   /* of a rejection: table 128 of volume 1, 12.6.7.2; the status of the event */
	int opcode;   /* enum ibv_wc_opcode; -1: any */
	uint32_t qpn; /* of the completion's QP; 0: any */
	uint64_t first, last; /* which of the cases that match, from 1 */
	uint64_t delay_ns;    /* before the call, the event */
	uint64_t due;	      /* when the event happens, for who makes it; 0: not known yet */
	/* The struct ibv_device of each device whose event it has made, by number, until somebody
	 * has been told of it, for who shows events; NULL: none. */
	const void *_Atomic untold[FAULT_DEVICES_MAX];
	double chance; /* of one that matches */
	uint64_t seed;
	/* How many cases have matched, and how many of them were hit. */
	_Atomic uint64_t matched, hit;
	_Atomic int refused;	 /* enum fault_refusal: why one that was due was not hit */
	struct fault_rule *told; /* the same for who counts for several processes; NULL: nobody */
};

/* The vendor_err of a completion that a rule has made: this | the number of the rule, from 1. The
 * same in param.conn.qp_num of an event of a connection: no QP has that number. */
#define FAULT_VENDOR_ERR 0xfa170000u
static inline unsigned fault_rule_of_vendor_err(uint32_t vendor_err)
{
	return (vendor_err & 0xffff0000) == FAULT_VENDOR_ERR ? vendor_err & 0xffff : 0;
}

/* Room for the reason why a text is no rule. */
struct fault_why {
	char *text;
	size_t size;
};

/* Writes the reason. -1 with EINVAL. */
int fault_refuse(const struct fault_why *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The words that a text could have been. */
struct fault_choice {
	struct near near; /* near_begin(text) */
	char all[320];
};
void fault_offer(struct fault_choice *c, const char *word);
/* "'x' is no opcode": did you mean, or there are. called: "opcode". -1 with EINVAL. */
int fault_refuse_choice(const struct fault_why *why, const struct fault_choice *c,
			const char *called);

/* Reads a rule into *r. seed: of its chance, together with index, its place among the rules. 0, or
 * -1 and why (of size bytes) names what is wrong. */
int fault_rule_read(const char *text, uint64_t seed, unsigned index, struct fault_rule *r,
		    char *why, size_t size);
/* The rule that has put the port of a device (NULL: of any) down, where no later one has put it up;
 * NULL: there is none. counts: the same rules, with how often they have hit. */
const char *fault_port_down_by(const struct fault_rule *rules, const struct fault_rule *counts,
			       unsigned n, const char *device);
/* Is the text of one of those that are not about calls? */
bool fault_rule_is_of_device(const char *text);

/* Draws the n-th number from 0 to 1. */
double fault_rule_draw(uint64_t seed, uint64_t n);

static inline void fault_rule_count_hit(struct fault_rule *r)
{
	atomic_fetch_add_explicit(&r->hit, 1, memory_order_relaxed);
	if (r->told)
		atomic_fetch_add_explicit(&r->told->hit, 1, memory_order_relaxed);
}

/* Counts a case that matches. Is it one of those that are to be hit? */
static inline bool fault_rule_is_due(struct fault_rule *r)
{
	const uint64_t n = atomic_fetch_add_explicit(&r->matched, 1, memory_order_relaxed) + 1;

	if (r->told)
		atomic_fetch_add_explicit(&r->told->matched, 1, memory_order_relaxed);
	return n >= r->first && n <= r->last &&
	       (r->chance >= 1 || fault_rule_draw(r->seed, n) < r->chance);
}

/* The same, and counts the hit. */
static inline bool fault_rule_hits(struct fault_rule *r)
{
	if (!fault_rule_is_due(r))
		return false;
	fault_rule_count_hit(r);
	return true;
}

/* ------------------------------------------------------------------------ values as text -- */

/* They read the whole of a text, in any locale. false: it is not of that form, or too much. */
bool fault_read_chance(const char *text, double *chance);	   /* "5%", "0.05" */
bool fault_read_time(const char *text, double max_us, double *us); /* "50us", "2ms", "1s" */
bool fault_read_number(const char *text, uint64_t max, uint64_t *value);

#endif
