// SPDX-License-Identifier: MIT
#include "counters.h"

#include "lock.h"
#include "export.h"

uint64_t counters[COUNTERS];

const char *const counter_names[COUNTERS] = {
	[CNT_SENT_PKTS] = "sent_pkts",
	[CNT_RCVD_PKTS] = "rcvd_pkts",
	[CNT_DUP_REQUEST] = "duplicate_request",
	[CNT_OUT_OF_SEQ_REQUEST] = "out_of_seq_request",
	[CNT_RCVD_RNR] = "rcvd_rnr_err",
	[CNT_SEND_RNR] = "send_rnr_err",
	[CNT_RCVD_SEQ_ERR] = "rcvd_seq_err",
	[CNT_ACK_DEFERRED] = "ack_deferred",
	[CNT_RETRY_EXCEEDED_ERR] = "retry_exceeded_err",
	[CNT_RETRY_RNR_EXCEEDED_ERR] = "retry_rnr_exceeded_err",
	[CNT_COMPLETER_RETRY_ERR] = "completer_retry_err",
	[CNT_SEND_ERR] = "send_err",
	[CNT_LINK_DOWNED] = "link_downed",
	[CNT_RDMA_SENDS] = "rdma_sends",
	[CNT_RDMA_RECVS] = "rdma_recvs",
	[CNT_BAD_ICRC] = "bad_icrc",
	[CNT_BAD_PACKET] = "bad_packet",
	[CNT_BAD_QPN] = "bad_qpn",
	[CNT_BAD_PKEY] = "bad_pkey",
	[CNT_BAD_QKEY] = "bad_qkey",
	[CNT_BAD_SOURCE] = "bad_source",
	[CNT_BAD_STATE] = "bad_state",
	[CNT_NO_RECV] = "no_recv",
	[CNT_UNEXPECTED] = "unexpected_response",
	[CNT_PORT_DOWN] = "port_down",
	[CNT_FAULT_DELAY] = "fault_delay",
#define NAME_OF_FAULT(name, word, lost, help) [CNT_FAULT_##name] = "fault_" #word,
	UROCE_FAULTS(NAME_OF_FAULT)
#undef NAME_OF_FAULT
};

EXPORT unsigned uroce_counters(struct uroce_counter *c, unsigned n)
{
	engine_lock();
	for (unsigned i = 0; i < COUNTERS && i < n; i++) {
		c[i].name = counter_names[i];
		c[i].value = counters[i];
	}
	engine_unlock();
	return COUNTERS;
}
