// SPDX-License-Identifier: MIT
/* What the errnos of libibverbs and librdmacm mean here; what strerror(3) says is often beside
 * the point. */
#include <errno.h>

#include "explain/facts.h"

const struct fact errno_facts[] = {
	{ EINVAL, NULL, NULL,
	  "ibv_modify_qp: an attribute is missing, is one too many, or does not suit the device or the path\n"
	  "ibv_create_qp: a capability beyond the device's limits\n"
	  "ibv_reg_mr: REMOTE_WRITE or REMOTE_ATOMIC without LOCAL_WRITE, length 0\n"
	  "ibv_post_send: an opcode that the QP does not have, too many SGEs, too much inline\n"
	  "ibv_post_send in a state before RTS: rxe0, uroce0, efa and hns say so; mlx5 ENOMEM, mlx4 and irdma nothing",
	  "modify-qp checks against the state table before it calls\ndevice shows the limits",
	  "ibv_modify_qp(3)", "explain/errnos" },
	{ ENOMEM, NULL, NULL,
	  "ibv_post_send, ibv_post_recv: the queue is full (unsignaled requests, a CQ that nobody polls)\n"
	  "ibv_reg_mr, ibv_create_*: the limit of locked memory, RLIMIT_MEMLOCK\n"
	  "ibv_create_cq: more entries than memory",
	  "poll; signal some of the requests\nulimit -l unlimited, or LimitMEMLOCK= of the service",
	  "ibv_post_send(3), setrlimit(2)", "explain/errnos" },
	{ EBUSY, NULL, NULL, "ibv_dealloc_pd, ibv_destroy_cq, ...: something still uses the object",
	  "destroy NAME -cascade; show tells who uses what", "ibv_dealloc_pd(3)",
	  "explain/errnos" },
	{ EPERM, NULL, NULL,
	  "ibv_modify_qp: a privileged Q_Key (highest bit set); ibv_create_qp: raw packets",
	  "CAP_NET_RAW; explain PRIVILEGED_QKEY",
	  "rdma-system(8); modify_qp() in drivers/infiniband/core/uverbs_cmd.c", "explain/system" },
	{ EACCES, NULL, NULL,
	  "no right to /dev/infiniband/uverbsN or rdma_cm\n"
	  "rdma_resolve_addr: a route of the kind prohibit",
	  "the group rdma; a udev rule\n!ip route get ADDRESS", "udev(7), ip-route(8)",
	  "explain/system" },
	{ ENODEV, NULL, NULL,
	  "rdma_create_event_channel: no RDMA device at all, or rdma_ucm is not loaded\n"
	  "rdma_resolve_addr, rdma_resolve_route: no device belongs to the interface that leads there "
	  "(127.0.0.1 leads to one of uroce0 only)",
	  "devices; rdma link add rxe0 type rxe netdev NETDEV; or --device uroce0",
	  "rdma_resolve_addr(3)", "explain/errnos" },
	{ ENOENT, NULL, NULL,
	  "the device's file is not there: in a container it was not passed in (libibverbs then lists "
	  "no device)",
	  "docker run --device=/dev/infiniband/uverbs0 --device=/dev/infiniband/rdma_cm",
	  "ibv_open_device(3)", "explain/system" },
	{ ENOSYS, NULL, NULL, "the driver does not do this verb", "device",
	  "ibv_query_device_ex(3)", NULL },
	{ EOPNOTSUPP, NULL, NULL, "the device or its driver does not do this", "device",
	  "ibv_query_device_ex(3)", "explain/errnos" },
	{ EAFNOSUPPORT, NULL, NULL,
	  "rdma_bind_addr, rdma_resolve_addr: a family that is neither IPv4, IPv6 nor AF_IB",
	  "an IPv4 address on an id that is bound to an IPv6 one, or the other way: EINVAL",
	  "rdma_bind_addr_dst() in drivers/infiniband/core/cma.c", NULL },
	{ EADDRINUSE, NULL, NULL,
	  "rdma_bind_addr, rdma_listen: another program listens on this port",
	  "another port; !ss does not show RDMA ports: !rdma resource show cm_id, on uroce0 !uroce status",
	  "rdma_bind_addr(3)", "explain/errnos" },
	{ EADDRNOTAVAIL, NULL, NULL,
	  "rdma_bind_addr: no interface of this host has the address\n"
	  "rdma_bind_addr: the port is in use on the wildcard address",
	  "gids; another port", "rdma_bind_addr(3)", "explain/errnos" },
	{ ENODATA, NULL, NULL, "ibv_modify_qp: the GID table has nothing at this sgid_index",
	  "gids", "ibv_modify_qp(3)", "explain/errnos" },
	{ ENETUNREACH, NULL, NULL,
	  "rdma_resolve_addr: no route to the address\n"
	  "ibv_modify_qp to RTR on RoCE: no route to the peer's GID",
	  "!ip route get ADDRESS\ngids: of the same network on both ends", "rdma_resolve_addr(3)",
	  "explain/errnos" },
	{ EHOSTUNREACH, NULL, NULL,
	  "rdma_resolve_addr: a route of the kind unreachable\n"
	  "no neighbour answers for the address (mostly ETIMEDOUT)",
	  "!ip route get ADDRESS\n!ping ADDRESS", "rdma_resolve_addr(3), ip-route(8)",
	  "explain/system" },
	{ ETIMEDOUT, NULL, NULL,
	  "ibv_modify_qp to RTR on RoCE: no neighbour answers for the peer's GID\n"
	  "rdma_resolve_addr, UNREACHABLE: nobody answers",
	  "a GID of the same network on both ends: gids\n!ping ADDRESS", "ibv_modify_qp(3)",
	  "explain/errnos" },
	{ ECONNREFUSED, NULL, NULL, "iWARP: nobody listens\noob connect: no TCP server there",
	  "start the other end first", "rdma_connect(3)", "explain/errnos" },
	{ ECONNRESET, NULL, NULL, "iWARP, oob, tcp: the peer ended the connection",
	  "look at the peer", "rdma_connect(3), recv(2)", "explain/system" },
	{ EPROTO, NULL, NULL, "an answer of the peer that makes no sense",
	  "the other end is of another kind", "rdma_accept(3)", NULL },
	{ EAGAIN, NULL, NULL, "nothing there on a descriptor that does not block", NULL,
	  "ibv_get_cq_event(3)", NULL },
	{ EINTR, NULL, NULL, "a signal came in a waiting call", "call it again",
	  "ibv_get_cq_event(3)", NULL },
	{ EFAULT, NULL, NULL, "ibv_reg_mr: the memory is not mapped, or not writable", NULL,
	  "ibv_reg_mr(3)", "explain/system" },
	{ ENOSPC, NULL, NULL, "the device has no more of what was asked for",
	  "device shows the limits", "ibv_create_qp(3)", NULL },
	{ EMFILE, NULL, NULL, "too many open files: each channel and each device has some",
	  "ulimit -n", "ibv_create_comp_channel(3), rdma_create_event_channel(3)",
	  "explain/system" },
	{ EMSGSIZE, NULL, NULL, "a message longer than can be sent", NULL, "ibv_post_send(3)",
	  NULL },
	{ EISCONN, NULL, NULL,
	  "rdma_notify: the connection is there already. Harmless: the event was told in vain",
	  "nothing to do; a second rdma_connect on an id is EINVAL", "rdma_notify(3)",
	  "explain/errnos" },
	{ ENOTCONN, NULL, NULL,
	  "rsockets: rsend, rrecv, rgetpeername on a socket that is not connected",
	  "librdmacm's other calls say EINVAL for an id in the wrong state", "rsocket(7)", NULL },
	{ 0 }
};
