/* SPDX-License-Identifier: MIT */
/* Nobody to share memory with, to be reached into, or to reach into us: all goes by packets. */
#include "direct.h"
#include "pair.h"
#include "path.h"
#include "rig.h"

struct pair *pair_open[SLOTS];
unsigned pairs_open;

void pair_close(struct pair *p)
{
	(void)p;
}

void pair_ring(const struct pair *p)
{
	(void)p;
}

void pair_note_frame(const struct pair *p)
{
	(void)p;
}

void pair_publish(void)
{
}

_Atomic int rig_bell = -1;

int pair_bell_fd(void)
{
	return rig_bell;
}

_Atomic bool rig_asleep;
_Atomic unsigned rig_frames;

bool pair_sleep(void)
{
	rig_asleep = rig_frames == 0;
	return rig_asleep;
}

void pair_wake(void)
{
	rig_asleep = false;
}

void pair_answer_bell(void)
{
}

bool any_interface_is_watched(void)
{
	return false;
}

int path_setup(const char *value, char *reason, size_t size)
{
	(void)value;
	(void)reason;
	(void)size;
	return 0;
}

bool path_is_here(const union ibv_gid *a, const union ibv_gid *b, uint32_t scope)
{
	(void)a;
	(void)b;
	(void)scope;
	return true;
}

struct pair *rig_pair;

struct pair *path_to(const struct flow *flow, uint32_t qpn)
{
	(void)flow;
	(void)qpn;
	return rig_pair;
}

bool path_is_memory(const struct flow *flow, uint32_t qpn)
{
	(void)flow;
	(void)qpn;
	return false;
}

/* ---------------------------------------------------------------------- direct/ -- */

const struct qp *rig_shown;

void direct_start(void)
{
}

void direct_stop(void)
{
}

void direct_forget(void)
{
}

void direct_look_around(void)
{
}

enum direct_result (*rig_direct)(struct send_wqe *w);

bool rig_awaited;

void direct_await_answer(const struct pair *pair, uint32_t qpn, bool awaits)
{
	(void)pair;
	(void)qpn;
	rig_awaited = awaits;
}

bool direct_is_awaited(const struct pair *pair, uint32_t qpn)
{
	(void)pair;
	(void)qpn;
	return rig_awaited;
}

bool direct_is_open(const struct pair *pair)
{
	return pair && rig_direct;
}

bool direct_is_known(uint32_t qpn)
{
	(void)qpn;
	return rig_direct;
}

enum direct_result direct_carry_out(struct qp *qp, const struct pair *pair, struct send_wqe *w)
{
	(void)qp;
	return direct_is_open(pair) ? rig_direct(w) : DIRECT_PACKETS;
}

void target_show_region(struct mr *mr)
{
	(void)mr;
}

void target_show_qp(struct qp *qp)
{
	rig_shown = qp;
}

void target_show_psn(const struct qp *qp)
{
	(void)qp;
}

void target_hide_region(struct mr *mr, struct target_users *users)
{
	(void)mr;
	users->n = 0;
}

void target_hide_qp(struct qp *qp, struct target_users *users)
{
	(void)qp;
	if (users)
		users->n = 0;
}

void (*rig_awaiter)(void);

void target_await(struct target_users *users)
{
	(void)users;
	if (rig_awaiter)
		rig_awaiter();
}
