/* SPDX-License-Identifier: MIT */
/*
 * The messages of the connection manager as MADs. InfiniBand specification volume 1, 12.6
 * (messages), 12.7 (fields), 13.4.2 (MAD header), 16.7 (attributes of class 7); annex A11
 * (the IP header in private data).
 *
 * mad.c knows bytes only. Everything is in host byte order but GIDs and private data.
 */
#ifndef UROCE_MAD_H
#define UROCE_MAD_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "group.h"
#include "link.h"

#define MAD_PRIVATE_MAX 224
#define MAD_ARI_BYTES	72 /* additional information of a REJ or SIDR_REP */
#define MAD_IP_BYTES	36 /* annex A11.4: the beginning of the private data of a request */

enum mad_attr {
	MAD_REQ = 0x10,
	MAD_MRA,
	MAD_REJ,
	MAD_REP,
	MAD_RTU,
	MAD_DREQ,
	MAD_DREP,
	MAD_SIDR_REQ,
	MAD_SIDR_REP,
	MAD_END,
};

/* 12.6.7.2: why a REJ was sent. */
enum rej_reason {
	REJ_NO_RESOURCES = 3,
	REJ_TIMEOUT = 4,
	REJ_UNSUPPORTED = 5,
	REJ_COMM_ID = 6,
	REJ_SERVICE = 8,
	REJ_TRANSPORT = 9,
	REJ_STALE = 10,
	REJ_GID = 12,
	REJ_MTU = 26,
	REJ_CONSUMER = 28,
	REJ_ECE = 35,
};

/* The message that a REJ or an MRA answers. */
enum mad_about { ABOUT_REQ, ABOUT_REP, ABOUT_OTHER };

/* 12.7.12 */
enum mad_transport { MAD_RC, MAD_UC, MAD_RD, MAD_EXTENDED };

enum sidr_status { SIDR_OK, SIDR_UNSUPPORTED, SIDR_REJECT, SIDR_NO_QP };

struct mad_req {
	uint64_t service, guid;
	uint32_t qkey, qpn, psn;
	uint8_t responder_resources, initiator_depth;
	uint8_t remote_timeout, local_timeout; /* of responses: 4.096 us * 2^n */
	uint8_t transport, flow_control, retry_count, rnr_retry_count;
	uint8_t max_retries; /* of CM messages */
	uint8_t mtu, rdc, srq, extended;
	uint16_t pkey, slid, dlid;
	union ibv_gid sgid, dgid; /* of the sender: its own is sgid */
	uint32_t flow_label;
	uint8_t rate, tclass, hops, sl, subnet_local, ack_timeout;
};

struct mad_rep {
	uint64_t guid;
	uint32_t qkey, qpn, psn;
	uint8_t responder_resources, initiator_depth;
	uint8_t ack_delay, failover, flow_control, rnr_retry_count, srq;
};

struct mad_mra {
	uint8_t about, timeout; /* 4.096 us * 2^n */
};

struct mad_rej {
	uint8_t about, info_len;
	uint16_t reason;
	uint8_t info[MAD_ARI_BYTES];
};

struct mad_dreq {
	uint32_t remote_qpn; /* of who receives it */
};

struct mad_sidr_req {
	uint16_t pkey;
	uint64_t service;
};

struct mad_sidr_rep {
	uint8_t status, info_len;
	uint32_t qpn, qkey;
	uint64_t service;
	uint8_t info[MAD_ARI_BYTES];
};

struct mad {
	enum mad_attr attr;
	uint64_t tid;
	uint32_t local_id;  /* the sender's; the request id of SIDR_REQ */
	uint32_t remote_id; /* the receiver's, 0 of a REQ; the request id of SIDR_REP */
	union {
		struct mad_req req;
		struct mad_rep rep;
		struct mad_mra mra;
		struct mad_rej rej;
		struct mad_dreq dreq;
		struct mad_sidr_req sidr_req;
		struct mad_sidr_rep sidr_rep;
	};
	uint8_t data[MAD_PRIVATE_MAX]; /* mad_private_len() bytes of it are private data */
};

/* Reads a message of n bytes. -1: n is not MAD_BYTES, or it is none of the messages above. Values
 * are only as checked as the width of their fields makes them. */
int mad_parse(struct mad *m, const uint8_t *buf, size_t n);
/* Writes all MAD_BYTES. */
void mad_build(uint8_t *buf, const struct mad *m);

/* A field of a message, and how people read it: decode/decode.h. */
enum decode_kind {
	DECODE_NUMBER,
	DECODE_HEX,   /* a number that people read in hexadecimal digits */
	DECODE_BYTES, /* as they are */
	DECODE_GID,   /* an address of 16 bytes, IPv4 ones mapped */
};

struct mad_field {
	const char *name; /* Wireshark's, without its "infiniband."; NULL: it is not shown */
	enum decode_kind kind;
	uint16_t bit;	   /* from the end of the header, the most significant first */
	uint16_t width;	   /* bits; more than 64: whole bytes that are copied */
	uint16_t at, size; /* in struct mad */
};

struct mad_format {
	const char *name;	  /* "REQ" ... */
	const char *private_name; /* Wireshark's, of the private data */
	const struct mad_field *fields;
	unsigned nfields;
	unsigned private_at, private_len;
};

/* NULL: none of the messages above. */
const struct mad_format *mad_format(unsigned attr);
/* How much private data a message has, used or not: 12.6. */
unsigned mad_private_len(enum mad_attr attr);
/* data may be NULL when len is 0. */
static inline void mad_set_data(struct mad *m, const void *data, size_t len)
{
	if (len)
		memcpy(m->data, data, len);
}
/* "REQ" ... */
const char *mad_name(enum mad_attr attr);

/* The IP header in the private data of REQ and SIDR_REQ. */
struct mad_ip {
	uint16_t sport;
	union ibv_gid src, dst; /* IPv4 mapped */
};

/* -1: another version, or an address of another family than it says. */
int mad_ip_parse(struct mad_ip *ip, const uint8_t *buf);
void mad_ip_build(uint8_t *buf, const struct mad_ip *ip);

/* Service ids of IP addresses: annex A11.2. */
static inline uint64_t service_id(uint16_t space, uint16_t port)
{
	return (uint64_t)space << 16 | port;
}

/* ------------------------------------------------ the connection manager -- */

/*
 * MADs on QP 1. InfiniBand specification volume 1, chapter 12;
 * annexes A11 (IP addressing of the CM), A16 and A17 (RoCE).
 */

/* A MAD for this process: from its own socket, or handed on by another process. */
void cm_input(const struct mad_from *from, const uint8_t *mad, size_t n);
/* A MAD from the socket that all processes share: handles it, or hands it on to the process that it
 * is for. If that process is gone, answers in its place. */
void cm_route(const struct mad_from *from, const uint8_t *mad, size_t n);
/* After fork(). */
void cm_forget(void);

#endif
