/* SPDX-License-Identifier: MIT */
/*
 * libpcap, loaded when a packet is first asked for: rdmash is not linked to it. Debian's libpcap
 * brings libdbus and libsystemd, which would be a third of the time that rdmash takes to start.
 */
#ifndef CMDS_LIBPCAP_H
#define CMDS_LIBPCAP_H

#include <pcap/pcap.h>

struct session;

#define LIBPCAP_FUNCTIONS(X)                   \
	X(activate)                            \
	X(close)                               \
	X(compile)                             \
	X(create)                              \
	X(datalink)                            \
	X(fopen_offline_with_tstamp_precision) \
	X(freecode)                            \
	X(get_selectable_fd)                   \
	X(geterr)                              \
	X(next_ex)                             \
	X(set_buffer_size)                     \
	X(set_immediate_mode)                  \
	X(set_snaplen)                         \
	X(set_tstamp_precision)                \
	X(setfilter)                           \
	X(setnonblock)                         \
	X(stats)                               \
	X(statustostr)

/* Its functions by their names without "pcap_"; valid after libpcap_load(). */
extern struct libpcap {
#define X(name) __typeof__(pcap_##name) *name;
	LIBPCAP_FUNCTIONS(X)
#undef X
} libpcap;

/* Loads the library unless it is loaded. -1 with s->fail filled when it cannot be had; call is the
 * command that needs it. */
int libpcap_load(struct session *s, const char *call);

#endif
