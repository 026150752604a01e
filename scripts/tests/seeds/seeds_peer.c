/* SPDX-License-Identifier: MIT */
/*
 * The other end of scripts/seeds as a plain program of librdmacm, after the contracts that
 * scripts/seeds/README.md tells. It does no more than the programs do: it answers a disconnect
 * only when it ends, asks to be tried again as often as they do, and posts no other receives.
 *
 *   seeds_peer ROLE [ADDRESS] PORT
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW	  4096
#define BULK	  (5000 << 10)
#define RESOLVE	  5000 /* ms */
#define FULL	  (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)
#define WROTE	  "client-wrote-this"
#define WROTE_IMM "client-wrote-with-imm"
#define TEXT	  "a text of rdma_client"

static struct rdma_event_channel *channel;
static struct rdma_cm_id *id;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static unsigned char told[256]; /* private data of the last event */
static uint64_t remote_addr;
static uint32_t remote_key;

/* rdma-example's message, little-endian as the machine it was made for */
struct attr {
	uint64_t addr;
	uint32_t len, key;
} __attribute__((packed));

/* rdma-roce-lab's private data, big-endian; only bulk has a length */
struct capability {
	uint64_t addr;
	uint32_t key;
	uint64_t len;
} __attribute__((packed));

static void die(const char *what)
{
	fprintf(stderr, "seeds_peer: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void must(int rc, const char *what)
{
	if (rc)
		die(what);
}

static void event(enum rdma_cm_event_type want)
{
	struct rdma_cm_event *ev;

	must(rdma_get_cm_event(channel, &ev), "rdma_get_cm_event");
	if (ev->event != want) {
		fprintf(stderr, "seeds_peer: %s (%d) instead of %s\n", rdma_event_str(ev->event),
			ev->status, rdma_event_str(want));
		exit(1);
	}
	if (want == RDMA_CM_EVENT_CONNECT_REQUEST)
		id = ev->id;
	memset(told, 0, sizeof told);
	if (ev->param.conn.private_data)
		memcpy(told, ev->param.conn.private_data, ev->param.conn.private_data_len);
	rdma_ack_cm_event(ev);
}

static struct sockaddr_in address(const char *host, const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };

	if (inet_pton(AF_INET, host, &a.sin_addr) != 1)
		die(host);
	return a;
}

static void make_qp(void)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 128,
			 .max_recv_wr = 8,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	pd = ibv_alloc_pd(id->verbs);
	cq = ibv_create_cq(id->verbs, 256, NULL, NULL, 0);
	if (!pd || !cq)
		die("ibv_create_cq");
	attr.send_cq = attr.recv_cq = cq;
	must(rdma_create_qp(id, pd, &attr), "rdma_create_qp");
}

static struct ibv_mr *region(size_t len, int access)
{
	void *memory = calloc(1, len);
	struct ibv_mr *mr = memory ? ibv_reg_mr(pd, memory, len, access) : NULL;

	if (!mr)
		die("ibv_reg_mr");
	return mr;
}

/* server: up to the request, with a QP; client: up to the route, with a QP */
static void serve(const char *port)
{
	struct sockaddr_in a = address("0.0.0.0", port);

	must(rdma_bind_addr(id, (struct sockaddr *)&a), "rdma_bind_addr");
	must(rdma_listen(id, 1), "rdma_listen");
	event(RDMA_CM_EVENT_CONNECT_REQUEST);
	make_qp();
}

static void resolve(const char *host, const char *port)
{
	struct sockaddr_in a = address(host, port);

	must(rdma_resolve_addr(id, NULL, (struct sockaddr *)&a, RESOLVE), "rdma_resolve_addr");
	event(RDMA_CM_EVENT_ADDR_RESOLVED);
	must(rdma_resolve_route(id, RESOLVE), "rdma_resolve_route");
	event(RDMA_CM_EVENT_ROUTE_RESOLVED);
	make_qp();
}

static void join_peer(int (*call)(struct rdma_cm_id *, struct rdma_conn_param *), uint8_t depth,
		      uint8_t retry, uint8_t rnr, const void *data, uint8_t len)
{
	struct rdma_conn_param p = {
		.responder_resources = depth,
		.initiator_depth = depth,
		.retry_count = retry,
		.rnr_retry_count = rnr,
		.private_data = data,
		.private_data_len = len,
	};

	must(call(id, &p), "rdma_connect or rdma_accept");
	event(RDMA_CM_EVENT_ESTABLISHED);
}

static void post_recv(struct ibv_mr *mr)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr, (uint32_t)mr->length, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	must(ibv_post_recv(id->qp, &wr, &bad), "ibv_post_recv");
}

static void post(enum ibv_wr_opcode opcode, struct ibv_mr *mr, size_t len, uint64_t off,
		 bool signal)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr, (uint32_t)len, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = signal ? IBV_SEND_SIGNALED : 0,
		.imm_data = htonl((uint32_t)len),
		.wr.rdma = { remote_addr + off, remote_key },
	};
	struct ibv_send_wr *bad;

	must(ibv_post_send(id->qp, &wr, &bad), "ibv_post_send");
}

static struct ibv_wc completion(void)
{
	struct ibv_wc wc;
	int n;

	do
		n = ibv_poll_cq(cq, 1, &wc);
	while (n == 0);
	if (n < 0 || wc.status != IBV_WC_SUCCESS) {
		fprintf(stderr, "seeds_peer: %s\n", n < 0 ? "poll" : ibv_wc_status_str(wc.status));
		exit(1);
	}
	return wc;
}

/* ------------------------------------------------------------- rdma-example -- */

static void example_server(char **argv)
{
	struct ibv_mr *theirs, *ours, *buffer;
	struct attr *attr;

	serve(argv[0]);
	theirs = region(sizeof *attr, IBV_ACCESS_LOCAL_WRITE);
	post_recv(theirs);
	join_peer(rdma_accept, 3, 0, 0, NULL, 0);
	completion();
	attr = theirs->addr;
	printf("The client has requested buffer length of : %u bytes\n", attr->len);
	buffer = region(attr->len, FULL);
	ours = region(sizeof *attr, IBV_ACCESS_LOCAL_WRITE);
	*(struct attr *)ours->addr = (struct attr){ (uintptr_t)buffer->addr,
						    (uint32_t)buffer->length, buffer->lkey };
	post(IBV_WR_SEND, ours, sizeof *attr, 0, true);
	completion();
	event(RDMA_CM_EVENT_DISCONNECTED); /* not answered: its id is destroyed */
	printf("the buffer holds '%.*s'\n", (int)buffer->length, (char *)buffer->addr);
}

static void example_client(char **argv)
{
	struct ibv_mr *theirs, *ours, *src, *dst;
	struct attr *attr;
	size_t len = strlen(TEXT);

	resolve(argv[0], argv[1]);
	theirs = region(sizeof *attr, IBV_ACCESS_LOCAL_WRITE);
	post_recv(theirs);
	join_peer(rdma_connect, 3, 3, 0, NULL, 0);
	src = region(len, FULL);
	memcpy(src->addr, TEXT, len);
	ours = region(sizeof *attr, IBV_ACCESS_LOCAL_WRITE);
	*(struct attr *)ours->addr = (struct attr){ (uintptr_t)src->addr, (uint32_t)len,
						    src->lkey };
	post(IBV_WR_SEND, ours, sizeof *attr, 0, true);
	completion();
	completion();
	attr = theirs->addr;
	remote_addr = attr->addr;
	remote_key = attr->key;
	dst = region(len, FULL);
	post(IBV_WR_RDMA_WRITE, src, len, 0, true);
	completion();
	post(IBV_WR_RDMA_READ, dst, len, 0, true);
	completion();
	printf("%s\n", memcmp(src->addr, dst->addr, len) ? "do not match" : "SUCCESS");
	rdma_disconnect(id);
	event(RDMA_CM_EVENT_DISCONNECTED); /* for ever, if nobody answers */
}

/* ------------------------------------------------------------ rdma-roce-lab -- */

static struct ibv_mr *share(const char *port, size_t size, const char *text, bool with_len,
			    bool notified)
{
	struct ibv_mr *window;
	struct capability c;

	serve(port);
	window = region(size, FULL);
	strcpy(window->addr, text);
	if (notified)
		post_recv(region(64, IBV_ACCESS_LOCAL_WRITE));
	c = (struct capability){ htobe64((uintptr_t)window->addr), htonl(window->rkey),
				 htobe64(size) };
	join_peer(rdma_accept, 1, 7, 7, &c, with_len ? sizeof c : 12);
	return window;
}

static uint64_t take(char **argv, uint8_t depth)
{
	struct capability c;

	resolve(argv[0], argv[1]);
	join_peer(rdma_connect, depth, 7, 7, NULL, 0);
	memcpy(&c, told, sizeof c);
	remote_addr = be64toh(c.addr);
	remote_key = ntohl(c.key);
	return be64toh(c.len);
}

/* min: disconnects after two seconds; main: waits for Enter first */
static void min_server(char **argv)
{
	struct ibv_mr *window = share(argv[0], WINDOW, "server-initial", false, false);

	sleep(2);
	printf("buf='%s'\n", (char *)window->addr);
	rdma_disconnect(id);
}

static void min_client(char **argv)
{
	struct ibv_mr *tx, *rx;

	take(argv, 1);
	tx = region(WINDOW, IBV_ACCESS_LOCAL_WRITE);
	rx = region(WINDOW, IBV_ACCESS_LOCAL_WRITE);
	strcpy(tx->addr, WROTE);
	post(IBV_WR_RDMA_WRITE, tx, sizeof WROTE, 0, true);
	completion();
	post(IBV_WR_RDMA_READ, rx, WINDOW, 0, true);
	completion();
	printf("read back: '%s'\n", (char *)rx->addr);
	rdma_disconnect(id);
}

static void imm_server(char **argv)
{
	struct ibv_mr *window = share(argv[0], WINDOW, "server-initial", false, true);
	struct ibv_wc wc = completion();

	printf("imm_data net=0x%x host=%u buf='%s'\n", wc.imm_data, ntohl(wc.imm_data),
	       (char *)window->addr);
	rdma_disconnect(id);
}

static void imm_client(char **argv)
{
	struct ibv_mr *tx;

	take(argv, 0);
	tx = region(WINDOW, IBV_ACCESS_LOCAL_WRITE);
	strcpy(tx->addr, WROTE_IMM);
	post(IBV_WR_RDMA_WRITE_WITH_IMM, tx, sizeof WROTE_IMM, 0, true);
	completion();
	printf("WRITE_WITH_IMM completed\n");
	rdma_disconnect(id);
}

static void bulk_server(char **argv)
{
	struct ibv_mr *window = share(argv[0], BULK, "", true, false);
	size_t n = 0;

	event(RDMA_CM_EVENT_DISCONNECTED);
	while (n < BULK && ((unsigned char *)window->addr)[n] == 0x5a)
		n++;
	printf("%zu bytes have come\n", n);
}

static void bulk_client(char **argv)
{
	uint64_t total = take(argv, 1), sent = 0;
	struct ibv_mr *tx = region(1 << 16, IBV_ACCESS_LOCAL_WRITE);
	unsigned batch = 0, batches = 0, inflight = 0;

	memset(tx->addr, 0x5a, tx->length);
	while (sent < total) {
		uint64_t n = total - sent < tx->length ? total - sent : tx->length;
		bool signal = ++batch == 16 || sent + n == total;

		post(IBV_WR_RDMA_WRITE, tx, n, sent, signal);
		sent += n;
		inflight++;
		if (signal) {
			batches++;
			batch = 0;
		}
		if (inflight >= 64) {
			completion();
			batches--;
			inflight -= 16;
		}
	}
	while (batches--)
		completion();
	printf("wrote %llu bytes\n", (unsigned long long)sent);
	rdma_disconnect(id);
}

static void cache_server(char **argv)
{
	struct ibv_mr *window = share(argv[0], 32 << 10, "mr-cache-server", false, false);

	event(RDMA_CM_EVENT_DISCONNECTED);
	printf("final server buffer='%.4s'\n", (char *)window->addr);
}

static void cache_client(char **argv)
{
	struct ibv_mr *tx;

	take(argv, 1);
	tx = region(32 << 10, IBV_ACCESS_LOCAL_WRITE);
	for (unsigned i = 0; i < 40; i++) {
		memset(tx->addr, 'A' + i % 26, tx->length);
		post(IBV_WR_RDMA_WRITE, tx, 4096u << i % 4, 0, true);
		completion();
	}
	printf("40 WRITEs\n");
	rdma_disconnect(id);
}

static const struct role {
	const char *name;
	int args;
	void (*play)(char **argv);
} roles[] = {
	{ "example-server", 1, example_server }, { "example-client", 2, example_client },
	{ "min-server", 1, min_server },	 { "min-client", 2, min_client },
	{ "imm-server", 1, imm_server },	 { "imm-client", 2, imm_client },
	{ "bulk-server", 1, bulk_server },	 { "bulk-client", 2, bulk_client },
	{ "cache-server", 1, cache_server },	 { "cache-client", 2, cache_client },
};

int main(int argc, char **argv)
{
	channel = rdma_create_event_channel();
	if (!channel || rdma_create_id(channel, &id, NULL, RDMA_PS_TCP))
		die("rdma_create_id");
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
		if (argc < 2 || strcmp(argv[1], roles[i].name) != 0 || argc != roles[i].args + 2)
			continue;
		roles[i].play(argv + 2);
		rdma_destroy_qp(id);
		rdma_destroy_id(id);
		return 0;
	}
	fputs("usage: seeds_peer ROLE [ADDRESS] PORT\n", stderr);
	return 2;
}
