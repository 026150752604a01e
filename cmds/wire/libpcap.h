/* SPDX-License-Identifier: MIT */
/*
 * libpcap, loaded when a packet is first asked for: rdmash is not linked to it. Debian's libpcap
 * brings libdbus and libsystemd, which would be a third of the time that rdmash takes to start.
 */
#ifndef CMDS_LIBPCAP_H
#define CMDS_LIBPCAP_H

#include <pcap/pcap.h>

#include "wire/packet_source.h"

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

/* How to give a program the right without file capabilities, with which the loader would not
 * preload liburoce.so. */
#define LIVE_RIGHTS                                                                   \
	"sudo setpriv --reuid $USER --regid $USER --init-groups --inh-caps +net_raw " \
	"--ambient-caps +net_raw rdmash"

struct live;

/* On the interface of the device's recommended GID. NULL with s->fail filled, naming call. */
struct live *live_open(struct session *s, const char *call, const struct dev *dev);
/* Readable when packets are there. */
int live_fd(const struct live *l);
/* Hands over what is there; how many the kernel has lost since the last time. */
unsigned live_drain(struct live *l, packet_source_fn *fn, void *arg);
void live_close(struct live *l);

#endif
