// SPDX-License-Identifier: MIT
/* Processes that share the port: who gets what, and what happens when they go. */
#include "group.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "checks.h"
#include "gid.h"
#include "group_own.h"
#include "netns.h"
#include "packet.h"
#include "worker.h"

#define STRANGER 65534 /* a user without rights */

static int sender[2] = { -1, -1 };

/* A BTH to that QP over IPv4 and IPv6. */
static void send_to(uint32_t qpn)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(ROCE_PORT) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(ROCE_PORT) };
	uint8_t bth[16] = { 4, 0, 0xff, 0xff, 0xc0 };

	bth[5] = (uint8_t)(qpn >> 16);
	bth[6] = (uint8_t)(qpn >> 8);
	bth[7] = (uint8_t)qpn;
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	in6.sin6_addr = in6addr_loopback;
	if (sender[0] < 0) {
		sender[0] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		sender[1] = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	}
	CHECK_INT(sendto(sender[0], bth, 16, 0, (struct sockaddr *)&in, sizeof(in)), 16);
	CHECK_INT(sendto(sender[1], bth, 16, 0, (struct sockaddr *)&in6, sizeof(in6)), 16);
}

static unsigned waiting_at(int fd)
{
	uint8_t data[64];
	unsigned n = 0;

	while (recv(fd, data, sizeof(data), MSG_DONTWAIT) >= 0)
		n++;
	return n;
}

/* Every slot gets its own, of both families, and nothing else. */
static void test_steering(void)
{
	static const uint32_t low[] = { 0, 0x155aa, 0x3ffff };
	char why[400] = "";

	if (group_join(why, sizeof(why)) != 0) {
		fprintf(stderr, "%s\n", why);
		exit(1);
	}
	CHECK_INT(group_slot(), 1);
	CHECK(sockets_valid(group.rx));
	for (unsigned slot = 1; slot < SLOTS; slot++)
		for (unsigned i = 0; i < 3; i++) {
			send_to(slot << SLOT_SHIFT | low[i]);
			CHECK_INT(waiting_at(group.rx[slot]), 2);
		}
	send_to(1);
	CHECK_INT(waiting_at(group_gsi_fd()), 2);
	for (unsigned slot = 0; slot < SLOTS; slot++)
		CHECK_INT(waiting_at(group.rx[slot]), 0);
}

static int option_of(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	CHECK_INT(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

/* The identification that the ICRC covers is 0, and nothing is cut into fragments. */
static void test_senders(void)
{
	int v4 = group_send_fd(AF_INET), v6 = group_send_fd(AF_INET6);

	CHECK(v4 >= 0 && v6 >= 0);
	CHECK_INT(option_of(v4, IPPROTO_IP, IP_MTU_DISCOVER), IP_PMTUDISC_PROBE);
	CHECK_INT(option_of(v6, IPPROTO_IPV6, IPV6_MTU_DISCOVER), IPV6_PMTUDISC_PROBE);
	CHECK(group_send_port(AF_INET) >= 0xc000 && group_send_port(AF_INET6) >= 0xc000);
	CHECK(option_of(group_fd(), SOL_SOCKET, SO_RCVBUF) >= 212992);
	CHECK(option_of(group.rx[9], SOL_SOCKET, SO_RCVBUF) < 10000);
	for (unsigned slot = 0; slot < SLOTS; slot++)
		CHECK_INT(fcntl(group.rx[slot], F_GETFD), FD_CLOEXEC);
	group_leave();
	CHECK_INT(group_slot(), 0);
	CHECK_INT(group_fd(), -1);
}

static void joins(struct worker *w, int slot)
{
	worker_ask(w, "join");
	if (worker_number(w, "slot") < 0)
		fprintf(stderr, "%s\n", w->answer);
	if (slot)
		CHECK_INT(worker_number(w, "slot"), slot);
	else
		CHECK(worker_number(w, "slot") > 0);
}

static void fails(struct worker *w, int err, const char *words)
{
	worker_ask(w, "join");
	if (worker_number(w, "errno") != err || !strstr(w->answer, words))
		fprintf(stderr, "answer: %s\n", w->answer);
	CHECK_INT(worker_number(w, "errno"), err);
	CHECK(strstr(w->answer, words));
}

static void each_gets_its_own(struct worker *w, const int *slots, unsigned n, unsigned times)
{
	unsigned before[8] = { 0 }, own, other;

	for (unsigned i = 0; i < n; i++)
		CHECK_INT(sscanf(worker_ask(&w[i], "packets"), "%u %u", &before[i], &other), 2);
	for (unsigned k = 0; k < times; k++)
		for (unsigned i = 0; i < n; i++)
			send_to((uint32_t)slots[i] << SLOT_SHIFT | k);
	for (unsigned i = 0; i < n; i++) {
		unsigned attempts = 0;

		do { /* the answer may be ahead of the packets */
			CHECK_INT(sscanf(worker_ask(&w[i], "packets"), "%u %u", &own, &other), 2);
		} while (own < before[i] + 2 * times && attempts++ < 1000);
		CHECK_INT(own, before[i] + 2 * times);
		CHECK_INT(other, 0);
	}
}

/* The one that made the sockets is killed; the others do not notice, it comes back, and a
 * newcomer gets them from those that are left. */
static void test_creator_killed(void)
{
	struct worker w[6];
	int slots[6];

	for (unsigned i = 0; i < 5; i++) {
		worker_start(&w[i], 0);
		joins(&w[i], (int)i + 1);
		slots[i] = (int)i + 1;
	}
	each_gets_its_own(w, slots, 5, 20);
	for (unsigned k = 0; k < 10; k++) { /* packets for it are under way */
		send_to(1u << SLOT_SHIFT | k);
		send_to(3u << SLOT_SHIFT | k);
	}
	worker_kill(&w[0], SIGKILL);
	send_to(1u << SLOT_SHIFT | 99); /* to nobody */
	worker_start(&w[0], 0);
	joins(&w[0], 1);
	CHECK_STR(worker_ask(&w[0], "packets"), "0 0"); /* none of its predecessor's */
	each_gets_its_own(w, slots, 5, 20);
	worker_start(&w[5], 0);
	joins(&w[5], 6);
	slots[5] = 6;
	for (unsigned i = 0; i < 5; i++)
		worker_kill(&w[i], SIGKILL);
	each_gets_its_own(w + 5, slots + 5, 1, 20);
	worker_end(&w[5]);
}

/* All go, and others come at once: a port that is just being closed is waited for. */
static void test_comes_and_goes(void)
{
	struct worker w;

	for (unsigned i = 0; i < 20; i++) {
		worker_start(&w, 0);
		joins(&w, 0);
		if (i % 2)
			worker_kill(&w, SIGKILL);
		else
			worker_end(&w);
	}
	worker_start(&w, 0);
	for (unsigned i = 0; i < 10; i++) {
		joins(&w, 1);
		CHECK_STR(worker_ask(&w, "leave"), "ok");
	}
	worker_end(&w);
}

/* Many begin at the same time. */
static void test_crowd(void)
{
	struct worker w[8];
	int slots[8];
	unsigned seen = 0;

	for (unsigned i = 0; i < 8; i++) {
		worker_start(&w[i], 0);
		worker_tell(&w[i], "join");
	}
	for (unsigned i = 0; i < 8; i++) {
		worker_answer(&w[i]);
		slots[i] = worker_number(&w[i], "slot");
		CHECK(slots[i] >= 1 && slots[i] <= 8);
		seen |= 1u << slots[i];
	}
	CHECK_INT(seen, 0x1fe);
	each_gets_its_own(w, slots, 8, 10);
	for (unsigned i = 0; i < 8; i++)
		worker_end(&w[i]);
}

/* The only one that has the sockets is stopped: they are copied out of it. */
static void test_stopped(void)
{
	struct worker a, b;
	int slots[2] = { 1, 2 };

	worker_start(&a, 0);
	joins(&a, 1);
	worker_stop(&a);
	worker_start(&b, 0);
	joins(&b, 2);
	each_gets_its_own(&b, slots + 1, 1, 10);
	send_to(1u << SLOT_SHIFT | 5);
	kill(a.pid, SIGCONT);
	each_gets_its_own(&b, slots + 1, 1, 10);
	worker_kill(&a, SIGKILL);
	worker_end(&b);
}

static bool can_be_stranger(void)
{
	const bool can = worker_can_be(STRANGER);

	if (!can)
		printf("there is no other user: not all is tested\n");
	return can;
}

/* A user who may not look into the stopped process is told which it is. */
static void test_stopped_closed(void)
{
	struct worker a, b;

	if (!can_be_stranger())
		return;
	worker_start(&a, STRANGER);
	joins(&a, 1);
	worker_stop(&a);
	/* after setuid() a process is closed to others of its user, until it runs a program */
	worker_start(&b, STRANGER);
	worker_ask(&b, "join");
	if (worker_number(&b, "slot") < 0) {
		CHECK_INT(worker_number(&b, "errno"), EBUSY);
		CHECK(strstr(b.answer, "do not answer"));
		CHECK(strstr(b.answer, "kill -CONT"));
	}
	kill(a.pid, SIGCONT);
	worker_ask(&b, "leave");
	joins(&b, 2);
	worker_end(&a);
	worker_end(&b);
}

static void test_users(void)
{
	struct worker root, stranger;
	char words[80];

	if (!can_be_stranger())
		return;
	worker_start(&stranger, STRANGER);
	joins(&stranger, 1);
	worker_start(&root, 0);
	snprintf(words, sizeof(words), "process %d (group_test) of user", (int)stranger.pid);
	fails(&root, EADDRINUSE, words);
	worker_end(&stranger);
	joins(&root, 1);
	worker_start(&stranger, STRANGER);
	fails(&stranger, EADDRINUSE, "of user root");
	worker_end(&stranger);
	worker_end(&root);
}

/* A socket that has the port. Those of processes that are gone are closed in the kernel's own time.
 */
static int port_socket(int reuse)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(ROCE_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	unsigned attempts = 0;

	CHECK_INT(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &reuse, sizeof(reuse)), 0);
	while (bind(fd, (struct sockaddr *)&in, sizeof(in)) != 0 && attempts++ < 2000)
		poll(NULL, 0, 1);
	CHECK(attempts < 2000);
	return fd;
}

/* A socket that no process has any more is about to be closed, which takes longer than it takes a
 * process to end if the machine is busy. Here it is on its way through a socket that nobody reads.
 */
static void test_closing(void)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	char byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control.room,
			    .msg_controllen = sizeof(control.room) };
	struct worker w;
	int fd, way[2];

	worker_start(&w, 0);
	fd = port_socket(0);
	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, way), 0);
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	CHECK_INT(sendmsg(way[0], &m, 0), 1);
	close(fd);
	worker_tell(&w, "join");
	CHECK_INT(poll(&(struct pollfd){ .fd = w.fd, .events = POLLIN }, 1, 800), 0); /* it waits */
	close(way[0]);
	close(way[1]);
	worker_answer(&w);
	CHECK_INT(worker_number(&w, "slot"), 1);
	worker_end(&w);
}

static void test_other_program(void)
{
	struct worker w;
	char words[80];

	snprintf(words, sizeof(words), "in use: by process %d (group_test)", (int)getpid());
	worker_start(&w, 0); /* before, so as not to inherit it */
	/* one that would let us in is no group either */
	for (int reuse = 0; reuse < 2; reuse++) {
		int fd = port_socket(reuse);

		fails(&w, EADDRINUSE, words);
		close(fd);
	}
	joins(&w, 1);
	worker_end(&w);
}

static void test_fork(void)
{
	struct worker w;
	int slots[1] = { 1 };

	worker_start(&w, 0);
	joins(&w, 1);
	worker_ask(&w, "fork"); /* the child asks its parent, who is waiting: it is silent */
	CHECK_INT(worker_number(&w, "slot"), 2);
	each_gets_its_own(&w, slots, 1, 10);
	worker_end(&w);
}

/* A child that nobody was told of keeps the sockets, also that of the slot, but not the slot. */
static void test_raw_fork(void)
{
	struct worker a, b;
	int slots[1] = { 1 };
	pid_t child;

	worker_start(&a, 0);
	joins(&a, 1);
	worker_ask(&a, "clone");
	child = worker_number(&a, "pid");
	CHECK(child > 0);
	worker_kill(&a, SIGKILL);
	worker_start(&b, 0);
	joins(&b, 1);
	each_gets_its_own(&b, slots, 1, 10);
	kill(child, SIGKILL); /* which is nobody's to wait for */
	worker_end(&b);
}

static void test_full(void)
{
	static struct worker w[SLOTS];

	for (unsigned i = 0; i < SLOTS - 1; i++) {
		worker_start(&w[i], 0);
		joins(&w[i], (int)i + 1);
	}
	worker_start(&w[SLOTS - 1], 0);
	fails(&w[SLOTS - 1], EUSERS, "no room for more");
	worker_end(&w[40]);
	joins(&w[SLOTS - 1], 41);
	for (unsigned i = 0; i < SLOTS; i++)
		if (i != 40)
			worker_end(&w[i]);
}

static void test_descriptors(void)
{
	struct worker a, b;

	worker_start(&a, 0);
	CHECK_STR(worker_ask(&a, "limit 60"), "0");
	fails(&a, EMFILE, "ulimit -n");
	worker_start(&b, 0);
	joins(&b, 1);
	fails(&a, EMFILE, "ulimit -n");
	worker_end(&a);
	worker_end(&b);
}

/* A group of IPv4 sockets; who has IPv6 can join it. */
static void test_no_ipv6(void)
{
	struct worker w[2];
	unsigned own = 0, other, attempts = 0;
	uint8_t bth[16] = { 4, 0, 0xff, 0xff };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(ROCE_PORT) };

	worker_start(&w[0], 0);
	if (strcmp(worker_ask(&w[0], "lose-ipv6"), "ok") != 0) {
		printf("no seccomp: not all is tested\n");
		worker_end(&w[0]);
		return;
	}
	joins(&w[0], 1);
	worker_start(&w[1], 0);
	joins(&w[1], 2);
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (unsigned slot = 1; slot <= 2; slot++) {
		bth[5] = (uint8_t)(slot << (8 - SLOT_BITS));
		CHECK_INT(sendto(sender[0], bth, 16, 0, (struct sockaddr *)&in, sizeof(in)), 16);
	}
	for (unsigned i = 0; i < 2; i++) {
		for (own = attempts = 0; own < 1 && attempts < 1000; attempts++)
			CHECK_INT(sscanf(worker_ask(&w[i], "packets"), "%u %u", &own, &other), 2);
		CHECK_INT(own, 1);
		CHECK_INT(other, 0);
		worker_end(&w[i]);
	}
}

/* On a kernel that cannot steer the device does not open, and says why. */
static void test_no_steering(void)
{
	struct worker w;

	worker_start(&w, 0);
	if (strcmp(worker_ask(&w, "lose-steering"), "ok") == 0)
		fails(&w, ENOSYS, "SO_ATTACH_REUSEPORT_CBPF");
	else
		printf("no seccomp: not all is tested\n");
	worker_end(&w);
}

static unsigned answered, silent;
static struct worker *asked;

static void take_status(void *arg, unsigned slot, int pid, const char *text)
{
	CHECK(arg == &answered);
	CHECK(slot >= 1 && slot <= 2);
	CHECK_INT(pid, asked[slot - 1].pid);
	if (!text) {
		silent++;
		return;
	}
	CHECK(strstr(text, "a process of the test"));
	answered++;
}

static void test_status(void)
{
	struct worker w[2];

	asked = w;
	CHECK_INT(group_status(take_status, &answered), 0);
	CHECK_INT(answered + silent, 0);
	for (unsigned i = 0; i < 2; i++) {
		worker_start(&w[i], 0);
		joins(&w[i], (int)i + 1);
	}
	CHECK_INT(group_status(take_status, &answered), 0);
	CHECK_INT(answered, 2);
	worker_stop(&w[0]);
	CHECK_INT(group_status(take_status, &answered), 0);
	CHECK_INT(answered, 3);
	CHECK_INT(silent, 1);
	worker_kill(&w[0], SIGKILL);
	worker_end(&w[1]);
}

/* Messages that others of this user send are not believed. */
static void test_rubbish(void)
{
	struct socket_dir dir;
	struct local_name name;
	struct control_header h = { CONTROL_MAGIC, CONTROL_MAD, 8, 0 };
	char data[300] = { 0 };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct worker w;
	int slots[1] = { 1 };

	worker_start(&w, 0);
	joins(&w, 1);
	CHECK_INT(socket_dir_look(&dir), 0);
	name = control_name(&dir, 1);
	CHECK_INT(sendto(fd, data, 3, 0, (void *)&name.un, name.len), 3);
	CHECK_INT(sendto(fd, data, 300, 0, (void *)&name.un, name.len), 300);
	memcpy(data, &h, sizeof(h)); /* its length is a lie, and short for a MAD */
	CHECK(sendto(fd, data, 300, 0, (void *)&name.un, name.len) > 0);
	CHECK(sendto(fd, data, sizeof(h) + 8, 0, (void *)&name.un, name.len) > 0);
	for (unsigned type = 0; type < 20; type++) /* with a descriptor that nobody asked for */
		while (control_send(fd, &name, type, 63, data, 40, &null, 1) != 0)
			CHECK_INT(errno, EAGAIN);
	h.magic++;
	h.type = CONTROL_ASK_SOCKETS;
	h.length = 0;
	memcpy(data, &h, sizeof(h));
	CHECK(send(fd, "", 0, 0) < 0);
	while (sendto(fd, data, sizeof(h), 0, (void *)&name.un, name.len) < 0)
		CHECK_INT(errno, EAGAIN);
	each_gets_its_own(&w, slots, 1, 5);
	CHECK_STR(worker_ask(&w, "mads"), "0");
	socket_dir_close(&dir);
	close(fd);
	close(null);
	worker_end(&w);
}

int main(void)
{
	netns_enter();
	test_steering();
	test_senders();
	test_creator_killed();
	test_comes_and_goes();
	test_crowd();
	test_stopped();
	test_stopped_closed();
	test_users();
	test_closing();
	test_other_program();
	test_fork();
	test_raw_fork();
	test_full();
	test_descriptors();
	test_no_ipv6();
	test_no_steering();
	test_status();
	test_rubbish();
	return checks_end();
}
