// SPDX-License-Identifier: MIT
/* MADs against those that kernel rdma_rxe has sent. */
#include "mad.h"

#include "bytes.h"
#include "read_capture.h"
#include "checks.h"

#define GRH_TO_MAD (BTH_BYTES + 8)

static bool next_mad(struct mad *m, struct captured *c, const uint8_t **buf)
{
	while (capture_next(c)) {
		if (c->len < GRH_TO_MAD + MAD_BYTES || get_be24(c->data + 5) != GSI_QPN)
			continue;
		*buf = c->data + GRH_TO_MAD;
		CHECK_INT(mad_parse(m, *buf, MAD_BYTES), 0);
		return true;
	}
	return false;
}

/* A MAD that is built from a parsed one is the same: no bit of it is lost. */
static void check_rebuilt(const struct mad *m, const uint8_t *buf)
{
	uint8_t again[MAD_BYTES];

	mad_build(again, m);
	for (unsigned i = 0; i < MAD_BYTES; i++)
		if (again[i] != buf[i])
			fprintf(stderr, "%s: byte %u is %02x, not %02x\n", mad_name(m->attr), i,
				again[i], buf[i]);
	CHECK(memcmp(again, buf, MAD_BYTES) == 0);
}

static unsigned check_file(const char *dir, const char *name)
{
	const uint8_t *buf;
	struct captured c;
	struct mad m;
	unsigned n = 0;

	capture_open(dir, name);
	for (; next_mad(&m, &c, &buf); n++) {
		check_rebuilt(&m, buf);
		if (m.attr == MAD_REQ) {
			CHECK(memcmp(&m.req.sgid, &c.src, 16) == 0);
			CHECK(memcmp(&m.req.dgid, &c.dst, 16) == 0);
		}
		if (m.attr == MAD_REQ || m.attr == MAD_SIDR_REQ) {
			uint8_t head[MAD_IP_BYTES];
			struct mad_ip ip;

			CHECK_INT(mad_ip_parse(&ip, m.data), 0);
			CHECK(memcmp(&ip.src, &c.src, 16) == 0);
			CHECK(memcmp(&ip.dst, &c.dst, 16) == 0);
			mad_ip_build(head, &ip);
			CHECK(memcmp(head, m.data, sizeof(head)) == 0);
		}
	}
	return n;
}

/* The first connection of rxe-gold.pcap, field by field. */
static void check_fields(const char *dir)
{
	const uint8_t *buf;
	struct captured c;
	struct mad m;

	capture_open(dir, "rxe-gold.pcap");
	CHECK(next_mad(&m, &c, &buf));
	CHECK_STR(mad_name(m.attr), "REQ");
	CHECK_INT(m.tid, 0x00000002283516dfull);
	CHECK_INT(m.local_id, 0xdf163528);
	CHECK_INT(m.req.service, service_id(0x0106, 0x1c06));
	CHECK_INT(m.req.guid, 0x505400fffe000002ull);
	CHECK_INT(m.req.qpn, 0x11);
	CHECK_INT(m.req.psn, 0x1aa8b7);
	CHECK_INT(m.req.responder_resources, 1);
	CHECK_INT(m.req.initiator_depth, 1);
	CHECK_INT(m.req.remote_timeout, 20);
	CHECK_INT(m.req.local_timeout, 20);
	CHECK_INT(m.req.transport, MAD_RC);
	CHECK_INT(m.req.retry_count, 7);
	CHECK_INT(m.req.rnr_retry_count, 7);
	CHECK_INT(m.req.max_retries, 15);
	CHECK_INT(m.req.mtu, IBV_MTU_1024);
	CHECK_INT(m.req.pkey, 0xffff);
	CHECK_INT(m.req.slid, 0xffff);
	CHECK_INT(m.req.flow_label, 0x4279d); /* bytes 42 79 d0: tshark 4.0 is a byte off here */
	CHECK_INT(m.req.rate, 0);
	CHECK_INT(m.req.hops, 64);
	CHECK_INT(m.req.ack_timeout, 19);
	CHECK(next_mad(&m, &c, &buf));
	CHECK_STR(mad_name(m.attr), "REP");
	CHECK_INT(m.remote_id, 0xdf163528);
	CHECK_INT(m.rep.qpn, 0x12);
	CHECK_INT(m.rep.psn, 0x6d1336);
	CHECK_INT(m.rep.ack_delay, 15);
	CHECK_INT(m.rep.rnr_retry_count, 7);
	CHECK_INT(m.rep.srq, 0);
	CHECK_INT(m.rep.guid, 0x505400fffe000001ull);
	CHECK(next_mad(&m, &c, &buf));
	CHECK_STR(mad_name(m.attr), "RTU");
	CHECK(next_mad(&m, &c, &buf));
	CHECK_STR(mad_name(m.attr), "DREQ");
	CHECK_INT(m.dreq.remote_qpn, 0x11);
	CHECK(next_mad(&m, &c, &buf));
	CHECK_STR(mad_name(m.attr), "DREP");
	CHECK(next_mad(&m, &c, &buf));
	CHECK_STR(mad_name(m.attr), "SIDR_REQ");
	CHECK_INT(m.sidr_req.pkey, 0xffff);
	CHECK(next_mad(&m, &c, &buf));
	CHECK_STR(mad_name(m.attr), "SIDR_REP");
	CHECK_INT(m.sidr_rep.status, SIDR_UNSUPPORTED);
	CHECK_INT(m.sidr_rep.service, service_id(0x0111, 0x1c06));
	CHECK(next_mad(&m, &c, &buf) && next_mad(&m, &c, &buf));
	CHECK(next_mad(&m, &c, &buf) && next_mad(&m, &c, &buf));
	CHECK_STR(mad_name(m.attr), "REJ");
	CHECK_INT(m.rej.reason, REJ_SERVICE);
	CHECK_INT(m.rej.about, ABOUT_REQ);
	CHECK_INT(m.local_id, 0);
}

/* Each bit of a body lands in one field at most, and comes back where it was. */
static void check_bits(void)
{
	uint8_t buf[MAD_BYTES], again[MAD_BYTES];
	struct mad m;

	for (unsigned attr = MAD_REQ; attr < MAD_END; attr++) {
		unsigned kept = 0;

		for (unsigned bit = 24 * 8; bit < MAD_BYTES * 8; bit++) {
			m = (struct mad){ .attr = attr };
			mad_build(buf, &m);
			buf[bit / 8] = (uint8_t)(0x80 >> bit % 8);
			CHECK_INT(mad_parse(&m, buf, MAD_BYTES), 0);
			mad_build(again, &m);
			if (memcmp(buf, again, MAD_BYTES) == 0)
				kept++;
			else
				CHECK_INT(again[bit / 8], 0);
		}
		CHECK(kept >= mad_private_len(attr) * 8 + 32);
	}
}

static void check_refused(void)
{
	uint8_t buf[MAD_BYTES + 4];
	struct mad m = { .attr = MAD_RTU };
	struct mad_ip ip;

	mad_build(buf, &m);
	CHECK_INT(mad_parse(&m, buf, MAD_BYTES), 0);
	CHECK_INT(mad_parse(&m, buf, MAD_BYTES - 1), -1);
	CHECK_INT(mad_parse(&m, buf, MAD_BYTES + 4), -1);
	CHECK_INT(mad_parse(&m, buf, 0), -1);
	for (unsigned i = 0; i < 4; i++) {
		buf[i] ^= 1;
		CHECK_INT(mad_parse(&m, buf, MAD_BYTES), -1);
		buf[i] ^= 1;
	}
	buf[17] = 0x0f;
	CHECK_INT(mad_parse(&m, buf, MAD_BYTES), -1);
	buf[17] = MAD_END;
	CHECK_INT(mad_parse(&m, buf, MAD_BYTES), -1);
	buf[16] = 1;
	buf[17] = MAD_RTU;
	CHECK_INT(mad_parse(&m, buf, MAD_BYTES), -1);

	memset(buf, 0, sizeof(buf));
	CHECK_INT(mad_ip_parse(&ip, buf), -1); /* neither IPv4 nor IPv6 */
	buf[1] = 0x60;
	CHECK_INT(mad_ip_parse(&ip, buf), 0);
	buf[0] = 0x10; /* another version */
	CHECK_INT(mad_ip_parse(&ip, buf), -1);
	buf[0] = 0;
	memset(buf + 4 + 10, 0xff, 2); /* an IPv4 address that says it is IPv6 */
	CHECK_INT(mad_ip_parse(&ip, buf), -1);
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : "data";

	CHECK_INT(check_file(dir, "rxe-gold.pcap"), 13);
	CHECK_INT(check_file(dir, "lab-v6.pcap"), 5);
	CHECK_INT(check_file(dir, "uroce-rxe.pcap"), 20);
	check_fields(dir);
	check_bits();
	check_refused();
	return checks_end();
}
