/* SPDX-License-Identifier: MIT */
/* The objects of this session and of the processes that its QPs are connected with, as the page
 * shows them: now, or as they were at a moment of the record. */
#ifndef CMDS_VIEW_ENDS_H
#define CMDS_VIEW_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ladder;
struct mr;
struct out;
struct session;

/* The memory of the page between two looks. All zero: nothing yet. */
struct view_memory {
	struct view_region {
		uint64_t serial; /* of the region */
		size_t n;	 /* bytes that are looked at */
		uint8_t *last;	 /* at the last look */
		char *how; /* of each byte: n: changed at the last look that found a change, c:
			      before, or ' ' */
	} * v;
	unsigned n;
};

/* The first look, at regions that may have been filled long ago: nothing has just changed. */
void view_memory_begin(struct session *s, struct view_memory *m);
/* Looks at all regions of this session; true: a byte has changed since the last look. */
bool view_memory_look(struct session *s, struct view_memory *m);
/* Writes the lines of a region that were looked at into its open dict. */
void view_memory_out(const struct view_memory *m, const struct mr *mr, struct out *o);
void view_memory_free(struct view_memory *m);

#define VIEW_PEERS 16

/* The processes at the other ends, as their device shows them. All zero: none. */
struct view_peers {
	struct view_peer {
		pid_t pid;		     /* 0: not known */
		uint32_t qpn;		     /* by which it was asked for */
		struct uroce_inventory *inv; /* NULL: it does not answer, or there is none */
		int64_t next;		     /* loop_now() before which it is not asked again */
		bool is_met;		     /* a QP of this session is connected with it now */
	} v[VIEW_PEERS];
	unsigned n;
};

/* Asks those that may be asked again; true: something is otherwise than before. */
bool view_peers_look(struct session *s, struct view_peers *p);
void view_peers_free(struct view_peers *p);

struct view_moment;

/* This session now, or at earlier moments, one after the other. It lives no longer than a callback
 * or a command: calls that are made meanwhile are not in it. */
struct view_moment *view_moment_new(struct session *s, bool now);
void view_moment_free(struct view_moment *m);

struct view_look {
	int64_t at;			  /* CLOCK_REALTIME, ns; not before that of the last look */
	const struct ladder *l;		  /* its places after the first are rdmash peers */
	unsigned n;			  /* up to row n - 1 */
	const struct view_memory *memory; /* of now; NULL: no look is of now */
	const struct view_peers *peers;	  /* or NULL */
};
/* Writes all ends into the open list. */
void view_moment_out(struct view_moment *m, const struct view_look *look, struct out *o);

#endif
