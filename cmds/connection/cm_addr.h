/* SPDX-License-Identifier: MIT */
/* Addresses for the connection manager. */
#ifndef CMDS_CM_ADDR_H
#define CMDS_CM_ADDR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct session;

/* Reads a host (IPv4, IPv6 bare or with a scope, a name) and a port into *sa. host NULL:
 * the wildcard of family. family: AF_UNSPEC, or that of the other end. -1: fails. */
int cm_addr_parse(struct session *s, const char *host, uint16_t port, int family,
		  struct sockaddr_storage *sa);
/* "10.0.0.1:7471", "[fe80::1%eth0]:7471"; valid for the next three calls. */
const char *cm_addr_text(const struct sockaddr *sa);
/* The same without the port. */
const char *cm_addr_host(const struct sockaddr *sa);
uint16_t cm_addr_port(const struct sockaddr *sa);
bool cm_addr_any(const struct sockaddr *sa);

/* Does any interface that is up have an IP address, including the loopback? */
bool cm_addr_network(void);

/* These add rows to s->fail with the cause, from the current state of the system, and the remedy.
 */

/* Resolving src (or NULL) -> dst failed with errno err. */
void cm_explain_resolve(struct session *s, const struct sockaddr *src, const struct sockaddr *dst,
			int err);
/* Binding to sa failed with errno err. */
void cm_explain_bind(struct session *s, const struct sockaddr *sa, int err);

struct meeting;

/* Fills m with the address of the default device, which is opened if necessary, and a free port. -1
 * with s->fail filled: there is no device or no free port. */
int cm_meet(struct session *s, struct meeting *m);

#endif
