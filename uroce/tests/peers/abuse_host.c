// SPDX-License-Identifier: MIT
/* Addresses that come and go, interfaces that are too narrow, a kernel that can do less: of
 * host.sh. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abuse.h"
#include "checks.h"
#include "qp_pair.h"

static void sh(const char *command)
{
	CHECK_INT(system(command), 0);
}

static void gid_change(struct ibv_context *ctx)
{
	struct ibv_async_event ev;

	do {
		CHECK_INT(ibv_get_async_event(ctx, &ev), 0);
		ibv_ack_async_event(&ev);
	} while (ev.event_type != IBV_EVENT_GID_CHANGE);
}

/* Of an IPv4 address; -1: there is none. */
static int index_of(struct ibv_context *ctx, uint32_t addr)
{
	union ibv_gid gid, want = { .raw = { [10] = 0xff, 0xff } };

	addr = htonl(addr);
	memcpy(want.raw + 12, &addr, 4);
	for (int i = 0; i < 64; i++)
		if (ibv_query_gid(ctx, 1, i, &gid) == 0 && memcmp(&gid, &want, sizeof(gid)) == 0)
			return i;
	return -1;
}

int addresses(void)
{
	int first, second;
	struct pair p;

	pair_make(&p, 0);
	sh("ip addr add 10.1.0.1/32 dev lo");
	gid_change(p.ctx);
	first = index_of(p.ctx, 0x0a010001);
	sh("ip addr add 10.1.0.2/32 dev lo");
	gid_change(p.ctx);
	second = index_of(p.ctx, 0x0a010002);
	CHECK(first > 0 && second > first);
	sh("ip addr del 10.1.0.1/32 dev lo");
	gid_change(p.ctx);
	CHECK_INT(index_of(p.ctx, 0x0a010001), -1);
	CHECK_INT(index_of(p.ctx, 0x0a010002), second);
	pair_works(&p);
	sh("ip addr add 10.1.0.3/32 dev lo");
	gid_change(p.ctx);
	CHECK_INT(index_of(p.ctx, 0x0a010003), first);
	sh("ip addr del 10.1.0.2/32 dev lo; ip addr del 10.1.0.3/32 dev lo");
	pair_works(&p);
	pair_close(&p);
	return 0;
}

/* An MTU of 400 leaves room for 256 bytes, and one of 200 for none. */
int narrow(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_512 };
	struct ibv_port_attr port;
	struct pair p;

	if (system("ip link add narrow0 mtu 400 type veth peer name narrow1 mtu 200") != 0) {
		puts("no interface can be made here");
		return SKIPPED;
	}
	sh("ip link set narrow0 up && ip addr add 10.2.0.1/24 dev narrow0");
	sh("ip link set narrow1 up && ip addr add 10.3.0.1/24 dev narrow1");
	p.ctx = pair_open();
	p.channel = NULL;
	CHECK_INT(index_of(p.ctx, 0x0a020001), 0);
	CHECK_INT(index_of(p.ctx, 0x0a030001), -1);
	CHECK_INT(ibv_query_port(p.ctx, 1, &port), 0);
	CHECK_INT(port.active_mtu, IBV_MTU_256);
	pair_side(&p, &p.a, 0);
	attr.ah_attr = (struct ibv_ah_attr){ .is_global = 1, .port_num = 1 };
	CHECK_INT(ibv_query_gid(p.ctx, 1, 0, &attr.ah_attr.grh.dgid), 0);
	attr.max_dest_rd_atomic = 1;
	for (attr.path_mtu = IBV_MTU_4096; attr.path_mtu > IBV_MTU_256; attr.path_mtu--)
		CHECK_INT(ibv_modify_qp(p.a.qp, &attr, PAIR_TO_RTR), EINVAL);
	CHECK_INT(ibv_modify_qp(p.a.qp, &attr, PAIR_TO_RTR), 0);
	sh("ip link del narrow0");
	return 0;
}

int unsteered(char **command)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsockopt, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SO_ATTACH_REUSEPORT_CBPF, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return SKIPPED;
	execvp(command[0], command);
	return 127;
}
