// SPDX-License-Identifier: MIT
/* The rdma_cm API around connections: addresses, listeners, channels, events, options. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>

#include "mad.h"
#include "context.h"
#include "rdmacm_pair.h"

/* -------------------------------------------------------------- binding, listening -- */

static void check_bind(void)
{
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct rdma_cm_id *a, *b;
	struct rdma_cm_event *ev;
	int on = 1;

	CHECK_INT(rdma_create_id(ch, &a, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_create_id(ch, &b, NULL, RDMA_PS_TCP), 0);
	FAILS(rdma_bind_addr(a, address("10.0.0.77", PORT)), EADDRNOTAVAIL);
	FAILS(rdma_bind_addr(a, address("fe80::1", PORT)), EINVAL); /* on which link? */
	FAILS(rdma_bind_addr(a, &(struct sockaddr){ .sa_family = AF_UNIX }), EINVAL);
	CHECK_INT(rdma_bind_addr(a, address("10.0.0.1", PORT)), 0);
	FAILS(rdma_bind_addr(a, address("10.0.0.1", PORT)), EINVAL);
	FAILS(rdma_bind_addr(b, address("10.0.0.1", PORT)), EADDRINUSE);
	FAILS(rdma_bind_addr(b, address("0.0.0.0", PORT)), EADDRNOTAVAIL); /* as the kernel */
	FAILS(rdma_bind_addr(b, address("::", PORT)), EADDRNOTAVAIL);
	rig_port_taken = PORT + 1;
	FAILS(rdma_bind_addr(b, address("::", PORT + 1)), EADDRNOTAVAIL);
	FAILS(rdma_bind_addr(b, address("10.0.0.1", PORT + 1)), EADDRINUSE);
	rig_port_taken = 0;
	CHECK_INT(rdma_bind_addr(b, address("10.0.0.2", PORT)), 0);
	CHECK_INT(rdma_destroy_id(b), 0);
	CHECK_INT(rdma_create_id(ch, &b, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_set_option(b, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &on, sizeof(on)), 0);
	CHECK_INT(rdma_bind_addr(b, address("::", PORT)), 0);
	FAILS(rdma_set_option(b, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &on, sizeof(on)), EINVAL);
	rdma_destroy_id(b);
	rdma_destroy_id(a);

	/* port spaces are apart; a port of our choice; two with REUSEADDR */
	CHECK_INT(rdma_create_id(ch, &a, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_create_id(ch, &b, NULL, RDMA_PS_UDP), 0);
	CHECK_INT(rdma_bind_addr(a, address("::", PORT)), 0);
	CHECK_INT(rdma_bind_addr(b, address("::", PORT)), 0);
	rdma_destroy_id(a);
	rdma_destroy_id(b);
	CHECK_INT(rdma_create_id(ch, &a, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_create_id(ch, &b, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_set_option(a, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &on, sizeof(on)), 0);
	CHECK_INT(rdma_set_option(b, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &on, sizeof(on)), 0);
	CHECK_INT(rdma_bind_addr(a, address("0.0.0.0", 0)), 0);
	CHECK(rdma_get_src_port(a) != 0);
	CHECK_INT(rdma_bind_addr(b, address("0.0.0.0", ntohs(rdma_get_src_port(a)))), 0);
	FAILS(rdma_listen(a, 0), EADDRNOTAVAIL); /* who listens is alone */
	rdma_destroy_id(a);
	CHECK_INT(rdma_listen(b, 0), 0);
	FAILS(rdma_listen(b, 0), EINVAL);
	rdma_destroy_id(b);
	rdma_destroy_event_channel(ch);
	FAILS(rdma_get_cm_event(ch, &ev), EBADF); /* another thread asks too late */
	CHECK_INT(rig_names, 0);
}

/* libfabric's question for the addresses of a server: a loopback address is any address to it. */
static void check_loopback(void)
{
	static const struct rig_address both[] = {
		{ "::ffff:127.0.0.1", "lo", 1, 65536 },
		{ "::1", "lo", 1, 65536 },
		{ "::ffff:10.0.0.1", "eth0", 3, 1500 },
	};
	static const char *const loopback[] = { "127.0.0.1", "::1" };
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct rdma_cm_id *a;

	rig_addresses(both, 3);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned kind = 0; kind < 3; kind++) {
			bool sync = kind < 2, port = kind == 1;

			CHECK_INT(rdma_create_id(sync ? NULL : ch, &a, NULL, RDMA_PS_TCP), 0);
			CHECK_INT(rdma_bind_addr(a, address(loopback[i], port ? PORT : 0)), 0);
			CHECK_INT(!a->verbs, sync && !port);
			CHECK(rdma_get_src_port(a) != 0);
			CHECK_INT(rdma_listen(a, 1), 0);
			CHECK_INT(rdma_destroy_id(a), 0);
		}
	CHECK_INT(rdma_create_id(NULL, &a, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_bind_addr(a, address("10.0.0.1", 0)), 0);
	CHECK(a->verbs);
	CHECK_INT(rdma_destroy_id(a), 0);
	rig_addresses(both, 2); /* there are no others */
	CHECK_INT(rdma_create_id(NULL, &a, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_bind_addr(a, address("127.0.0.1", 0)), 0);
	CHECK(a->verbs);
	CHECK_INT(rdma_destroy_id(a), 0);
	rig_addresses(NULL, 0);
	rdma_destroy_event_channel(ch);
}

static struct rdma_cm_id *more[4];

/* Three requests wait; the fourth finds no room, and comes again. */
static void check_backlog(void)
{
	open_both(RDMA_PS_TCP, "::");
	for (unsigned i = 0; i < 4; i++) {
		CHECK_INT(rdma_create_id(client, &more[i], NULL, RDMA_PS_TCP), 0);
		rdma_destroy_id(id);
		id = more[i];
		resolve("10.0.0.1");
		create_qp(id);
		connect_with(1, "hello");
		CHECK_INT(rdma_create_id(client, &id, NULL, RDMA_PS_TCP), 0);
		rig_run(SECOND / 100);
	}
	rig_run(SECOND);
	CHECK(idle(client));
	for (unsigned i = 0; i < 3; i++)
		close_id(request());
	for (unsigned i = 0; i < 3; i++)
		CHECK_INT(expect(client, RDMA_CM_EVENT_REJECTED), 28);
	rig_run(SECOND * 5);
	/* one that nobody has seen goes with the listener */
	CHECK(!idle(server) && idle(client));
	CHECK_INT(rdma_destroy_id(listener), 0);
	CHECK(idle(server));
	CHECK_INT(expect(client, RDMA_CM_EVENT_REJECTED), 28);
	CHECK(idle(client));
	CHECK_INT(rdma_create_id(server, &listener, NULL, RDMA_PS_TCP), 0);
	for (unsigned i = 0; i < 4; i++)
		close_id(more[i]);
	close_both();
}

static void check_resolve(void)
{
	open_both(RDMA_PS_TCP, "::");
	FAILS(rdma_resolve_addr(id, NULL, address("192.0.2.1", 1), 1000), ENETUNREACH);
	CHECK_INT(rdma_resolve_addr(id, NULL, address("127.0.0.1", 1), 1000), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_ERROR), -ENODEV);
	FAILS(rdma_resolve_addr(id, address("::1", 0), address("10.0.0.1", 1), 1), EINVAL);
	FAILS(rdma_resolve_addr(id, address("10.0.0.77", 0), address("10.0.0.1", 1), 1),
	      EADDRNOTAVAIL);
	FAILS(rdma_resolve_addr(id, address("10.0.0.2", PORT), address("10.0.0.1", 1), 1),
	      EADDRNOTAVAIL);
	CHECK_INT(rdma_resolve_addr(id, address("10.0.0.2", 1234), address("10.0.0.1", 1), 1), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	CHECK_INT(rdma_get_src_port(id), htons(1234));
	CHECK_INT(id->route.addr.addr.ibaddr.sgid.raw[15], 2);
	FAILS(rdma_resolve_addr(id, NULL, address("10.0.0.1", 1), 1), EINVAL);
	close_both();

	/* a neighbour that does not answer, and one that takes its time; it is asked again */
	open_both(RDMA_PS_TCP, "::");
	rig_neighbour_silent = true;
	rig_neighbour_asked = 0;
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.77", 1), 2500), 0);
	rig_run(2 * SECOND);
	CHECK(idle(client));
	FAILS(rdma_resolve_route(id, 1000), EINVAL);
	rig_run(SECOND);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_ERROR), -ETIMEDOUT);
	CHECK_INT(rig_neighbour_asked, 3);
	CHECK(!id->verbs);
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.77", 1), 2500), 0);
	rig_run(SECOND);
	rig_neighbour_silent = false;
	rig_run(SECOND);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	CHECK_INT(rdma_resolve_route(id, 1000), 0);
	close_both();
	/* an id that goes meanwhile, and our own addresses, which nobody is asked for */
	open_both(RDMA_PS_TCP, "::");
	rig_neighbour_silent = true;
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.77", 1), 2500), 0);
	close_both();
	open_both(RDMA_PS_TCP, "::");
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.2", 1), 2500), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	close_both();
	rig_neighbour_silent = false;

	/* an application may keep the address where it goes anyway */
	open_both(RDMA_PS_TCP, "::");
	id->route.addr.dst_sin = *(struct sockaddr_in *)address("10.0.0.1", 1);
	CHECK_INT(rdma_resolve_addr(id, NULL, &id->route.addr.dst_addr, 1000), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	CHECK_INT(rdma_get_dst_port(id), htons(1));
	close_both();
}

/* ---------------------------------------------------------------- events, channels -- */

static struct rdma_event_channel *ending;

static int end_channel(int fd)
{
	rig_waiter = pass_time;
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.1", 1), 1), 0);
	rdma_destroy_id(id);
	rdma_destroy_event_channel(ending);
	return fcntl(fd, F_SETFL, O_NONBLOCK); /* still there */
}

/* A thread is woken by an event, but the id and the channel are destroyed before it takes the
 * event: it waits on, and its descriptor lives until then. */
static void check_channel_ends(void)
{
	struct rdma_cm_event *ev;
	int fd;

	ending = rdma_create_event_channel();
	fd = ending->fd;
	CHECK_INT(rdma_create_id(ending, &id, NULL, RDMA_PS_TCP), 0);
	rig_waiter = end_channel;
	FAILS(rdma_get_cm_event(ending, &ev), EAGAIN);
	CHECK(fcntl(fd, F_GETFD) == -1 && errno == EBADF);
	CHECK_INT(objects(), 0);
	CHECK_INT(rig_names, 0);
}

static int replace_event(int fd)
{
	(void)fd;
	rig_waiter = pass_time;
	rig_hands_over = true;
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.1", 1), 1), 0);
	rig_hands_over = false;
	rdma_destroy_id(id);
	CHECK_INT(rdma_create_id(ending, &id, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.1", 1), 1), 0);
	return 1;
}

/* A thread is woken by an event that goes with its id, and takes another one: the descriptor does
 * not stay readable. */
static void check_event_replaced(void)
{
	ending = rdma_create_event_channel();
	CHECK_INT(rdma_create_id(ending, &id, NULL, RDMA_PS_TCP), 0);
	rig_waiter = replace_event;
	CHECK_INT(expect(ending, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	CHECK(idle(ending));
	CHECK_INT(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(ending);
}

/* A QP that cannot be made leaves neither queues nor pointers to them. */
static void check_qp_fails(void)
{
	struct ibv_qp_init_attr attr = { .cap = { .max_send_wr = 4, .max_recv_wr = 4 },
					 .qp_type = IBV_QPT_UD };

	open_both(RDMA_PS_UDP, "::");
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.1", PORT), 1), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	attr.cap.max_send_sge = MAX_SGE + 1;
	FAILS(rdma_create_qp(id, NULL, &attr), EINVAL);
	attr.cap.max_send_sge = 1;
	CHECK_INT(objects(), 0);
	CHECK(!attr.send_cq && !attr.recv_cq && !id->qp);
	CHECK(!id->send_cq && !id->recv_cq && !id->send_cq_channel && !id->recv_cq_channel);
	CHECK_INT(rdma_create_qp(id, NULL, &attr), 0); /* again */
	CHECK(attr.send_cq == id->send_cq && attr.recv_cq == id->recv_cq);
	close_both();
}

static void destroy_server(void)
{
	rig_unlocked = NULL;
	rdma_destroy_event_channel(server);
}

/* Connects id, and returns the id of the other end. */
static struct rdma_cm_id *connect_both(void)
{
	struct rdma_cm_id *peer;

	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	peer = request();
	create_qp(peer);
	CHECK_INT(rdma_accept(peer, NULL), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ESTABLISHED), 0);
	return peer;
}

/* The channel is destroyed while a thread disconnects an id of it. */
static void check_disconnect_late(void)
{
	struct rdma_cm_id *peer;

	open_both(RDMA_PS_TCP, "::");
	peer = connect_both();
	rig_run(SECOND);
	rig_unlocked = destroy_server;
	FAILS(rdma_disconnect(peer), EINVAL);
	CHECK_INT(expect(client, RDMA_CM_EVENT_DISCONNECTED), 0);
	close_id(peer);
	CHECK_INT(rdma_destroy_id(listener), 0);
	server = rdma_create_event_channel();
	CHECK_INT(rdma_create_id(server, &listener, NULL, RDMA_PS_TCP), 0);
	close_both();
}

static void check_acks(void)
{
	struct rdma_event_channel *other;
	struct rdma_cm_id *peer;
	struct rdma_cm_event *ev;

	open_both(RDMA_PS_TCP, "::");
	FAILS(rdma_ack_cm_event(NULL), EINVAL);
	FAILS(rdma_get_cm_event(NULL, &ev), EINVAL);
	CHECK_INT(fcntl(client->fd, F_SETFL, O_NONBLOCK), 0);
	FAILS(rdma_get_cm_event(client, &ev), EAGAIN);
	CHECK_INT(fcntl(client->fd, F_SETFL, 0), 0);
	/* queued events of an id go with it */
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.1", 1), 1), 0);
	CHECK(!idle(client));
	rdma_destroy_id(id);
	CHECK(idle(client));
	/* taken ones are waited for */
	CHECK_INT(rdma_create_id(client, &id, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.1", PORT), 1), 0);
	held = take(client, RDMA_CM_EVENT_ADDR_RESOLVED);
	rig_sleeper = release;
	rdma_destroy_id(id);
	CHECK(!held);
	/* a request belongs to the listener until it is acknowledged */
	CHECK_INT(rdma_create_id(client, &id, NULL, RDMA_PS_TCP), 0);
	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	held = take(server, RDMA_CM_EVENT_CONNECT_REQUEST);
	peer = held->id;
	other = rdma_create_event_channel();
	CHECK_INT(rdma_migrate_id(peer, other), 0);
	CHECK(peer->channel == other && held);
	CHECK_INT(rdma_migrate_id(peer, other), 0);
	CHECK_INT(rdma_destroy_id(listener), 0);
	CHECK(!held);
	rig_sleeper = NULL;
	create_qp(peer);
	CHECK_INT(rdma_accept(peer, NULL), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ESTABLISHED), 0);
	rig_run(SECOND);
	CHECK(idle(server) && !idle(other));
	/* queued events move with their id */
	CHECK_INT(rdma_migrate_id(peer, server), 0);
	CHECK(idle(other));
	CHECK_INT(expect(server, RDMA_CM_EVENT_ESTABLISHED), 0);
	/* a channel that goes takes its connections with it */
	CHECK_INT(rdma_migrate_id(peer, other), 0);
	rdma_destroy_event_channel(other);
	CHECK_INT(expect(client, RDMA_CM_EVENT_DISCONNECTED), 0);
	FAILS(rdma_disconnect(peer), EINVAL);
	close_id(peer);
	CHECK_INT(rdma_create_id(server, &listener, NULL, RDMA_PS_TCP), 0);
	close_both();
}

static void check_options(void)
{
	uint8_t tos = 0x68, timeout = 14;
	struct rdma_cm_id *peer;
	int on = 1;

	open_both(RDMA_PS_TCP, "::");
	FAILS(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &on, sizeof(on)), EINVAL);
	FAILS(rdma_set_option(id, RDMA_OPTION_ID, 17, &on, sizeof(on)), ENOSYS);
	FAILS(rdma_set_option(id, RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, &on, sizeof(on)), ENOSYS);
	CHECK_INT(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, 1), 0);
	CHECK_INT(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, 1), 0);
	timeout = 32;
	FAILS(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, 1), EINVAL);
	peer = connect_both();
	CHECK_INT(to_qp(id->qp)->attr.timeout, 14);
	CHECK_INT(to_qp(peer->qp)->attr.timeout, 14);
	CHECK_INT(to_qp(id->qp)->attr.ah_attr.grh.traffic_class, 0x68);
	CHECK_INT(to_qp(peer->qp)->attr.ah_attr.grh.traffic_class, 0x68);
	close_id(peer);
	close_both();
}

static void check_addrinfo(void)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_UDP };
	struct rdma_addrinfo *res;

	FAILS(rdma_getaddrinfo(NULL, NULL, NULL, &res), EINVAL);
	CHECK_INT(rdma_getaddrinfo("10.0.0.1", "7471", NULL, &res), 0);
	CHECK_INT(res->ai_family, AF_INET);
	CHECK_INT(res->ai_qp_type, IBV_QPT_RC);
	CHECK_INT(res->ai_port_space, RDMA_PS_TCP);
	CHECK_INT(res->ai_dst_len, sizeof(struct sockaddr_in));
	CHECK(!res->ai_src_len && !res->ai_next);
	rdma_freeaddrinfo(res);
	CHECK_INT(rdma_getaddrinfo("::1", "7471", &hints, &res), 0);
	CHECK_INT(res->ai_qp_type, IBV_QPT_UD);
	CHECK_INT(res->ai_src_len, sizeof(struct sockaddr_in6));
	CHECK(!res->ai_dst_len);
	rdma_freeaddrinfo(res);
	hints.ai_flags = RAI_NUMERICHOST;
	CHECK_INT(rdma_getaddrinfo("not.numeric.example", "7471", &hints, &res), EAI_NONAME);
	hints.ai_qp_type = IBV_QPT_RC;
	CHECK_INT(rdma_getaddrinfo("10.0.0.1", "7471", &hints, &res), EAI_SOCKTYPE);
	hints = (struct rdma_addrinfo){ .ai_src_addr = address("10.0.0.1", 0),
					.ai_src_len = sizeof(struct sockaddr_in),
					.ai_dst_addr = address("10.0.0.2", 1),
					.ai_dst_len = sizeof(struct sockaddr_in) };
	CHECK_INT(rdma_getaddrinfo(NULL, NULL, &hints, &res), 0);
	CHECK_INT(res->ai_src_len, sizeof(struct sockaddr_in));
	CHECK_INT(((struct sockaddr_in *)res->ai_dst_addr)->sin_port, htons(1));
	rdma_freeaddrinfo(res);
}

static void check_devices(void)
{
	struct ibv_context **list;
	int n;

	list = rdma_get_devices(&n);
	CHECK(list && n == 1 && list[0] && !list[1]);
	rdma_free_devices(list);
}

static void *get_event(void *channel)
{
	struct rdma_cm_event *ev;

	pthread_cancel(pthread_self()); /* takes effect where the call may be cancelled */
	return rdma_get_cm_event(channel, &ev) == 0 ? ev : NULL;
}

static void *make_channel(void *arg)
{
	struct rdma_event_channel *ch;

	(void)arg;
	pthread_cancel(pthread_self());
	ch = rdma_create_event_channel();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	rdma_destroy_event_channel(ch);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_testcancel();
	return NULL;
}

static void cancelled(void *(*fn)(void *), void *arg)
{
	pthread_t t;
	void *ended;

	CHECK_INT(pthread_create(&t, NULL, fn, arg), 0);
	pthread_join(t, &ended);
	CHECK(ended == PTHREAD_CANCELED);
}

/* A thread that is cancelled in a call holds neither a lock nor a channel. */
static void check_cancel(void)
{
	struct rdma_event_channel *ch = rdma_create_event_channel();
	int fd = ch->fd;

	cancelled(get_event, ch);
	rdma_destroy_event_channel(ch);
	CHECK(fcntl(fd, F_GETFD) == -1 && errno == EBADF);
	cm_forget(); /* the device is opened again */
	cancelled(make_channel, NULL);
	ch = rdma_create_event_channel();
	CHECK(ch);
	rdma_destroy_event_channel(ch);
}

/* In a child of fork(): what the parent has taken and not acknowledged is not waited for. */
static void check_fork_unacked(void)
{
	struct rdma_event_channel *gone = rdma_create_event_channel();
	struct rdma_cm_event *join, *of_gone;
	struct rdma_cm_id *old;

	open_both(RDMA_PS_UDP, "::");
	CHECK_INT(rdma_resolve_addr(id, NULL, address("239.1.2.3", 0), 1), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	CHECK_INT(rdma_join_multicast(id, address("239.1.2.3", 0), NULL), 0);
	join = take(client, RDMA_CM_EVENT_MULTICAST_JOIN);
	CHECK_INT(rdma_create_id(gone, &old, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_resolve_addr(old, NULL, address("10.0.0.1", PORT), 1), 0);
	of_gone = take(gone, RDMA_CM_EVENT_ADDR_RESOLVED);
	rdma_destroy_event_channel(gone); /* while its id has an event */
	timer_forget();
	event_forget();
	cm_forget();
	rig_names = 0;
	rig_sleeper = rig_must_not_sleep;
	CHECK_INT(rdma_leave_multicast(id, address("239.1.2.3", 0)), 0);
	CHECK_INT(rdma_destroy_id(id), 0);
	CHECK_INT(rdma_destroy_id(listener), 0);
	CHECK_INT(rdma_destroy_id(old), 0);
	rig_sleeper = NULL;
	rdma_destroy_event_channel(server);
	rdma_destroy_event_channel(client);
	free(join);
	free(of_gone);
}

/* In a child of fork(): what was the parent's is dead, and new things can be made. */
static void check_fork(void)
{
	struct rdma_cm_id *old_id, *old_listener;
	struct rdma_event_channel *old;
	struct rdma_cm_event *ev;

	open_both(RDMA_PS_TCP, "::");
	resolve("10.0.0.1");
	old = client;
	old_id = id;
	old_listener = listener;
	timer_forget();
	event_forget();
	cm_forget();
	rig_names = 0; /* the host has forgotten them too */
	FAILS(rdma_get_cm_event(old, &ev), EBADF);
	FAILS(rdma_connect(old_id, NULL), EINVAL);
	CHECK_INT(rdma_destroy_id(old_id), 0);
	CHECK_INT(rdma_destroy_id(old_listener), 0);
	rdma_destroy_event_channel(old);
	rdma_destroy_event_channel(server);
	open_both(RDMA_PS_TCP, "::");
	resolve("10.0.0.1");
	close_both();
}

int main(void)
{
	check_bind();
	check_loopback();
	check_backlog();
	check_resolve();
	check_channel_ends();
	check_event_replaced();
	check_qp_fails();
	check_disconnect_late();
	check_acks();
	check_options();
	check_addrinfo();
	check_devices();
	check_cancel();
	check_fork();
	check_fork_unacked();
	return checks_end();
}
