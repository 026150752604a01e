/* SPDX-License-Identifier: MIT */
/*
 * libpcap, loaded when it is first needed: rdmash is not linked to it, because Debian's libpcap
 * loads libdbus and libsystemd, a third of rdmash's start-up time.
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

/* Loads the library unless it is loaded. -1 with s->fail filled if it is not available; call is the
 * command that needs it. */
int libpcap_load(struct session *s, const char *call);

/* Gives the capability to a program without file capabilities, with which the loader would not
 * preload liburoce.so. */
#define LIVE_RIGHTS                                                                   \
	"sudo setpriv --reuid $USER --regid $USER --init-groups --inh-caps +net_raw " \
	"--ambient-caps +net_raw rdmash"

struct live;

/* Captures on the interface of the device's recommended GID. NULL with s->fail filled, naming call.
 */
struct live *live_open(struct session *s, const char *call, const struct dev *dev);
/* A descriptor that is readable when there are packets. */
int live_fd(const struct live *l);
/* Passes the waiting packets to fn. Returns how many the kernel dropped since the last call. */
unsigned live_drain(struct live *l, packet_source_fn *fn, void *arg);
void live_close(struct live *l);

#endif
