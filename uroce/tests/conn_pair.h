/* SPDX-License-Identifier: MIT */
/* Both ends of the connection protocol in one process, with an application at each. */
#ifndef UROCE_TESTS_CONN_PAIR_H
#define UROCE_TESTS_CONN_PAIR_H

#include <errno.h>

#include "checks.h"
#include "conn.h"
#include "counters.h"
#include "rig.h"

#define SECOND 1000000000ull
#define SPACE  0x0106
#define PORT   7174
#define LOG    16

/* An application at one end: what it was told, and what it does about it. */
struct cm_id {
	struct conn *c;
	enum conn_event events[LOG];
	int status[LOG];
	unsigned n, done; /* told, and dealt with */
	bool wants_accept, slow;
	enum { POLITE, SILENT, REJECTS } manner;
	uint8_t private[MAD_PRIVATE_MAX];
};

extern struct cm_id active, passive[4], listening;
extern unsigned npassive;
extern struct port *port;
extern unsigned refuse; /* reason that id_conn_request() gives */

/* disturb() is a rig_mad_fate: the MADs with these numbers suffer the disturbance. It counts them.
 */
extern unsigned disturbed[2], disturbances;
extern enum rig_fate disturbance;
enum rig_fate disturb(unsigned n, const struct mad *m);

/* Lets the applications act, each in its manner. */
void applications(void);
/* How often an event was told, and with which status. */
unsigned count_of(const struct cm_id *id, enum conn_event event);
int status_of(const struct cm_id *id, enum conn_event event);

/* Before and after each check: at its end everything ends, and nothing may be left. */
void begin(void);
void end(void);
/* The active end asks the listener, as a connection or as a datagram. */
void connect_now(void);
void resolve_now(void);

#endif
