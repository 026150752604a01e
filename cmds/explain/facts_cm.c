// SPDX-License-Identifier: MIT
/* The connection manager: its events, reasons of a reject, port spaces. rdma_get_cm_event(3);
 * volume 1, 12.6 and 12.6.7.2. */
#include <rdma/rdma_cma.h>

#include "fact.h"

static const char page[] = "rdma_get_cm_event(3)";
static const char reasons[] = "volume 1, 12.6.7.2";
static const char rejected[] = "REJECTED; the id is of no more use";
static const char routers[] = "InfiniBand only: a field of the path in the request";

const struct fact cm_event_facts[] = {
	{ RDMA_CM_EVENT_ADDR_RESOLVED, "the id has a device: make the QP, resolve the route", NULL,
	  NULL, "cm resolve-route", page, "explain/connection" },
	{ RDMA_CM_EVENT_ADDR_ERROR, "status is a negative errno", "nothing",
	  "ENODEV: no RDMA device belongs to the interface that leads there\n"
	  "ETIMEDOUT, EHOSTUNREACH, ENETUNREACH: no neighbour or no route",
	  "gids shows the addresses that have a device\n!ip route get ADDRESS", page,
	  "explain/connection" },
	{ RDMA_CM_EVENT_ROUTE_RESOLVED, "the path is known: connect", NULL, NULL, "cm connect",
	  page, "explain/connection" },
	{ RDMA_CM_EVENT_ROUTE_ERROR, "status is a negative errno", "nothing",
	  "on InfiniBand the subnet administrator does not answer", "is a subnet manager running?",
	  page, NULL },
	{ RDMA_CM_EVENT_CONNECT_REQUEST, "a new id, with the peer's private data and depths",
	  "it waits: some 4 s, then asks again", NULL,
	  "qp create, post recv, then cm accept or cm reject", page, "explain/connection" },
	{ RDMA_CM_EVENT_CONNECT_RESPONSE, "the peer accepted; the QP was made without the id",
	  "it waits for the RTU", NULL, "modify-qp RTR, RTS by hand, then cm establish", page,
	  "explain/connection" },
	{ RDMA_CM_EVENT_CONNECT_ERROR, "status is a negative errno", "UNREACHABLE or nothing",
	  "moving the QP to RTR or RTS failed", "qp-state; the attributes of connect", page, NULL },
	{ RDMA_CM_EVENT_UNREACHABLE,
	  "status -ETIMEDOUT, after a minute or more; UD: the SIDR status, 1: no such service",
	  "nothing, or a request that it does not answer",
	  "nobody answers at the address: no RDMA device, a firewall on UDP 4791\n"
	  "the program at the peer neither accepts nor rejects\n"
	  "the backlog of the listener is full: more requests wait than rdma_listen allows",
	  "!ping ADDRESS; rdmash on the other host: gids\nlook at the server; a larger backlog",
	  "rdma_get_cm_event(3), rdma_listen(3)", "explain/connection" },
	{ RDMA_CM_EVENT_REJECTED, "status is the reason of the reject, not an errno", "nothing",
	  "8: nobody listens on the port; 28: the program said no; 10: an old connection",
	  "explain rej STATUS", page, "explain/connection" },
	{ RDMA_CM_EVENT_ESTABLISHED, "the QP is in RTS", "the same", NULL, "post, poll", page,
	  "explain/connection" },
	{ RDMA_CM_EVENT_DISCONNECTED,
	  "where the peer left, the QP stays in RTS until this end calls rdma_disconnect, too; that "
	  "moves it to ERR and flushes it",
	  "its QP is in ERR and flushed; its own event comes when this end has answered",
	  "the peer disconnected, or its program ended while its system goes on\n"
	  "status -ETIMEDOUT: nobody answered this end's own disconnect\n"
	  "a host that is off or cut off sends nothing: no event comes (explain DEAD_PEER)",
	  "disconnect, then destroy the id", page, "explain/connection" },
	{ RDMA_CM_EVENT_DEVICE_REMOVAL, "all ids and QPs of the device must be destroyed",
	  "RETRY_EXC_ERR", "the device was unplugged or its driver unloaded", "destroy -cascade",
	  page, NULL },
	{ RDMA_CM_EVENT_MULTICAST_JOIN,
	  "QP number, Q_Key and address handle attributes of the group", "nothing", NULL,
	  "ah, post send -qpn 0xffffff", page, "explain/multicast" },
	{ RDMA_CM_EVENT_MULTICAST_ERROR, "status is a negative errno", "nothing",
	  "the group was left by the network, or could not be joined", "cm join again", page,
	  NULL },
	{ RDMA_CM_EVENT_ADDR_CHANGE, "a hint: the address moved to another interface", NULL,
	  "bonding failed over, or addresses were changed", "connect anew when it suits", page,
	  NULL },
	{ RDMA_CM_EVENT_TIMEWAIT_EXIT, "no old packets can come any more: the QP may be used again",
	  "the same", "some time after DISCONNECTED", NULL, page, "explain/connection" },
	{ 16, /* ADDRINFO_RESOLVED */ "rdma_query_addrinfo gives the addresses", NULL, NULL, NULL,
	  "rdma_resolve_addrinfo(3)", NULL },
	{ 17, /* ADDRINFO_ERROR */ "status is a negative errno", NULL,
	  "the service or the name is not known", NULL, "rdma_resolve_addrinfo(3)", NULL },
	{ 18, /* USER */ "an event that the program itself has written", NULL, NULL, NULL,
	  "rdma_write_cm_event(3)", NULL },
	{ 0 }
};

const struct fact rej_facts[] = {
	{ 1, rejected, NULL, "the peer's program or device has no QP for it", "look at the server",
	  reasons, NULL },
	{ 2, rejected, NULL, "reliable datagrams, which nobody has", NULL, reasons, NULL },
	{ 3, rejected, NULL, "the peer has no memory or no room for the connection",
	  "limits and memory of the peer", reasons, NULL },
	{ 4, "seen at the server: REJECTED after rdma_accept, or rdma_accept fails",
	  "it destroyed its id, or its time was over",
	  "the client gave up before the server accepted", "accept sooner; look at the client",
	  "volume 1, 12.6.7.2; cm_destroy_id() in drivers/infiniband/core/cm.c",
	  "explain/connection" },
	{ 5, rejected, NULL, "the peer's connection manager cannot do what was asked", NULL,
	  reasons, NULL },
	{ 6, rejected, NULL, "an answer that belongs to no request: late or forged",
	  "connect again", reasons, NULL },
	{ 7, rejected, NULL, "an answer that belongs to no request", NULL, reasons, NULL },
	{ 8, rejected, "nothing: no program hears of it",
	  "nobody listens on that port, in that port space, on that address of the peer",
	  "start the server; compare its address and port; TCP and UDP ports are different spaces",
	  reasons, "explain/connection" },
	{ 9, rejected, NULL, "an RC id against a UD listener or the like", "use the same QP type",
	  reasons, NULL },
	{ 10, rejected, "it ends the old connection",
	  "the peer still has a connection with this QP number: after a crash, or in time-wait",
	  "wait, and connect again with a new QP", reasons, "explain/connection" },
	{ 11, rejected, NULL, "reliable datagrams, which nobody has", NULL, reasons, NULL },
	{ 12, rejected, NULL,
	  "the peer's device has no such GID, or none of this type: RoCE v1 against v2, an address "
	  "that has just changed",
	  "gids on both ends", reasons, NULL },
	{ 13, rejected, NULL, routers, NULL, reasons, NULL },
	{ 14, rejected, NULL, routers, NULL, reasons, NULL },
	{ 15, rejected, NULL, routers, NULL, reasons, NULL },
	{ 16, rejected, NULL, routers, NULL, reasons, NULL },
	{ 17, rejected, NULL, routers, NULL, reasons, NULL },
	{ 18, rejected, NULL, routers, NULL, reasons, NULL },
	{ 19, rejected, NULL, routers, NULL, reasons, NULL },
	{ 20, rejected, NULL, routers, NULL, reasons, NULL },
	{ 21, rejected, NULL, routers, NULL, reasons, NULL },
	{ 22, rejected, NULL, routers, NULL, reasons, NULL },
	{ 23, rejected, NULL, routers, NULL, reasons, NULL },
	{ 24, rejected, NULL, "the service is at another port, which the reject names", NULL,
	  reasons, NULL },
	{ 25, rejected, NULL, "the service is at another port, which the reject names", NULL,
	  reasons, NULL },
	{ 26, rejected, NULL, "the peer cannot do the path MTU of the request", "a smaller MTU",
	  reasons, NULL },
	{ 27, rejected, NULL, "initiator_depth asks for more than the peer's responder_resources",
	  "connect -initiator-depth 1", reasons, NULL },
	{ 28, rejected, "its program called rdma_reject, or ended before it accepted",
	  "the program does not want the connection, or failed while it made its QP",
	  "the private data may say why; look at the server", reasons, "explain/connection" },
	{ 29, rejected, NULL, "the RNR retry count of the accept", NULL, reasons, NULL },
	{ 30, rejected, NULL, "a communication id that is in use", "connect again", reasons, NULL },
	{ 31, rejected, NULL, "another version of the CM protocol", NULL, reasons, NULL },
	{ 32, rejected, NULL, routers, NULL, reasons, NULL },
	{ 33, rejected, NULL, routers, NULL, reasons, NULL },
	{ 35, rejected, NULL, "enhanced connection establishment (ECE) that the peer does not know",
	  "rdma_set_local_ece(3) of the other end", "rdma_reject_ece(3)", "explain/connection" },
	{ 0 }
};

const struct fact port_space_facts[] = {
	{ RDMA_PS_TCP, "ports of RC connections, apart from those of TCP itself", NULL, NULL, NULL,
	  "rdma_create_id(3)", "explain/connection" },
	{ RDMA_PS_UDP, "ports of UD services: a connect asks for QP number and Q_Key", NULL, NULL,
	  NULL, "rdma_create_id(3)", "explain/connection" },
	{ RDMA_PS_IPOIB, "datagrams together with IP over InfiniBand: multicast mostly", NULL, NULL,
	  NULL, "rdma_create_id(3)", NULL },
	{ RDMA_PS_IB, "any InfiniBand service, by 64 bit ids", NULL, NULL, NULL,
	  "rdma_create_id(3)", NULL },
	{ 0 }
};
