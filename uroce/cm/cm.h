/* SPDX-License-Identifier: MIT */
/*
 * The connection manager: MADs on QP 1. InfiniBand specification volume 1, chapter 12;
 * annexes A11 (IP addressing of the CM), A16 and A17 (RoCE).
 */
#ifndef UROCE_CM_CM_H
#define UROCE_CM_CM_H

#include "group.h"
#include "link.h"

#define GSI_QPN	  1
#define GSI_QKEY  0x80010000u
#define MAD_BYTES 256

/* A MAD for this process: from its own socket, or handed on by another one. */
void cm_input(const struct mad_from *from, const uint8_t *mad, size_t n);
/* A MAD from the socket of all: handles it, or hands it on to the process it is for.
 * Answers in place of a process that is gone (REJ). */
void cm_route(const struct mad_from *from, const uint8_t *mad, size_t n);
/* After fork(). */
void cm_forget(void);

#endif
