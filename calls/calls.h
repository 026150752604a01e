/* SPDX-License-Identifier: MIT */
/*
 * A table of every public function of libibverbs and librdmacm: its arguments, its result, and how
 * to call it with values that are known only at run time. All views of a call are generated from
 * this table, as in strace.
 *
 * It depends on the two libraries only, not on the shell or its language.
 */
#ifndef CALLS_CALLS_H
#define CALLS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call_objects.h"

/* When in the life of a connection a function is called. */
enum call_path {
	CALL_SETUP,   /* creates, queries, destroys */
	CALL_PREPARE, /* gets memory and QPs ready */
	CALL_DATAPATH /* posts, polls, and what belongs to it */
};

enum call_kind {
	CALL_VOID,
	CALL_UINT,     /* .size bytes, as all numbers */
	CALL_INT,      /* signed */
	CALL_BE,       /* in network byte order */
	CALL_ENUM,     /* one of .words */
	CALL_FLAGS,    /* some of .words */
	CALL_GID,      /* union ibv_gid */
	CALL_STRING,   /* char * */
	CALL_CHARS,    /* char[.size] */
	CALL_BYTES,    /* uint8_t[.size] */
	CALL_DATA,     /* bytes, .with has their number */
	CALL_ADDRESS,  /* memory of this process, .with has the length (0: .fixed bytes) */
	CALL_IOVA,     /* an address as the device knows it, in 64 bits; .with as above */
	CALL_REMOTE,   /* an address as the peer's device knows it */
	CALL_KEY,      /* lkey or rkey of a region */
	CALL_QPN,      /* the number of a QP */
	CALL_OBJECT,   /* a pointer to .object */
	CALL_STRUCT,   /* .of; of an argument and with .pointer a pointer to one */
	CALL_LIST,     /* an array of .of (or of numbers of .size bytes), .with has the count */
	CALL_OBJECTS,  /* an array of .object, .with has the count */
	CALL_CHAIN,    /* the first of several .of, linked by next */
	CALL_BAD,      /* where the library stores the rejected request of a chain (bad_wr) */
	CALL_TRAIL,    /* several .of that follow the struct, each with its own size */
	CALL_SOCKADDR, /* a pointer to an address; in a struct, .with has its length, or 0 */
	CALL_COOKIE,   /* a pointer for the caller alone: NULL */
	CALL_CALLBACK, /* a function of the caller */
	CALL_FD,       /* a descriptor of the caller */
};

enum call_role {
	CALL_IN,
	CALL_OUT,   /* the callee fills it in */
	CALL_MADE,  /* the callee leaves a new object there */
	CALL_FOUND, /* or one that is there already */
	CALL_GONE,  /* an object that is destroyed if the call succeeds */
};

struct call_word {
	const char *name; /* "IBV_QPT_RC" */
	int64_t value;
};

struct call_enum {
	const char *name;   /* "ibv_qp_type" */
	const char *prefix; /* common prefix of its words, which may be omitted: "IBV_QPT_" */
	const struct call_word *words;
};

/* An argument, a result, or a field of a struct. */
struct call_value {
	const char *name; /* "wr.rdma.rkey" for what stands in a member without a type name */
	enum call_kind kind : 8;
	enum call_role role : 8;
	bool optional : 1;   /* may be NULL, or (field) left out though the kind forbids it */
	bool pointer : 1;    /* a field that points to .of */
	bool is_context : 1; /* a number of the caller's choice, which C passes as a void * */
	bool is_log : 1;     /* a count: the number is 2 to the power of it */
	bool is_local : 1;   /* CALL_KEY: an lkey */
	uint8_t with;	     /* 1 + index of the sibling with length, count or mask; 0: none */
	uint8_t counts;	     /* 1 + index of the sibling that this one is the length or count of */
	uint8_t when; /* 1 + index of the sibling that decides whether it is there; 0: it is */
	uint16_t size, offset;
	uint16_t fixed;	   /* CALL_ADDRESS: bytes, where no argument has the length */
	uint64_t when_any; /* of a word n: bit n of those that choose it; of flags: the flags */
	uint64_t bit;	   /* of the mask of its struct */
	uint64_t qp_types; /* bits 1 << enum ibv_qp_type of the QPs it is for; 0: all */
	union {
		const struct call_enum *words;
		const struct call_struct *of;
		enum call_object object;
	};
};

struct call_struct {
	const char *name; /* "ibv_qp_init_attr" */
	size_t size;
	const struct call_value *fields; /* ends with a NULL name */
	size_t next;			 /* offset of the link of a chain; 0: of none */
};

/* The meaning of a function's result. */
enum call_result {
	RESULT_NOTHING, /* void */
	RESULT_STATUS,	/* 0, or an errno, or -1 and errno */
	RESULT_COUNT,	/* 0 and more, or below 0 */
	RESULT_POINTER, /* NULL and errno */
	RESULT_VALUE,	/* it cannot fail */
};

/* How a result says that the function has failed. */
enum call_failure {
	FAILS_NOT,	 /* it cannot */
	FAILS_ERRNO,	 /* the result is an errno */
	FAILS_NEGATIVE,	 /* or one below 0 */
	FAILS_MINUS_ONE, /* and errno */
	FAILS_NULL,	 /* and errno */
};

/* Sequences of calls; other threads wait between the first and the last. */
enum call_step {
	CALL_ALONE,
	CALL_FIRST, /* ibv_wr_start(), ibv_start_poll() */
	CALL_NEXT,
	CALL_LAST,
};

/* Preconditions that a function does not check; the caller must ensure them. */
enum call_rule {
	RULE_NONE,
	RULE_QP_INIT,	   /* both CQs are there */
	RULE_QP_INIT_EX,   /* what a QP of its type is made of */
	RULE_SRQ_INIT_EX,  /* the same of an SRQ */
	RULE_MW_BIND,	   /* the region is there */
	RULE_WC_GRH,	   /* a completion with a GRH comes with it */
	RULE_WITHIN_MR,	   /* the bytes are within the region */
	RULE_CQ_EVENTS,	   /* that many events of the CQ are unacknowledged */
	RULE_QPT_BIT,	   /* the type has a bit */
	RULE_IMPORTED,	   /* the object was imported */
	RULE_REG_PLAIN,	   /* it registers memory as it is */
	RULE_AH_PLAIN,	   /* the handle leads where its attributes say */
	RULE_MCAST_ATTACH, /* the QP is in the group from then on */
	RULE_MCAST_DETACH,
	RULE_MCAST_JOIN,
	RULE_MCAST_LEAVE,
	RULE_MCAST_JOIN_EX,
};

/* Requirements on a connection id before the call; bits. */
enum call_need {
	NEED_QP = 1 << 0,
	NEED_PD = 1 << 1,
	NEED_DEVICE = 1 << 2,
	NEED_SRQ = 1 << 3,
	NEED_RECEIVES = 1 << 4,	    /* a QP or an SRQ */
	NEED_SEND_CHANNEL = 1 << 5, /* of its CQ */
	NEED_RECV_CHANNEL = 1 << 6,
	NEED_PARAM = 1 << 7,	/* conn_param, of an id without a QP */
	NEED_ADDRESS = 1 << 8,	/* of the peer */
	NEED_NO_PARTS = 1 << 9, /* neither QP nor SRQ */
};

struct call_fn {
	const char *name;
	const char *header; /* "infiniband/verbs.h" */
	enum call_path path : 8;
	enum call_result says : 8;
	enum call_failure fails : 8;
	bool is_inline : 1;
	bool is_cm : 1;	  /* of librdmacm */
	bool waits : 1;	  /* until something has happened */
	bool asks : 1;	  /* a query: it changes nothing */
	bool fetches : 1; /* takes events or completions, or acknowledges them */
	bool ties : 1;	  /* its first object uses the others from then on */
	bool serves : 1;  /* changes the id or takes the events of a channel */
	enum call_step step : 8;
	enum call_rule rule : 8;
	const uint8_t *errnos;	   /* that it gives when it fails, 0 after the last; NULL: none */
	const char *stands_for[2]; /* functions that the headers turn into calls of it */
	uint16_t needs;		   /* of enum call_need */
	uint16_t member;	   /* of the first argument: where the pointer is that an inline
				    * function calls; 0: it does not */
	const char *ended_by;	   /* the function for what this one makes, where it is not that
				    * of all such objects */
	uint8_t since;		   /* the release of rdma-core that added it; 0: before 44 */
	uint8_t adds;		   /* 1 + the enum ibv_wr_opcode of the request that it adds to
				    * an extended QP; 0: it adds none */
	uint16_t asked;		   /* the flag of send_ops_flags that its QP must have; 0: none */
	const struct call_value *args; /* ends with a NULL name */
	struct call_value result;
	const char *prototype;
	/* Calls it with these values: pointers and numbers, each in 64 bits. NULL: only a C
	 * program can call it; why has the reason. */
	uint64_t (*invoke)(const uint64_t *args);
	const char *why;
};

/* All, sorted by name; ends with a NULL name. */
extern const struct call_fn call_table[];
extern const unsigned call_count;

struct call_object_type {
	const char *name;   /* "ibv_pd" */
	const char *word;   /* "pd" */
	const char *called; /* the first of a traced program is "pd0" */
	/* Its public members; NULL: it is opaque. */
	const struct call_struct *of;
	const char *ended_by; /* the function that ends it; NULL: none */
	uint16_t size; /* bytes of its public part, which can be read without a lock; 0: none */
};
extern const struct call_object_type call_objects[OBJECT_KINDS];

/* The row called name, or NULL. */
const struct call_fn *call_find(const char *name);
/* Can it be called here? A function that is newer than the oldest library may be missing. */
bool call_present(const struct call_fn *fn);
/* The value called name among values (which end with a NULL name), or NULL. */
const struct call_value *call_value_find(const struct call_value *values, const char *name);
/* The word of the table (with its prefix, a part of it, or none, any case, '-' for '_'), or NULL.
 */
const struct call_word *call_word_find(const struct call_enum *e, const char *name);
/* The name of a value without the prefix of its table, or NULL. */
const char *call_word_name(const struct call_enum *e, int64_t value);

/* The number at p that v describes, sign-extended and in host byte order; for pointers the address.
 */
uint64_t call_load(const struct call_value *v, const void *p);
/* Stores n there; false: it does not fit. */
bool call_store(const struct call_value *v, void *p, uint64_t n);
/* Is the field or argument a pointer? */
bool call_is_pointer(const struct call_value *v);
/* The number of bytes or elements that v points to. A sibling holds it: in the struct at base, or
 * (is_arg) among the arguments at base. 0: there are none, or the number is impossible. */
size_t call_length(const struct call_value *values, const struct call_value *v, const void *base,
		   bool is_arg);
/* The size of the address by its family; of an unknown family, that of the family alone. */
size_t call_sockaddr_len(const void *address);
/* In a mask: the call was given one, perhaps 0. */
#define CALL_MASKED (UINT64_C(1) << 63)

/* Is the field there, given its siblings in the struct at p, a mask that the call was given
 * (0: none) and a QP type (0: not known)? */
bool call_field_is_set(const struct call_struct *of, const struct call_value *field, const void *p,
		       uint64_t mask, unsigned qp_type);

#endif
