/* SPDX-License-Identifier: MIT */
/* Packets on the wire: live packets, decoded packets, and libpcap, which captures and reads them.
 */
#ifndef CMDS_WIRE_H
#define CMDS_WIRE_H

#include <infiniband/verbs.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode.h"
#include "uroce.h"

struct session;

/* Shows the packets so far, so that they come before the result of the command that caused them. */
void wire_drain(struct session *s);
/* The session ends: end 'wire on' and 'capture start'. */
void wire_end(struct session *s);
void capture_end(struct session *s);

/*
 * Live packets: from the tap of the embedded device, or, for other devices, captured on their
 * network interface by libpcap. The event loop passes them on.
 */

struct dev;
struct packet_source;

/* p is valid during the call only. */
typedef void packet_source_fn(void *arg, const struct uroce_packet *p);

/* Starts to pass packets to fn with arg. dev: the device whose interface is captured; not used if
 * the embedded device is. NULL with s->fail filled, which names call. */
struct packet_source *packet_source_open(struct session *s, const char *call, const struct dev *dev,
					 packet_source_fn *fn, void *arg);
/* Passes on the queued packets. Returns how many were dropped since the last call because they came
 * too fast. */
unsigned packet_source_drain(struct packet_source *p);
/* Pauses (on) or resumes the tap, so that the embedded device runs at full speed meanwhile. Packets
 * of other devices are captured all the time. */
void packet_source_pause(struct packet_source *p, bool on);
void packet_source_close(struct packet_source *p);

struct out;

/* The IP packet in a captured frame; *n is the length of the frame, and on return that of the IP
 * packet. NULL: not IP, or an unknown link type (pcap_datalink(3)). */
const uint8_t *packet_ip(int datalink, const uint8_t *frame, size_t *n);

/*
 * libpcap is loaded when it is first needed. rdmash is not linked to it, because Debian's libpcap
 * loads libdbus and libsystemd, which would take a third of rdmash's start-up time.
 */

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

/* Its functions, by their names without "pcap_". Valid after libpcap_load(). */
extern struct libpcap {
#define X(name) __typeof__(pcap_##name) *name;
	LIBPCAP_FUNCTIONS(X)
#undef X
} libpcap;

/* Loads the library unless it is loaded. -1 with s->fail filled if it is not available; call is the
 * command that needs it. */
int libpcap_load(struct session *s, const char *call);

#endif
