/* SPDX-License-Identifier: MIT */
/*
 * Mistakes of a program that uses verbs which need not fail: rules over the model of the process
 * (live_program.h) and the calls that change it. Values go in, findings come out; who shows them
 * finds the lines of the source.
 */
#ifndef MODEL_CHECKS_H
#define MODEL_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "live_program.h"

enum check_grade {
	CHECK_MISTAKE, /* every premise was observed */
	CHECK_MAY,     /* something could not be observed; the finding says what */
	CHECK_ADVICE,  /* legal, and often not what was meant */
};

enum check_id {
	CHECK_SEND_CHANGED,
	CHECK_READ_THEN_SEND,
	CHECK_DEREG_POSTED,
	CHECK_AH_POSTED,
	CHECK_FREED,
	CHECK_RECV_OVERLAP,
	CHECK_GRH_ROOM,
	CHECK_RECV_RANGE,
	CHECK_RECV_LATE,
	CHECK_RQ_DRY,
	CHECK_READ_DEPTH,
	CHECK_MTU_PAIR,
	CHECK_CQ_OVERRUN,
	CHECK_CQ_SMALL,
	CHECK_SQ_UNSIGNALED,
	CHECK_SQ_FULL_LUCKY,
	CHECK_FLUSH_UNPOLLED,
	CHECK_LEFT_UNSIGNALED,
	CHECK_ARM_RACE,
	CHECK_ARM_NONE,
	CHECK_ARM_SOLICITED,
	CHECK_UNACKED,
	CHECK_LEAK,
	CHECK_GONE,
	CHECK_IN_USE,
	CHECK_QP_AFTER_ID,
	CHECK_EARLY_CALL,
	CHECK_WR_SCOPE,
	CHECK_WC_FIELD,
	CHECK_RULES
};

struct check_rule {
	const char *id; /* "send-changed" */
	enum check_grade grade;
	const char *title, *remedy;
	const char *source; /* a manual page, or a section of the specification */
};

extern const struct check_rule check_rules[CHECK_RULES];

/* Where in the program a call was made. */
struct check_place {
	const char *call; /* the function; NULL: there is no place */
	struct record_from from;
};

#define CHECK_STEPS 4

struct check_finding {
	enum check_id id;
	enum check_grade grade;
	char says[320];		/* one line, with the objects by name and the numbers */
	char sure[160];		/* what would make it certain; "": it is */
	char object[LIVE_NAME]; /* of which it speaks above all, or "" */
	struct check_place at;	/* the call with which it became clear */
	unsigned nsteps;
	struct check_step {
		char what[96]; /* "qp0 was made by", "the SEND, wr_id 1, was posted by" */
		struct check_place at;
	} steps[CHECK_STEPS]; /* the history of the object */
	uint64_t count;	      /* how often it was found at these places */
};

struct checks;
struct out;

/* tell() gets each finding when it is first found at its places; NULL: nobody is told then.
 * wanted[]: by enum check_id. */
struct checks *checks_new(const bool *wanted,
			  void (*tell)(void *arg, const struct check_finding *f), void *arg);
void checks_free(struct checks *c);
/* The other end of a QP in another process whose calls are seen, too. */
struct check_peer {
	const struct live_queues *queues;   /* NULL: it is not known */
	const struct live_queues *receives; /* of the QP or its SRQ; NULL: they are not known */
	char whose[24];			    /* " of process 12" */
};
/* The QP of that address in p; whose is empty. */
struct check_peer check_peer_of(const struct live_program *p, const struct live_tracked_qp *qp);
typedef struct check_peer check_peer_fn(void *arg, const struct live_tracked_qp *qp);
/* Does the QP send to the GID from which the other one, of the program p, sends? Their numbers
 * alone may be those of other hosts. */
bool check_sends_to(const struct live_qp *qp, const struct live_program *p,
		    const struct live_qp *other);
/* peer() gets the arg of tell(). */
void checks_ask_peers(struct checks *c, check_peer_fn *peer);
/* CHECK_RULES: there is none of that name. */
enum check_id check_id_find(const char *name);
/* Sets wanted[] by a list of ids with commas between, of which "-ID" takes one away, and "all" is
 * all; NULL: all but advice. NULL; or the word of the list that is no id. To be freed. */
char *checks_choose(const char *list, bool wanted[CHECK_RULES]);

/* Looks at a call of the process: before live_program_take(), and after it. */
void checks_before(struct checks *c, const struct live_program *p, const struct record *r);
void checks_after(struct checks *c, const struct live_program *p, const struct record *r);
/* The program's buffer at that address differs from what the call of its post has sent; r: by which
 * it was found, before the request is retired. */
void checks_changed(struct checks *c, const struct live_program *p, const struct record *r,
		    uint64_t qp, uint64_t address);
/* The program has given back memory, by that function: address and length are the last two
 * arguments of r. is_unmapped: nobody can get it again with its contents. is_of_owner(): is it the
 * code that has registered it? A cache of registrations keeps regions of others' memory. */
void checks_freed(struct checks *c, const struct live_program *p, const struct record *r,
		  const char *function, bool is_unmapped,
		  bool (*is_of_owner)(void *arg, struct record_from made,
				      struct record_from freed));
/* The program has written len bytes of its memory by hand, if it is known to: r. */
void checks_written(struct checks *c, const struct live_program *p, const struct record *r,
		    uint64_t address, uint64_t len);
/* The program has read the immediate data of a completion of the CQ that has none. */
void checks_no_immediate(struct checks *c, const struct live_program *p, const struct record *r,
			 uint64_t cq);
/* Calls of the process were lost. */
void checks_lost(struct checks *c);
/* The call had not returned when the process ended. */
void checks_unfinished(struct checks *c, const struct live_program *p, const struct record *r);

struct uroce_inventory;
/* The device of the process tells of it. */
void checks_device(struct checks *c, const struct live_program *p,
		   const struct uroce_inventory *inv);
/* The process has ended. is_regular: by exit() and with success, so that it had the time to give
 * back what it has. */
void checks_end(struct checks *c, const struct live_program *p, bool is_regular);

/* The words of a grade: "mistake", "may be a mistake", "advice". */
extern const char *const check_grades[CHECK_ADVICE + 1];
/* Writes the lines below the heading; and as values, with rule and grade. where() says where a
 * place is, or "". */
void check_out(struct out *o, const struct check_finding *f,
	       const char *(*where)(void *arg, struct record_from from), void *arg);
/* The finding of that number; NULL: there are no more. */
const struct check_finding *checks_found(const struct checks *c, unsigned i);

#endif
