/* SPDX-License-Identifier: MIT */
/* Devices of the machine, their GIDs, and the embedded device, uroce0. */
#ifndef CMDS_DEVICE_H
#define CMDS_DEVICE_H

#include <infiniband/verbs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdint.h>

#include "command/cmd.h"
#include "uroce.h"

struct dev;
struct session;

#define DEV_ADDR_LEN (INET6_ADDRSTRLEN + IF_NAMESIZE)
/* Writes the IP address at which peers reach port 1 to text[DEV_ADDR_LEN], in the form for connect:
 * that of the GID which gids recommends; on iWARP the first IPv4 address of the network interface.
 * "" if there is none, and on InfiniBand, whose GIDs do not contain IP addresses. */
void dev_addr(const struct dev *dev, char *text);

/* The GID table of a port, the recommended entry, and GIDs as arguments. */

struct gid_row {
	struct ibv_gid_entry e;
	char netdev[IF_NAMESIZE]; /* "" on InfiniBand */
	int score;		  /* the highest is recommended */
	const char *why;	  /* the reason for the score */
};

/* Sets *rows to the used entries of the port (0: of all), which the caller frees; returns their
 * number, or -1 with errno. */
int gid_table(const struct dev *dev, uint8_t port, struct gid_row **rows);
/* Declares rows for it, which are freed at the end of their block. */
#define SCOPED_GIDS(name) __attribute__((cleanup(gids_free))) struct gid_row *name = NULL
void gids_free(struct gid_row **rows);
/* The row to use when the user names none, or NULL when there is none (n may be -1). */
const struct gid_row *gid_best(const struct gid_row *rows, int n);

/* Does that address lead to a port of the device? The numbers of QPs do not tell: two devices may
 * give the same. */
bool dev_has_address(const struct dev *dev, const struct ibv_ah_attr *to);

/* A GID as an argument: "fe80::1", "::ffff:10.0.0.1", or an IPv4 address. */

struct gid_arg {
	union ibv_gid v;
	const char *text; /* it as it was typed */
	bool set;
};

extern const struct arg_kind kind_gid; /* struct gid_arg */
/* The 16 bytes of a GID that is written as an address of IPv6 or IPv4, or as 32 hex digits. */
bool gid_parse(const char *text, unsigned char raw[16]);

/* The embedded device, uroce0. */

struct options;

/* The embedded device is used if it was requested (--device uroce0), or if the machine has no RDMA
 * device and none was requested. Libraries are loaded with the first call, so that a start without
 * calls is quick. 0, with a line for the user or NULL in *note, which may change with the first
 * call; 1: there is no device at all; -1 with an error message printed. */
int embedded_start(const struct options *opt, const char **note);
/* Is it used? Loads the libraries. */
bool embedded_is_used(void);

/* To be called when the device is used: in a script, which has no banner, prints the note to
 * stderr, once. */
void embedded_tell(struct session *s);

struct embedded_api {
	int (*faults_set)(const char *text, bool adds, uint64_t seed, char *why, size_t size);
	unsigned (*faults_get)(struct uroce_fault *rules, unsigned n);
	void (*rules_set)(struct fault_rule *rules, unsigned n);
	int (*gid_hide)(struct ibv_context *context, unsigned index);
	int (*gid_move)(struct ibv_context *context, unsigned from, unsigned to);
	void (*gid_restore)(void);
	int (*order_set)(uint64_t seed, unsigned level);
	void (*order_get)(struct uroce_order *o);
	int (*tap)(uroce_tap_fn *fn, void *arg);
	int (*capture)(const char *file);
	unsigned (*counters)(struct uroce_counter *c, unsigned n);
};

/* NULL: the system's own devices are used. */
const struct embedded_api *embedded_api(void);

#endif
