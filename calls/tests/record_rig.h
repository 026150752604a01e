/* SPDX-License-Identifier: MIT */
/* A device whose calls do what a test of the record says. */
#ifndef CALLS_RECORD_RIG_H
#define CALLS_RECORD_RIG_H

#include <errno.h>

#include "checks.h"
#include "call_record.h"

#define PTR(p) ((uint64_t)(uintptr_t)(p))

extern struct ibv_context context;
extern struct ibv_cq cqs[2];
extern struct ibv_qp qp;
extern int found; /* completions that a poll finds */

/* Polls find as many as found says, posts refuse the first request with more than one piece. */
void rig_begin(void);
/* All records; the only one of them. */
struct record_list *all(void);
struct record *only(struct record_list *l);

#endif
