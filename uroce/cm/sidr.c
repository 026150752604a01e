// SPDX-License-Identifier: MIT
/* Service id resolution: which QP a datagram service has. 12.11. */
#include <errno.h>
#include <string.h>

#include "conn.h"
#include "engine.h"

void conn_resolve(struct conn *c, const void *data, size_t len)
{
	struct mad m;

	conn_message(c, &m, MAD_SIDR_REQ);
	m.sidr_req.pkey = PKEY_DEFAULT;
	m.sidr_req.service = c->service;
	if (len)
		memcpy(m.data, data, len);
	conn_enter(c, CONN_SIDR_SENT);
	conn_send(c, &m);
}

int conn_answer(struct conn *c, enum sidr_status status, uint32_t qkey, const void *data,
		size_t len)
{
	struct mad m;

	if (c->state != CONN_SIDR_RCVD) {
		errno = EINVAL;
		return -1;
	}
	conn_message(c, &m, MAD_SIDR_REP);
	m.sidr_rep.status = status;
	m.sidr_rep.service = c->service;
	if (status == SIDR_OK) {
		m.sidr_rep.qpn = c->local_qpn;
		m.sidr_rep.qkey = qkey;
	}
	if (len)
		memcpy(m.data, data, len);
	conn_send_once(c, &m);
	if (c->user)
		conn_enter(c, CONN_SIDR_REP_SENT); /* as long as its id lives */
	else
		conn_linger(c, CONN_SIDR_REP_SENT);
	return 0;
}

void sidr_reply(struct conn *c, const struct mad *m)
{
	if (m->sidr_rep.status == SIDR_OK) {
		c->remote_qpn = m->sidr_rep.qpn;
		conn_tell(c, CONN_EV_ESTABLISHED, 0, m);
	} else {
		conn_tell(c, CONN_EV_UNREACHABLE, m->sidr_rep.status, m);
	}
	conn_over(c);
}
