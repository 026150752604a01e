/* SPDX-License-Identifier: MIT */
/*
 * traced_streams server PORT GID-INDEX
 * traced_streams client ADDRESS PORT GID-INDEX
 *
 * Two ends that tell each other of their QPs and memory in lines of text, by streams of stdio: the
 * client writes to the server's memory, and the server prints what has arrived.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char text[] = "-written by the client";

static struct {
	FILE *from, *to;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	union ibv_gid gid;
	unsigned gid_index;
	char memory[64];
} end;

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void meet(const char *server, const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(atoi(port)) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), listener = fd, one = 1, other;

	if (server) {
		inet_pton(AF_INET, server, &a.sin_addr);
		must(connect(fd, (const struct sockaddr *)&a, sizeof a) == 0, "connect");
	} else {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
		must(bind(fd, (const struct sockaddr *)&a, sizeof a) == 0, "bind");
		must(listen(fd, 1) == 0, "listen");
		fd = accept(listener, NULL, NULL);
		close(listener);
	}
	end.from = fdopen(fd, "r");
	end.to = fdopen(dup2(fd, 100), "w");
	must(end.from && end.to && fileno(end.from) == fd, "fdopen");
	/* a descriptor of the connection leads elsewhere, and nothing that it gets is sent */
	other = dup(fd);
	must(dup2(open("/dev/null", O_WRONLY), other) == other && write(other, "unsent", 6) == 6,
	     "dup2");
}

static void make_objects(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 } };

	must(list && list[0], "no device");
	end.context = ibv_open_device(list[0]);
	end.pd = ibv_alloc_pd(end.context);
	end.cq = ibv_create_cq(end.context, 4, NULL, NULL, 0);
	init.send_cq = init.recv_cq = end.cq;
	end.qp = ibv_create_qp(end.pd, &init);
	end.mr = ibv_reg_mr(end.pd, end.memory, sizeof end.memory,
			    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	must(end.qp && end.mr, "objects");
	must(ibv_query_gid(end.context, 1, (int)end.gid_index, &end.gid) == 0, "ibv_query_gid");
}

static void connect_qp(uint32_t qpn, const union ibv_gid *gid)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = qpn,
		.min_rnr_timer = 12,
		.timeout = 15,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh = { *gid, 0, (uint8_t)end.gid_index, 64, 0 } },
	};

	must(ibv_modify_qp(end.qp, &attr,
			   IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) ==
		     0,
	     "INIT");
	attr.qp_state = IBV_QPS_RTR;
	must(ibv_modify_qp(end.qp, &attr,
			   IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				   IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				   IBV_QP_MIN_RNR_TIMER) == 0,
	     "RTR");
	attr.qp_state = IBV_QPS_RTS;
	must(ibv_modify_qp(end.qp, &attr,
			   IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				   IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC) == 0,
	     "RTS");
}

static void write_text(uint64_t address, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)end.memory, sizeof text, end.mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { address, rkey } },
			   *bad;
	struct ibv_wc wc;

	memcpy(end.memory, text, sizeof text);
	must(ibv_post_send(end.qp, &wr, &bad) == 0, "ibv_post_send");
	while (ibv_poll_cq(end.cq, 1, &wc) == 0)
		;
	must(wc.status == IBV_WC_SUCCESS, "RDMA WRITE");
}

static void say_hello(void)
{
	fprintf(end.to, "hello %06x %08x %016" PRIx64 " ", end.qp->qp_num, end.mr->rkey,
		(uint64_t)(uintptr_t)end.memory);
	for (size_t i = 0; i < sizeof end.gid; i++)
		fprintf(end.to, "%02x", end.gid.raw[i]);
	putc('\n', end.to);
	fflush(end.to);
}

int main(int argc, char **argv)
{
	const char *server = argc == 5 ? argv[2] : NULL;
	char line[128], digits[33] = "";
	union ibv_gid gid;
	unsigned qpn, rkey, byte;
	uint64_t address;

	if (argc < 4)
		return 2;
	meet(server, argv[argc - 2]);
	end.gid_index = (unsigned)atoi(argv[argc - 1]);
	make_objects();
	say_hello();
	must(fgets(line, sizeof line, end.from) && sscanf(line, "hello %x %x %" SCNx64 " %32s",
							  &qpn, &rkey, &address, digits) == 4,
	     "hello");
	for (size_t i = 0; i < sizeof gid; i++) {
		sscanf(digits + 2 * i, "%2x", &byte);
		gid.raw[i] = (uint8_t)byte;
	}
	connect_qp(qpn, &gid);
	/* by one more descriptor of the connection */
	dprintf(fcntl(fileno(end.to), F_DUPFD_CLOEXEC, 200), "ready\n");
	must(fgets(line, sizeof line, end.from) && strcmp(line, "ready\n") == 0, "ready");
	if (server) {
		write_text(address, rkey);
		fputs("done\n", end.to);
		fclose(end.to);
		fclose(end.from);
	} else {
		must(fgets(line, sizeof line, end.from) && strcmp(line, "done\n") == 0, "done");
		printf("it has %s\n", end.memory);
	}
	return 0;
}
