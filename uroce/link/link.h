/* SPDX-License-Identifier: MIT */
/*
 * Sending packets (tx.c), receiving them (rx.c, rx_memory.c), and the variables of the environment
 * that concern the link (link_setup.c).
 *
 * A packet is built in memory shared with a process of this host (path.h), or in a batch for UDP,
 * which is sent in one system call. The engine sends what is queued: a function that queues packets
 * calls engine_flush() before it releases the lock. Annex A17.3.1 says what a packet is in UDP.
 */
#ifndef UROCE_LINK_H
#define UROCE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault_rule.h"
#include "packet.h"

/* Where packets go. QPs and address handles keep one. */
struct flow {
	union ibv_gid sgid, dgid;
	uint32_t scope; /* interface index when dgid is link-local or multicast, else 0 */
	uint8_t tclass, hops;
};

struct pair;

/* Begins a packet that goes through memory to the process of that pair, or by UDP if pair is NULL:
 * path_to(). Writes the headers of p, and returns where its payload is to be written before
 * tx_commit(): p->len bytes, MTU_MAX at most. The addresses and the port are those of flow. flow
 * and p must stay valid until tx_commit(). Never NULL: a batch that is full is sent first. A packet
 * that is begun and not committed is forgotten when the next one begins. */
uint8_t *tx_begin(struct pair *pair, const struct flow *flow, const struct packet *p);
/* Appends the pad, and the ICRC where it is wanted, and queues the packet. */
void tx_commit(void);
/* Is there room for one more packet to it? UDP always has room, and loses what is too much.
 * Shared memory loses nothing: if it is full, the next pass of the engine begins when there is
 * room. answer: the packet answers the peer, and may use the room that other packets leave free for
 * that. A packet that is sent without room is lost, and counted. */
bool tx_has_room(struct pair *pair, bool answer);
/* Has the memory been full for TX_BLOCKED_NS, so that the other process seems to read nothing? */
#define TX_BLOCKED_NS 100000000u
bool tx_is_blocked(const struct pair *pair);
/* Sends a MAD of MAD_BYTES to QP 1 of flow->dgid, the general services interface: 3.9.3, 13.5. */
void tx_send_mad(const struct flow *flow, const uint8_t *mad);
/* Sends what is queued. Packets that the kernel refuses are lost, as on a wire, and counted. */
void tx_flush(void);

/* Queues a complete UDP payload, ICRC included, that the faults have let pass, perhaps late or
 * twice. a: its addresses; fate: what the tap is told. */
void tx_passed(const struct packet *a, const uint8_t *data, uint32_t n, const char *fate);
/* Segmentation offload, unless UROCE_GSO=0: the kernel gets a run of packets of one size to one QP
 * as one message, and splits it as late as it can. That is faster, but captures on the host show
 * whole runs. */
extern bool tx_gso;
/* After fork(), in the child: drops what is queued, which the parent sends. */
void tx_forget(void);

/* ------------------------------------------------------------------ rx.c -- */

/* Receiving: packets come from the sockets, are checked (ICRC), pass the faults, and go to the
 * transport or to the connection manager. */

/* Called when the socket of this process is open. runs: the kernel may merge packets of one size
 * (UDP_GRO), unless UROCE_GSO=0. */
void rx_setup(bool runs);
/* Handles the packets that have come through memory and on our socket, and returns how many. From
 * each process and from the socket, it takes at most max packets, or a few more if the kernel has
 * merged some. */
enum rx_socket {
	RX_EMPTY, /* epoll reports nothing */
	RX_READY, /* epoll reports packets */
	RX_MAYBE, /* epoll was not asked */
};
unsigned rx_packets(unsigned max, enum rx_socket socket);
/* The parts of rx_packets(): frames in memory (rx_memory.c), and all datagrams that wait on the
 * socket. */
unsigned rx_memory(unsigned max);
void rx_datagrams(void);
/* The same for MADs, which may be for any process of the host. */
unsigned rx_mads(void);

/* Handles the packets that have arrived already. A MAD that another process has passed on comes
 * after them. */
void rx_drain(void);

struct mad_from;
struct packet;

/* Checks a UDP payload that has come in, and hands it upwards. addresses: src, dst, scope, sport,
 * tclass and hops. This is fuzzed. */
void rx_input(const struct packet *addresses, const uint8_t *data, uint32_t n);

/* Shows a MAD to the tap and passes it through the faults. link_upper.mad calls this first, in the
 * process that the MAD is for. False: the MAD is lost, or comes to link_upper.mad again later. */
bool rx_mad(const struct mad_from *from, const uint8_t *mad, size_t n);

/* Handles a packet that the faults have let pass, perhaps late or twice. fate: what the tap is
 * told. */
void rx_passed(const struct packet *addresses, const uint8_t *data, uint32_t n, const char *fate);

/* ---------------------------------------------------------------- upwards -- */

/* The functions of the floors above that link/ calls; preload/upper.c, which knows all floors, sets
 * them. All are called with the lock. */
struct link_upper {
	/* A packet whose ICRC is right. Whatever else it says is not checked yet. */
	void (*packet)(const struct packet *p);
	/* A MAD for this process, and one from the socket that all processes share. */
	void (*mad)(const struct mad_from *from, const uint8_t *mad, size_t n);
	void (*shared_mad)(const struct mad_from *from, const uint8_t *mad, size_t n);
	/* Writes what this process says about itself to those that call group_status(): some lines,
	 * of which the first is not indented. Returns the length, less than n. */
	size_t (*status)(char *buf, size_t n);
	/* A file with the objects of this process (inventory_file.c), which the caller closes; -1
	 * with errno. */
	int (*inventory)(void);
};
extern const struct link_upper link_upper;

/* -------------------------------------------------------- device_names.c -- */

/*
 * The devices of this process, from 0: UROCE_DEVICES=NAME[:INTERFACE...][,NAME...]. A device
 * without interfaces has all that no other one has. Without the variable UROCE_NAME, its name
 * before release 0.3, is read; without both, or if it is not valid, there is uroce0 alone.
 */
#define DEVICES_MAX FAULT_DEVICES_MAX

/* Reads the variable, when the library is loaded; before that there is uroce0. */
void devices_read(void);
/* 0, or -1 with EINVAL and a reason (of size bytes): the variable is not valid. */
int devices_check(char *reason, size_t size);
unsigned device_count(void);
const char *device_name(unsigned device);
/* All names, with commas between them. */
const char *device_names(void);
/* Is text a valid name of a device, and does it end within size bytes? */
bool device_name_is_valid(const char *text, size_t size);
/* The device that has an interface; device_count(): none. */
unsigned device_of_interface(const char *name);
/* Is there one device, which has all interfaces? */
bool device_has_all(void);

/* ---------------------------------------------------------- link_setup.c -- */

/* The variables of the environment that concern the link: UROCE_FAULT, UROCE_FAULT_SEED,
 * UROCE_ORDER, UROCE_PROFILE, UROCE_PCAP, UROCE_GSO and UROCE_PATH. */

/* Called with the lock when engine_get() brings the device up, after group_join(). Faults and
 * captures of the environment are applied only the first time, so that they do not undo what the
 * program has set since. 0, or -1 with errno and a reason (of size bytes): a word of UROCE_FAULT is
 * unknown, a file cannot be written, or the name is not valid. */
int link_setup(char *reason, size_t size);
/* After fork(), in the child: drops waiting packets, faults and captures. The next link_setup()
 * applies those of the environment again. */
void link_forget(void);

#endif
