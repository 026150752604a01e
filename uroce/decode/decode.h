/* SPDX-License-Identifier: MIT */
/*
 * RoCEv2 packets for people: from the IP header to the ICRC, field by field. The names of the
 * fields are those of Wireshark's dissector, without its "infiniband.". Reads with the device's
 * own parsers (wire/packet.h, cm/mad.h); knows no device.
 */
#ifndef UROCE_DECODE_H
#define UROCE_DECODE_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mad.h"
#include "packet.h"

struct decoded {
	struct packet p;       /* its addresses too; p.op NULL: malformed */
	const char *malformed; /* what is wrong with it, or NULL */
	const uint8_t *data;   /* the UDP payload, n bytes */
	size_t n;
	uint16_t dport;
	bool is_cm; /* of the connection manager: mad */
	struct mad mad;
	bool has_ip; /* a request with the IP header of annex A11 */
	struct mad_ip ip;
};

struct decode_field {
	const char *name;
	enum decode_kind kind;
	uint64_t value;
	const uint8_t *bytes; /* of DECODE_BYTES and DECODE_GID */
	size_t len;
};
typedef void decode_fn(void *arg, const struct decode_field *f);

/* Reads n bytes that begin with an IP header, of version 4 or 6. -1: no UDP packet to port 4791.
 * Else 0: what could not be read of it is in d->malformed. d points into ip. */
int decode_ip(struct decoded *d, const uint8_t *ip, size_t n);
/* All fields of the transport headers and of the MAD, in the order of the wire. */
void decode_fields(const struct decoded *d, decode_fn *fn, void *arg);
/* One line about it, without addresses and newline, into text (size bytes at most). */
void decode_text(const struct decoded *d, char *text, size_t size);
/* "10.0.0.1": an IPv4 address as such. Returns text. */
const char *decode_gid(const union ibv_gid *gid, char text[INET6_ADDRSTRLEN]);
#define DECODE_ENDS (2 * INET6_ADDRSTRLEN + 4)
/* The addresses of a packet, "10.0.0.1 > 10.0.0.2". Returns text. */
const char *decode_ends(const struct decoded *d, char text[DECODE_ENDS]);
/* "NAK: remote access error": what the syndrome of an AETH says. */
void decode_syndrome(uint8_t syndrome, char *text, size_t size);

#endif
