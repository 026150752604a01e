// SPDX-License-Identifier: MIT
/*
 * ids ADDRESS CASE
 *
 * Both ends of a connection of librdmacm in one process. In each case a call is refused, or an
 * event says that something has failed. Exit status 1.
 */
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>

#include "case_rig.h"

#define PORT "7473"

static const char *address;
static struct rdma_event_channel *of_server, *of_client;
static struct rdma_cm_id *listener, *client, *server;

/* Says how a call has ended that sets errno, and ends the program if it has failed. */
static void returns(const char *what, int result)
{
	ends(what, result ? errno : 0);
}

static struct sockaddr_storage socket_address(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST }, *list;
	struct sockaddr_storage to = { 0 };

	check("getaddrinfo", getaddrinfo(host, port, &hints, &list) ? EINVAL : 0);
	memcpy(&to, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return to;
}

/* The next event, which ends the program if it is not the one that is expected. */
static struct rdma_cm_id *await_event(struct rdma_event_channel *channel,
				      enum rdma_cm_event_type expected)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;
	enum rdma_cm_event_type type;

	check("poll", poll(&fd, 1, 5000) == 1 ? 0 : ETIMEDOUT);
	check("rdma_get_cm_event", rdma_get_cm_event(channel, &event));
	type = event->event;
	id = event->id;
	printf("%s, status %d\n", rdma_event_str(type), event->status);
	rdma_ack_cm_event(event);
	if (type != expected)
		exit(1);
	return id;
}

static void create_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = 4,
			.max_recv_wr = 4,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	returns("rdma_create_qp", rdma_create_qp(id, NULL, &init));
}

static void begin_listening(const char *host)
{
	struct sockaddr_storage at = socket_address(host, PORT);

	check("rdma_create_id", rdma_create_id(of_server, &listener, NULL, RDMA_PS_TCP));
	check("rdma_bind_addr", rdma_bind_addr(listener, (void *)&at));
	check("rdma_listen", rdma_listen(listener, 4));
}

static void resolve(const char *host)
{
	struct sockaddr_storage to = socket_address(host, PORT);

	check("rdma_create_id", rdma_create_id(of_client, &client, NULL, RDMA_PS_TCP));
	returns("rdma_resolve_addr", rdma_resolve_addr(client, NULL, (void *)&to, 1000));
	await_event(of_client, RDMA_CM_EVENT_ADDR_RESOLVED);
	returns("rdma_resolve_route", rdma_resolve_route(client, 1000));
	await_event(of_client, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

/* The client asks, and the server gets its request. */
static void ask(void)
{
	static char data[256];
	struct rdma_conn_param param = { .retry_count = 7, .private_data = data };

	if (is("connect_57_bytes"))
		param.private_data_len = 57;
	if (is("connect_200_reads"))
		param.responder_resources = 200;
	begin_listening(address);
	resolve(address);
	create_qp(client);
	returns("rdma_connect", rdma_connect(client, &param));
	server = await_event(of_server, RDMA_CM_EVENT_CONNECT_REQUEST);
}

static void answer(void)
{
	static char data[256];
	struct rdma_conn_param param = { .private_data = data };

	ask();
	if (is("accept_197_bytes"))
		param.private_data_len = 197;
	if (is("reject_149_bytes"))
		returns("rdma_reject", rdma_reject(server, data, 149));
	if (is("reject"))
		returns("rdma_reject", rdma_reject(server, NULL, 0));
	else
		create_qp(server);
	if (!is("reject"))
		returns("rdma_accept", rdma_accept(server, &param));
	await_event(of_client, RDMA_CM_EVENT_ESTABLISHED);
}

static void call_too_early(void)
{
	struct rdma_conn_param param = { .retry_count = 7 };
	struct sockaddr_storage to = socket_address(address, PORT);

	check("rdma_create_id", rdma_create_id(of_client, &client, NULL, RDMA_PS_TCP));
	if (is("connect_unbound"))
		returns("rdma_connect", rdma_connect(client, &param));
	if (is("route_unbound"))
		returns("rdma_resolve_route", rdma_resolve_route(client, 1000));
	if (is("accept_unbound"))
		returns("rdma_accept", rdma_accept(client, &param));
	if (is("disconnect_unbound"))
		returns("rdma_disconnect", rdma_disconnect(client));
	if (is("qp_unbound"))
		create_qp(client);
	returns("rdma_resolve_addr", rdma_resolve_addr(client, NULL, (void *)&to, 1000));
	await_event(of_client, RDMA_CM_EVENT_ADDR_RESOLVED);
	returns("rdma_connect", rdma_connect(client, &param));
}

/* There is no way to go, or no second one. */
static void resolve_wrongly(void)
{
	struct sockaddr_storage to = socket_address(is("link_local") ? "fe80::1234" : address,
						    PORT);
	struct sockaddr_storage from = socket_address("192.0.2.9", "0");

	if (is("no_family"))
		to.ss_family = AF_UNSPEC;
	check("rdma_create_id", rdma_create_id(of_client, &client, NULL, RDMA_PS_TCP));
	if (is("join_unbound"))
		returns("rdma_join_multicast", rdma_join_multicast(client, (void *)&to, NULL));
	returns("rdma_resolve_addr",
		rdma_resolve_addr(client, is("foreign_source") ? (void *)&from : NULL, (void *)&to,
				  1000));
	await_event(of_client, RDMA_CM_EVENT_ADDR_RESOLVED);
	returns("rdma_resolve_addr", rdma_resolve_addr(client, NULL, (void *)&to, 1000));
}

/* The answer names the QP 0. */
static void accept_without_qp(void)
{
	struct rdma_conn_param param = { .retry_count = 2, .responder_resources = 1 };
	struct ibv_sge sge = { 0 };
	struct ibv_send_wr wr = { .sg_list = &sge, .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct ibv_wc wc;

	ask();
	returns("rdma_accept", rdma_accept(server, &param));
	await_event(of_client, RDMA_CM_EVENT_ESTABLISHED);
	returns("ibv_post_send", ibv_post_send(client->qp, &wr, &bad));
	exit(await_within(client->qp->send_cq, &wc, 20000) == 1 && !wc.status ? 0 : 1);
}

static void bind_wrongly(void)
{
	struct sockaddr_storage at = socket_address(is("bind_foreign") ? "192.0.2.9" : address,
						    PORT);
	struct rdma_cm_id *second;

	begin_listening(address);
	check("rdma_create_id", rdma_create_id(of_client, &second, NULL, RDMA_PS_TCP));
	returns("rdma_bind_addr", rdma_bind_addr(second, (void *)&at));
	returns("rdma_listen", rdma_listen(second, 1));
}

/* A listener on all addresses is of no device. */
static void use_listener(void)
{
	begin_listening("0.0.0.0");
	create_qp(listener);
}

static void ask_nobody(void)
{
	struct rdma_conn_param param = { .retry_count = 7 };

	if (is("listener_elsewhere"))
		begin_listening("10.0.0.2");
	resolve(is("unreachable") ? "10.0.0.77" : address);
	create_qp(client);
	returns("rdma_connect", rdma_connect(client, &param));
	await_event(of_client, RDMA_CM_EVENT_ESTABLISHED);
}

static void look_up(void)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *found;

	ends("rdma_getaddrinfo",
	     rdma_getaddrinfo((char *)(is("gai_no_host") ? "no.such.host.invalid" : address),
			      (char *)(is("gai_no_service") ? "nosuchservice" : PORT), &hints,
			      &found));
}

static void establish(void)
{
	struct rdma_conn_param param = { .retry_count = 2, .rnr_retry_count = 1 };

	ask();
	create_qp(server);
	returns("rdma_accept", rdma_accept(server, &param));
	await_event(of_client, RDMA_CM_EVENT_ESTABLISHED);
	await_event(of_server, RDMA_CM_EVENT_ESTABLISHED);
}

/* A second time what an id takes once. */
static void call_again(void)
{
	struct rdma_conn_param param = { .retry_count = 7 };
	struct sockaddr_storage any = socket_address("0.0.0.0", "0");

	establish();
	if (is("connect_again"))
		returns("rdma_connect", rdma_connect(client, &param));
	if (is("accept_again"))
		returns("rdma_accept", rdma_accept(server, &param));
	if (is("listen_again"))
		returns("rdma_listen", rdma_listen(listener, 4));
	if (is("listen_connected"))
		returns("rdma_listen", rdma_listen(client, 4));
	if (is("bind_again"))
		returns("rdma_bind_addr", rdma_bind_addr(listener, (void *)&any));
	create_qp(client); /* qp_again */
}

/* The QP of the server goes with no word to the client. */
static void destroy_server(void)
{
	struct ibv_sge sge = { 0 };
	struct ibv_send_wr wr = { .sg_list = &sge, .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct ibv_wc wc;

	establish();
	rdma_destroy_qp(server);
	returns("ibv_post_send", ibv_post_send(client->qp, &wr, &bad));
	exit(await_within(client->qp->send_cq, &wc, 20000) == 1 && !wc.status ? 0 : 1);
}

/* The id has a device and a route, and is of no request. */
static void answer_nobody(void)
{
	struct rdma_conn_param param = { .retry_count = 7 };
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	begin_listening(address);
	resolve(address);
	if (is("qp_of_other_space"))
		returns("rdma_create_qp", rdma_create_qp(client, NULL, &init));
	returns("rdma_accept", rdma_accept(client, &param));
}

static void resolve_two_families(void)
{
	struct sockaddr_storage to = socket_address("fd00::1", PORT);
	struct sockaddr_storage from = socket_address("10.0.0.1", "0");

	check("rdma_create_id", rdma_create_id(of_client, &client, NULL, RDMA_PS_TCP));
	returns("rdma_resolve_addr", rdma_resolve_addr(client, (void *)&from, (void *)&to, 1000));
}

static void create_wrongly(void)
{
	returns("rdma_create_id", rdma_create_id(of_client, &client, NULL, 77));
}

static void make_endpoint(void)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *found;
	struct ibv_qp_init_attr attr = { .cap = { .max_send_wr = 1, .max_send_sge = 1 } };

	check("rdma_getaddrinfo", rdma_getaddrinfo((char *)address, "7471", &hints, &found));
	returns("rdma_create_ep", rdma_create_ep(&client, found, NULL, &attr));
}

static const struct named_case cases[] = {
	{ "connect_57_bytes", ask },
	{ "connect_200_reads", ask },
	{ "accept_197_bytes", answer },
	{ "reject_149_bytes", answer },
	{ "reject", answer },
	{ "connect_unbound", call_too_early },
	{ "route_unbound", call_too_early },
	{ "accept_unbound", call_too_early },
	{ "disconnect_unbound", call_too_early },
	{ "qp_unbound", call_too_early },
	{ "connect_without_route", call_too_early },
	{ "link_local", resolve_wrongly },
	{ "no_family", resolve_wrongly },
	{ "foreign_source", resolve_wrongly },
	{ "join_unbound", resolve_wrongly },
	{ "resolve_twice", resolve_wrongly },
	{ "accept_without_qp", accept_without_qp },
	{ "bind_twice", bind_wrongly },
	{ "bind_foreign", bind_wrongly },
	{ "qp_of_listener", use_listener },
	{ "nobody_listens", ask_nobody },
	{ "listener_elsewhere", ask_nobody },
	{ "unreachable", ask_nobody },
	{ "connect_again", call_again },
	{ "accept_again", call_again },
	{ "listen_again", call_again },
	{ "listen_connected", call_again },
	{ "bind_again", call_again },
	{ "qp_again", call_again },
	{ "peer_destroyed", destroy_server },
	{ "accept_own", answer_nobody },
	{ "qp_of_other_space", answer_nobody },
	{ "two_families", resolve_two_families },
	{ "port_space_77", create_wrongly },
	{ "ep_without_cq", make_endpoint },
	{ "gai_no_host", look_up },
	{ "gai_no_service", look_up },
};

static void begin(const char *at)
{
	address = at;
	of_server = rdma_create_event_channel();
	of_client = rdma_create_event_channel();
}

int main(int argc, char **argv)
{
	return run_named(cases, sizeof cases / sizeof *cases, begin, NULL, argc, argv);
}
