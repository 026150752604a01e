// SPDX-License-Identifier: MIT
/* Asynchronous events. ibv_get_async_event(3); volume 1, 11.6.3. */
#include <infiniband/verbs.h>

#include "fact.h"

static const char page[] = "ibv_get_async_event(3)";
static const char subnet[] = "the subnet manager, or an administrator, changed it";

const struct fact async_facts[] = {
	{ IBV_EVENT_CQ_ERR, "completions are lost; the QPs of the CQ go to ERR",
	  "RETRY_EXC_ERR, or its own flush errors",
	  "more completions than the CQ has entries: it was not polled, or made too small",
	  "cq N with N the sum of all queues that complete there\npoll before posting more",
	  "volume 1, 11.6.3.1 CQ Error", "cq-overrun" },
	{ IBV_EVENT_QP_FATAL, "the QP is in ERR; its requests are flushed", "RETRY_EXC_ERR",
	  "its CQ overran\na failure that belongs to no work request",
	  "destroy the QP and make it anew",
	  "volume 1, 11.6.3.2 Local Work Queue Catastrophic Error", "cq-overrun" },
	{ IBV_EVENT_QP_REQ_ERR, "the QP is in ERR; it had posted nothing that could complete",
	  "REM_INV_REQ_ERR", "the peer sent a request that this QP does not do",
	  "ask the peer what it posted; compare with qp-state here",
	  "volume 1, 11.6.3.2 Invalid Request Local Work Queue Error", NULL },
	{ IBV_EVENT_QP_ACCESS_ERR, "the QP is in ERR", "REM_ACCESS_ERR",
	  "the peer's key, address, length or operation is not allowed here",
	  "tell the peer the right rkey, address and length\nreg and modify-qp with the rights it needs",
	  "volume 1, 11.6.3.2 Local Access Violation Work Queue Error", "bad-rkey" },
	{ IBV_EVENT_COMM_EST, "the first packet came while the QP was in RTR", NULL,
	  "the peer was faster than the CM's RTU message", "cm notify, or modify-qp RTS", page,
	  NULL },
	{ IBV_EVENT_SQ_DRAINED, "all that was in flight is done: attributes of SQD may be changed",
	  NULL, "modify-qp SQD with en_sqd_async_notify", "modify-qp RTS goes on", page, "sqd" },
	{ IBV_EVENT_PATH_MIG, "the alternate path is the primary one now",
	  "the same, a little later", "automatic path migration, InfiniBand only",
	  "load a new alternate path", page, NULL },
	{ IBV_EVENT_PATH_MIG_ERR, "the QP stays on its path", NULL,
	  "the alternate path is not usable", NULL, page, NULL },
	{ IBV_EVENT_DEVICE_FATAL, "nothing works any more; only destroying does", "RETRY_EXC_ERR",
	  "the device or its driver failed", "dmesg; destroy all and open the device anew", page,
	  NULL },
	{ IBV_EVENT_PORT_ACTIVE, "the port can send and receive", NULL, "the link came up", NULL,
	  page, NULL },
	{ IBV_EVENT_PORT_ERR, "sends end in RETRY_EXC_ERR in time", "the same",
	  "the link went down", "!ip link; the cable, the switch", page, NULL },
	{ IBV_EVENT_LID_CHANGE, "address handles and QPs with the old LID do not work", NULL,
	  subnet, "read the port anew: ports", page, NULL },
	{ IBV_EVENT_PKEY_CHANGE, "a P_Key index may mean another partition", NULL, subnet, "pkeys",
	  page, NULL },
	{ IBV_EVENT_SM_CHANGE, "another subnet manager", NULL, subnet, NULL, page, NULL },
	{ IBV_EVENT_SRQ_ERR, "the SRQ takes no RECVs any more", NULL, "a failure of the device",
	  "destroy the SRQ and its QPs", page, NULL },
	{ IBV_EVENT_SRQ_LIMIT_REACHED, "once, and then the limit is 0", NULL,
	  "fewer RECVs are left in the SRQ than the limit that was set",
	  "post RECVs and set the limit again: srq -limit", page, "srq-limit" },
	{ IBV_EVENT_QP_LAST_WQE_REACHED, "a QP in ERR will take no more RECVs of its SRQ", NULL,
	  "the QP was moved to ERR", "poll until empty, then destroy the QP", page, "last-wqe" },
	{ IBV_EVENT_CLIENT_REREGISTER, "subscriptions and multicast memberships must be renewed",
	  NULL, subnet, NULL, page, NULL },
	{ IBV_EVENT_GID_CHANGE, "an index of the GID table may mean another address", NULL,
	  "an address of the network interface was added or removed", "gids", page, NULL },
	{ IBV_EVENT_WQ_FATAL, "the work queue (RSS) does not work any more", NULL,
	  "a failure of the device", NULL, page, NULL },
	{ 0 }
};
