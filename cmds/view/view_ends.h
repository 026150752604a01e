/* SPDX-License-Identifier: MIT */
/* The objects of this session and of the processes that its QPs are connected with, as the page
 * shows them: now, or as they were at a moment of the record. */
#ifndef CMDS_VIEW_ENDS_H
#define CMDS_VIEW_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mr;
struct out;
struct session;

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

/* Writes the ends whose objects are known into the open list: as they were at that time,
 * CLOCK_REALTIME in ns, which is not before that of the last call; of now it is not read. */
void view_moment_out(struct view_moment *m, int64_t at, const struct view_peers *p, struct out *o);

/* The bytes of a region that the page shows: so many of the first. */
size_t view_bytes_shown(const struct mr *mr);

#endif
