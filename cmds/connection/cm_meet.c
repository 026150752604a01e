// SPDX-License-Identifier: MIT
/* Where both ends of a lesson or a demonstration meet in one process. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>

#include "call_record.h"
#include "connection/cm_addr.h"
#include "connection/cm_meet.h"
#include "device/device.h"
#include "objects.h"
#include "session.h"

#define FIRST_PORT 7471
#define PORTS	   100

_Static_assert(sizeof(((struct meeting *)NULL)->address) >= DEV_ADDR_LEN, "room for an address");

/* Ports are the connection manager's own: only it knows which are taken. Nobody has asked for
 * these calls: they are not told. */
static bool is_free(uint16_t port)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct rdma_cm_id *id;
	bool is;

	record_aside(1);
	is = rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP) == 0;
	if (is) {
		is = rdma_bind_addr(id, (struct sockaddr *)&any) == 0 && rdma_listen(id, 1) == 0;
		rdma_destroy_id(id);
	}
	record_aside(-1);
	return is;
}

int cm_meet(struct session *s, struct meeting *m)
{
	bool trace = s->opt.trace;
	struct dev *dev;

	s->opt.trace = false; /* nothing that was asked for */
	dev = dev_default(s);
	s->opt.trace = trace;
	if (!dev)
		return -1;
	dev_addr(dev, m->address);
	if (!*m->address)
		return cm_addr_none(s, "the address of the device");
	for (m->port = FIRST_PORT; m->port < FIRST_PORT + PORTS; m->port++)
		if (is_free(m->port))
			return 0;
	return fail(s, "lesson", "EADDRINUSE", "the ports %d to %d are all taken", FIRST_PORT,
		    FIRST_PORT + PORTS - 1);
}
