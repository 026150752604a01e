/* SPDX-License-Identifier: MIT */
/* Nobody reaches into our memory, or is reached into. */
#include "direct.h"

#include "rig.h"

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
