/* SPDX-License-Identifier: MIT */
/*
 * Two QPs on a wire that drops, doubles and reorders: whatever is posted comes out right,
 * once and in order, or the QP ends in RETRY_EXC_ERR. Arguments: operations, seed.
 */
#include "rig.h"

#include "checks.h"

/* ThreadSanitizer makes it fifty times slower: 20 s, and minutes beside other tests. */
#ifdef __SANITIZE_THREAD__
#define OPERATIONS 20000
#else
#define OPERATIONS 200000
#endif
#define PLACES	 32
#define SLOT	 6144
#define READABLE 16384
#define RECVS	 48

struct op {
	enum ibv_wr_opcode opcode;
	uint32_t len, offset; /* offset: of a READ */
	bool signaled;
};

/* One end: what it sends from and what its peer writes to and reads from. */
struct end {
	struct qp *qp;
	struct end *peer;
	uint8_t from[PLACES][SLOT], into[PLACES][SLOT], window[PLACES][SLOT];
	uint8_t readable[READABLE], recvs[RECVS][SLOT];
	uint64_t words[2 + PLACES]; /* of FETCH_ADD, CMP_SWAP and each ATOMIC_WRITE */
	uint32_t from_key, into_key, window_key, readable_key, recvs_key, words_key;

	struct op ops[PLACES]; /* from done to posted */
	uint64_t posted, done;
	uint64_t written[PLACES]; /* the operation whose data is in the peer's window, + 1 */
	uint64_t seen[2];	  /* atomics that came back */

	struct {
		uint64_t id;
		uint32_t len;
		bool imm;
	} expected[PLACES * 2]; /* by the receives of this end */
	uint64_t sent, received, recvs_posted, recvs_done;
};

static struct end ends[2];
static uint64_t total, failures;
static struct rig_options options;

/* The data of the operation. */
static uint8_t content(const struct end *e, uint64_t id, uint32_t i)
{
	return (uint8_t)(id * 131 + i * 7 + (i >> 8) + (e == &ends[1] ? 85 : 0));
}

static void write_content(const struct end *e, uint64_t id, uint8_t *p, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		p[i] = content(e, id, i);
}

static void check_content(const struct end *e, uint64_t id, const uint8_t *p, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++) {
		if (p[i] != content(e, id, i)) {
			fprintf(stderr, "operation %" PRIu64 " of %td: byte %u of %u\n", id,
				e - ends, i, len);
			exit(1);
		}
	}
}

/* -------------------------------------------------------------------- posting -- */

static uint32_t any_size(void)
{
	switch (rig_random() % 8) {
	case 0:
		return 0;
	case 1:
		return options.mtu * (rig_random() % 4);
	case 2:
		return rig_random() % SLOT;
	default:
		return rig_random() % (2 * options.mtu);
	}
}

static void post(struct end *e)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND,	     IBV_WR_SEND_WITH_IMM,	  IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE,   IBV_WR_RDMA_WRITE_WITH_IMM,  IBV_WR_RDMA_READ,
		IBV_WR_RDMA_READ,    IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_ATOMIC_CMP_AND_SWP,
		IBV_WR_ATOMIC_WRITE,
	};
	uint64_t id = e->posted;
	unsigned s = id % PLACES;
	struct op *op = &e->ops[s];
	struct rig_wr wr = { .wr_id = id, .nsge = 1 };
	struct end *p = e->peer;
	uint8_t *local = e->from[s];
	uint32_t key = e->from_key;

	op->opcode = wr.opcode = opcodes[rig_random() % (sizeof(opcodes) / sizeof(opcodes[0]))];
	op->len = any_size();
	op->signaled = rig_random() % 3 == 0 || id % PLACES == PLACES - 1;
	wr.unsignaled = !op->signaled;
	wr.flags = rig_random() % 8 ? 0 : IBV_SEND_FENCE;
	wr.imm = (__be32)id;
	switch (wr.opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		if (e->written[s]) /* nothing has touched it since it was there */
			check_content(e, e->written[s] - 1, p->window[s], 64);
		wr.remote = (uintptr_t)p->window[s];
		wr.rkey = p->window_key;
		e->written[s] = op->len >= 64 ? id + 1 : 0;
		break;
	case IBV_WR_RDMA_READ:
		op->offset = rig_random() % (READABLE - SLOT);
		wr.remote = (uintptr_t)p->readable + op->offset;
		wr.rkey = p->readable_key;
		local = e->into[s];
		key = e->into_key;
		memset(local, 0, op->len);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		op->len = 8;
		local = e->into[s];
		key = e->into_key;
		wr.rkey = p->words_key;
		break;
	case IBV_WR_ATOMIC_WRITE:
		op->len = 8;
		CHECK_INT(p->words[2 + s], 0); /* no duplicate has written it again */
		wr.remote = (uintptr_t)&p->words[2 + s];
		wr.rkey = p->words_key;
		break;
	default:
		break;
	}
	if (wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.remote = (uintptr_t)&p->words[0];
		wr.compare_add = 1;
	} else if (wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.remote = (uintptr_t)&p->words[1];
		wr.compare_add = e->seen[1];
		for (uint64_t i = e->done; i != id; i++)
			wr.compare_add += e->ops[i % PLACES].opcode == wr.opcode;
		wr.swap = wr.compare_add + 1;
	}
	if (wr.opcode == IBV_WR_SEND || wr.opcode == IBV_WR_SEND_WITH_IMM ||
	    wr.opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
		unsigned i = p->sent++ % (PLACES * 2);

		p->expected[i].id = id;
		p->expected[i].len = op->len;
		p->expected[i].imm = wr.opcode != IBV_WR_SEND;
	}
	if (local == e->from[s])
		write_content(e, id, local, op->len);
	wr.sge[0] = (struct ibv_sge){ (uintptr_t)local, op->len, key };
	e->posted++;
	rig_post(e->qp, &wr);
}

static void post_receive(struct end *e)
{
	unsigned s = e->recvs_posted % RECVS;

	rig_recv(e->qp, e->recvs_posted++, e->recvs[s], SLOT, e->recvs_key);
}

/* ---------------------------------------------------------------- completions -- */

static void verify(struct end *e, uint64_t id)
{
	unsigned s = id % PLACES;
	const struct op *op = &e->ops[s];
	uint64_t word;

	switch (op->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		check_content(e, id, e->peer->window[s], op->len);
		break;
	case IBV_WR_RDMA_READ:
		CHECK(memcmp(e->into[s], e->peer->readable + op->offset, op->len) == 0);
		break;
	case IBV_WR_ATOMIC_WRITE:
		CHECK(memcmp(e->from[s], &e->peer->words[2 + s], sizeof(word)) == 0);
		e->peer->words[2 + s] = 0;
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		memcpy(&word, e->into[s], sizeof(word));
		CHECK_INT(word, e->seen[op->opcode == IBV_WR_ATOMIC_CMP_AND_SWP]++);
		break;
	default:
		break;
	}
	total++;
}

static void take_sends(struct end *e)
{
	struct ibv_wc wc;

	while (rig_poll(e->qp->send_cq, &wc)) {
		CHECK(wc.wr_id >= e->done && wc.wr_id < e->posted);
		if (wc.status == IBV_WC_SUCCESS) {
			CHECK(e->ops[wc.wr_id % PLACES].signaled);
			while (e->done < wc.wr_id) {
				CHECK(!e->ops[e->done % PLACES].signaled);
				verify(e, e->done++);
			}
			verify(e, e->done++);
			continue;
		}
		/* the oldest that has not ended; those before it had no signal */
		CHECK_INT(wc.status, IBV_WC_RETRY_EXC_ERR);
		CHECK_INT(qp_state(e->qp), IBV_QPS_ERR);
		while (e->done < wc.wr_id) {
			CHECK(!e->ops[e->done % PLACES].signaled);
			verify(e, e->done++);
		}
		for (uint64_t id = wc.wr_id + 1; id < e->posted; id++) {
			CHECK(rig_poll(e->qp->send_cq, &wc));
			CHECK_INT(wc.status, IBV_WC_WR_FLUSH_ERR);
			CHECK_INT(wc.wr_id, id);
		}
		CHECK(!rig_poll(e->qp->send_cq, &wc));
	}
}

static void take_recvs(struct end *e)
{
	struct ibv_wc wc;

	while (rig_poll(e->qp->recv_cq, &wc)) {
		unsigned i = e->received % (PLACES * 2);

		CHECK_INT(wc.wr_id, e->recvs_done++);
		if (wc.status == IBV_WC_WR_FLUSH_ERR) {
			CHECK_INT(qp_state(e->qp), IBV_QPS_ERR);
			continue;
		}
		CHECK_INT(wc.status, IBV_WC_SUCCESS);
		CHECK(e->received++ < e->sent);
		CHECK_INT(wc.byte_len, e->expected[i].len);
		CHECK_INT(!!(wc.wc_flags & IBV_WC_WITH_IMM), e->expected[i].imm);
		if (e->expected[i].imm)
			CHECK_INT(wc.imm_data, (__be32)e->expected[i].id);
		if (wc.opcode == IBV_WC_RECV)
			check_content(e->peer, e->expected[i].id, e->recvs[wc.wr_id % RECVS],
				      wc.byte_len);
	}
}

/* ---------------------------------------------------------------------- ends -- */

static void open_end(struct end *e)
{
	const unsigned rw = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	e->peer = &ends[e == &ends[0]];
	for (unsigned i = 0; i < READABLE; i++)
		e->readable[i] = (uint8_t)rig_random();
	e->from_key = rig_reg(rig_pd, e->from, sizeof(e->from), 0);
	e->into_key = rig_reg(rig_pd, e->into, sizeof(e->into), IBV_ACCESS_LOCAL_WRITE);
	e->window_key = rig_reg(rig_pd, e->window, sizeof(e->window), rw);
	e->readable_key = rig_reg(rig_pd, e->readable, sizeof(e->readable), IBV_ACCESS_REMOTE_READ);
	e->recvs_key = rig_reg(rig_pd, e->recvs, sizeof(e->recvs), IBV_ACCESS_LOCAL_WRITE);
	e->words_key = rig_reg(rig_pd, e->words, sizeof(e->words), rw | IBV_ACCESS_REMOTE_ATOMIC);
}

static void connect_ends(void)
{
	for (unsigned i = 0; i < 2; i++) {
		struct end *e = &ends[i];

		e->done = e->posted;
		memset(e->written, 0, sizeof(e->written));
		e->sent = e->received = e->recvs_posted = e->recvs_done = 0;
	}
	options.psn = rig_random() & PSN_MASK;
	rig_connect(ends[0].qp, ends[1].qp, &options);
}

/* A QP has failed: what was under way may or may not have been carried out. */
static void again(void)
{
	failures++;
	rig_run(200000000); /* the other end notices when it waits for something */
	for (unsigned i = 0; i < 2; i++) {
		struct end *e = &ends[i];
		uint64_t under_way = e->posted - e->done;

		take_sends(e);
		take_recvs(e);
		for (unsigned k = 0; k < 2; k++) {
			CHECK(e->peer->words[k] >= e->seen[k]);
			CHECK(e->peer->words[k] <= e->seen[k] + under_way);
			e->seen[k] = e->peer->words[k];
		}
		memset(e->peer->words + 2, 0, PLACES * sizeof(e->peer->words[0]));
	}
	rig_clear();
	for (unsigned i = 0; i < 2; i++) {
		rig_state(ends[i].qp, IBV_QPS_RESET);
		rig_state(ends[i].qp, IBV_QPS_INIT);
	}
	connect_ends();
}

static void step(struct end *e)
{
	if (rig_random() % 4 == 0) /* now and then, too late */
		for (unsigned n = rig_random() % 16; n; n--)
			if (e->recvs_posted - e->recvs_done < RECVS)
				post_receive(e);
	for (unsigned n = rig_random() % 8; n && e->posted - e->done < PLACES; n--)
		post(e);
}

static void check_wire(const char *name, uint64_t n, const struct rig_options *o, double drop,
		       double dup, double reorder)
{
	uint64_t until = total + n, last = total, failed = failures;
	unsigned idle = 0;

	options = *o;
	rig_clear();
	rig_wire.drop = drop;
	rig_wire.dup = dup;
	rig_wire.reorder = reorder;
	for (unsigned i = 0; i < 2; i++) {
		ends[i].qp = rig_qp(&options);
		memset(ends[i].words, 0, sizeof(ends[i].words));
		ends[!i].seen[0] = ends[!i].seen[1] = 0;
	}
	connect_ends();
	while (total < until) {
		for (unsigned i = 0; i < 2; i++)
			if (qp_state(ends[i].qp) == IBV_QPS_RTS)
				step(&ends[i]);
		rig_run(1 + rig_random() % 200000);
		for (unsigned i = 0; i < 2; i++) {
			take_recvs(&ends[i]);
			take_sends(&ends[i]);
		}
		CHECK_INT(rig_event().type, -1);
		if (qp_state(ends[0].qp) != IBV_QPS_RTS || qp_state(ends[1].qp) != IBV_QPS_RTS)
			again();
		idle = total == last ? idle + 1 : 0;
		last = total;
		CHECK(idle < 100000); /* nothing stands still */
	}
	for (unsigned i = 0; i < 2; i++)
		rig_free(ends[i].qp);
	printf("%s: %" PRIu64 " operations, %" PRIu64 " failed connections, %" PRIu64
	       " retries, %" PRIu64 " duplicates, %" PRIu64 " RNR NAKs\n",
	       name, n, failures - failed, counters[CNT_COMPLETER_RETRY_ERR],
	       counters[CNT_DUP_REQUEST], counters[CNT_SEND_RNR]);
	memset(counters, 0, sizeof(counters));
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : OPERATIONS;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct rig_options o = rig_defaults;

	rig_seed(seed);
	open_end(&ends[0]);
	open_end(&ends[1]);
	check_wire("a good wire", n / 6, &o, 0, 0, 0);
	CHECK_INT(failures, 0);
	check_wire("a bad wire", n / 3, &o, 0.06, 0.02, 0.05);
	o.rd_atomic = 1;
	o.mtu = 1024;
	check_wire("one READ at a time", n / 6, &o, 0.06, 0.02, 0.05);
	CHECK_INT(failures, 0);
	o.rd_atomic = 16;
	check_wire("out of order", n / 6, &o, 0, 0.2, 0.5);
	CHECK_INT(failures, 0);
	o.rd_atomic = 2;
	o.mtu = 512;
	check_wire("a very bad wire", n / 6, &o, 0.2, 0.05, 0.1);
	o.retry_cnt = 1;
	check_wire("little patience", n / 12, &o, 0.2, 0.05, 0.1);
	CHECK(failures > 0);
	return checks_end();
}
