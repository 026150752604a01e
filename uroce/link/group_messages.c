/* SPDX-License-Identifier: MIT */
/*
 * Messages between the processes of a group while they run: MADs that are passed on, sockets
 * for processes that join, and status.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "group_own.h"
#include "pair.h"
#include "link.h"

#define AT_ONCE 64 /* messages that are handled in a row */

/* -------------------------------------------------------------------- serving -- */

static void serve_sockets(int to, struct control_message *m)
{
	(void)m;
	control_send(to, NULL, CONTROL_SOCKETS, group.slot, NULL, 0, group.rx, SLOTS);
}

static void serve_status(int to, struct control_message *m)
{
	size_t n = link_upper.status(m->data, sizeof(m->data));

	control_send(to, NULL, CONTROL_STATUS, group.slot, m->data, n, NULL, 0);
}

static void serve_inventory(int to, struct control_message *m)
{
	int fd = link_upper.inventory();

	(void)m;
	control_send(to, NULL, CONTROL_INVENTORY, group.slot, NULL, 0, &fd, fd >= 0);
	if (fd >= 0)
		close(fd);
}

static void serve_mad(int to, struct control_message *m)
{
	struct mad_from from;

	(void)to;
	if (m->header.length <= sizeof(from))
		return;
	memcpy(&from, m->data, sizeof(from));
	rx_drain();
	link_upper.mad(&from, (const uint8_t *)m->data + sizeof(from),
		       m->header.length - sizeof(from));
}

static void serve_offer(int to, struct control_message *m)
{
	(void)to;
	pair_take_offer(m);
}

static void serve_answer(int to, struct control_message *m)
{
	(void)to;
	pair_take_answer(m);
}

/* to: the socket for the answer; -1: none */
static void (*const serve[CONTROL_TYPES])(int to, struct control_message *m) = {
	[CONTROL_ASK_SOCKETS] = serve_sockets, [CONTROL_MAD] = serve_mad,
	[CONTROL_ASK_STATUS] = serve_status,   [CONTROL_OFFER_PAIR] = serve_offer,
	[CONTROL_ANSWER_PAIR] = serve_answer,  [CONTROL_ASK_INVENTORY] = serve_inventory,
};

static int answer_socket(const struct control_message *m)
{
	return m->nfds == 1 ? m->fds[0] : -1;
}

static void serve_messages(void)
{
	static struct control_message m;

	for (unsigned i = 0; i < AT_ONCE && control_receive(group.control, &m) == 0; i++) {
		if (m.header.type < CONTROL_TYPES && serve[m.header.type])
			serve[m.header.type](answer_socket(&m), &m);
		control_drop(&m);
	}
}

int control_epoll_add(int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(group.epoll, EPOLL_CTL_ADD, fd, &event);
}

void control_epoll_remove(int fd)
{
	epoll_ctl(group.epoll, EPOLL_CTL_DEL, fd, NULL);
}

void group_serve(void)
{
	struct epoll_event events[16];
	int n;

	group_check();
	if (!group.slot)
		return;
	n = epoll_wait(group.epoll, events, sizeof(events) / sizeof(events[0]), 0);
	for (int i = 0; i < n; i++)
		if (events[i].data.fd == group.control)
			serve_messages();
		else
			pair_note_death(events[i].data.fd);
}

/* The names of other processes are found by a directory that is this user's alone, in /proc. */
static void say_unreachable(void)
{
	static bool said;

	if (!said)
		fputs("uroce: this process has changed its user or its root directory after it opened "
		      "uroce0, and reaches no other process of this host any more\n",
		      stderr);
	said = true;
}

int messages_forward(const struct local_name *to, const struct mad_from *from, const void *mad,
		     size_t n)
{
	char data[sizeof(*from) + MAD_BYTES];

	group_check();
	if (!group.slot || n > MAD_BYTES) {
		errno = group.slot ? EMSGSIZE : ENOTCONN;
		return -1;
	}
	memcpy(data, from, sizeof(*from));
	memcpy(data + sizeof(*from), mad, n);
	if (control_send(group.control, to, CONTROL_MAD, group.slot, data, sizeof(*from) + n, NULL,
			 0) == 0)
		return 0;
	if (errno == ECONNREFUSED && !socket_dir_is_reached(&group.dir)) {
		say_unreachable();
		errno = EPERM;
	}
	return -1;
}

int group_forward(unsigned slot, const struct mad_from *from, const void *mad, size_t n)
{
	struct local_name to;

	if (slot == 0 || slot >= SLOTS) {
		errno = ECONNREFUSED;
		return -1;
	}
	to = control_name(&group.dir, slot);
	return messages_forward(&to, from, mad, n);
}

/* --------------------------------- asking all processes for their status -- */

#define PATIENCE_MS 500

int group_status(void (*fn)(void *arg, unsigned slot, int pid, const char *text), void *arg)
{
	struct control_message m;
	struct socket_dir dir;
	pid_t pids[SLOTS];
	int rc = 0;

	if (socket_dir_look(&dir) != 0)
		return errno == ENOENT ? 0 : -1;
	sockets_slot_pids(pids);
	for (unsigned slot = 1; slot < SLOTS && rc == 0; slot++) {
		if (control_ask(&dir, slot, CONTROL_ASK_STATUS, PATIENCE_MS, &m) == 0) {
			m.data[m.header.length < CONTROL_BYTES ? m.header.length
							       : CONTROL_BYTES - 1] = '\0';
			fn(arg, slot, m.pid, m.data);
			control_drop(&m);
		} else if (errno == ETIMEDOUT) {
			fn(arg, slot, pids[slot], NULL);
		} else if (errno != ENOENT) {
			rc = -1;
		}
	}
	socket_dir_close(&dir);
	return rc;
}
