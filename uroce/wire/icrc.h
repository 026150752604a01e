/* SPDX-License-Identifier: MIT */
/*
 * The invariant CRC of RoCEv2 packets: annex A17.3.3.
 *
 * It covers the IP and UDP headers too, with the fields that routers change set to ones.
 * The identification of an IPv4 header is not among those and a UDP socket does not show
 * it: the check is made modulo that field, which the linearity of the CRC allows.
 */
#ifndef UROCE_WIRE_ICRC_H
#define UROCE_WIRE_ICRC_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ICRC of the UDP payload data[0..n) (headers, payload and pad, no ICRC; at least a BTH)
 * as a number: on the wire its least significant byte is the first. ip_id: of IPv4, what
 * the sender's kernel will write (0 for a packet of an unconnected socket with DF set). */
uint32_t icrc_of(const union ibv_gid *src, const union ibv_gid *dst, uint16_t sport, uint16_t dport,
		 const uint8_t *data, size_t n, uint16_t ip_id);

/* Is the ICRC at the end of data[0..n) right, for some identification and with or without
 * DF? ip_id (may be NULL): which identification it was, 0 for IPv6. */
bool icrc_valid(const union ibv_gid *src, const union ibv_gid *dst, uint16_t sport, uint16_t dport,
		const uint8_t *data, size_t n, uint16_t *ip_id);

/* What the packet would look like in a capture: writes the IP header (20 or 40 bytes) and
 * the UDP header of a payload of n bytes to buf (48 bytes); returns the length. */
size_t icrc_ip_udp(uint8_t *buf, const union ibv_gid *src, const union ibv_gid *dst, uint16_t sport,
		   uint16_t dport, size_t n, uint16_t ip_id, uint8_t tclass, uint8_t hops);

#endif
