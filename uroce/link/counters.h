/* SPDX-License-Identifier: MIT */
/* The counters of the device. Their names are those that rdma_rxe has in hw_counters. */
#ifndef UROCE_LINK_COUNTERS_H
#define UROCE_LINK_COUNTERS_H

#include <stdint.h>

#include "uroce.h"

enum counter {
	CNT_SENT_PKTS,
	CNT_RCVD_PKTS,
	CNT_DUP_REQUEST,
	CNT_OUT_OF_SEQ_REQUEST,
	CNT_RCVD_RNR,
	CNT_SEND_RNR,
	CNT_RCVD_SEQ_ERR,
	CNT_ACK_DEFERRED,
	CNT_RETRY_EXCEEDED_ERR,
	CNT_RETRY_RNR_EXCEEDED_ERR,
	CNT_COMPLETER_RETRY_ERR,
	CNT_SEND_ERR,
	CNT_LINK_DOWNED,
	CNT_RDMA_SENDS,
	CNT_RDMA_RECVS,
	/* of this device: packets that were dropped, and why */
	CNT_BAD_ICRC,
	CNT_BAD_PACKET, /* does not parse */
	CNT_BAD_QPN,
	CNT_BAD_PKEY,
	CNT_BAD_QKEY,
	CNT_BAD_SOURCE,
	CNT_BAD_STATE,
	CNT_NO_RECV,	/* UD, UC: without a receive, or one that is too short */
	CNT_UNEXPECTED, /* a response to nothing that was asked */
	CNT_PORT_DOWN,	/* of either direction: the port, or its address, is down */
/* of this device: packets to which a fault was done: CNT_FAULT_DROP and so on */
#define CNT_OF_FAULT(name, word, lost, help) CNT_FAULT_##name,
	UROCE_FAULTS(CNT_OF_FAULT) CNT_FAULT_DELAY,
	COUNTERS
};
#undef CNT_OF_FAULT

extern uint64_t counters[COUNTERS];
extern const char *const counter_names[COUNTERS];

static inline void count(enum counter c)
{
	counters[c]++;
}

#endif
