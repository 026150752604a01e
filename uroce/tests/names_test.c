// SPDX-License-Identifier: MIT
/* Names to listen on, and MADs that are handed on. */
#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "checks.h"
#include "netns.h"
#include "worker.h"

#define ANY4 "0.0.0.0"
#define ANY6 "::"

static struct worker a, b;

static void claims(struct worker *w, const char *what, int port)
{
	worker_ask(w, "claim %s", what);
	if (port)
		CHECK_INT(worker_number(w, "port"), port);
	else
		CHECK(worker_number(w, "port") > 0);
}

static void refused(struct worker *w, const char *what, int err)
{
	worker_ask(w, "claim %s", what);
	CHECK_INT(worker_number(w, "errno"), err);
}

/* The decision of the kernel's rdma_cm. */
static void test_claims(void)
{
	claims(&a, "106 7471 127.0.0.1", 7471); /* 0 */
	refused(&b, "106 7471 127.0.0.1", EADDRINUSE);
	refused(&a, "106 7471 127.0.0.1", EADDRINUSE);
	refused(&b, "106 7471 " ANY4, EADDRNOTAVAIL);
	refused(&a, "106 7471 " ANY4, EADDRNOTAVAIL);
	claims(&b, "106 7471 127.0.0.2", 7471); /* 0 */
	claims(&b, "106 7471 " ANY6, 7471);	/* 1 */
	refused(&a, "106 7471 ::1", EADDRNOTAVAIL);
	refused(&a, "106 7471 " ANY6, EADDRNOTAVAIL);
	claims(&a, "111 7471 127.0.0.1", 7471); /* 1: another port space */
	claims(&a, "106 7472 " ANY4, 7472);	/* 2 */
	refused(&b, "106 7472 127.0.0.1", EADDRNOTAVAIL);
	worker_ask(&a, "release 0");
	worker_ask(&b, "release 0");
	claims(&b, "106 7471 " ANY4, 7471); /* 2 */
	worker_ask(&a, "release 2");
	claims(&b, "106 7472 127.0.0.1", 7472); /* 3 */
}

static void test_ephemeral(void)
{
	int first, second;

	claims(&a, "106 0 " ANY4, 0);
	first = worker_number(&a, "port");
	claims(&b, "106 0 " ANY4, 0);
	second = worker_number(&b, "port");
	CHECK(first != second && first >= 32768 && second >= 32768);
	/* three ports are all there are */
	CHECK(netns_write("/proc/sys/net/ipv4/ip_local_port_range", "40001 40003"));
	for (unsigned i = 0; i < 3; i++) {
		claims(i % 2 ? &a : &b, "13f 0 127.0.0.1", 0);
		CHECK(worker_number(i % 2 ? &a : &b, "port") >= 40001);
		CHECK(worker_number(i % 2 ? &a : &b, "port") <= 40003);
	}
	refused(&a, "13f 0 127.0.0.1", EADDRNOTAVAIL);
	claims(&a, "13f 50000 127.0.0.1", 50000);
}

/* Each port but one is somebody's, of a single address: it is found, for any address, and what
 * a process that was killed had is free. None of them is one of the ports that a and b have got. */
static void test_ephemeral_crowded(void)
{
	struct worker c;

	CHECK(netns_write("/proc/sys/net/ipv4/ip_local_port_range", "20000 20039"));
	worker_start(&c, 0);
	worker_ask(&c, "join");
	for (unsigned i = 0; i < 39; i++)
		claims(&c, "106 0 127.0.0.1", 0);
	claims(&b, "106 0 " ANY4, 0);
	refused(&a, "106 0 " ANY4, EADDRNOTAVAIL);
	refused(&a, "106 0 127.0.0.1", EADDRNOTAVAIL);
	worker_kill(&c, SIGKILL);
	claims(&a, "106 0 " ANY4, 0);
	CHECK(worker_number(&a, "port") >= 20000 && worker_number(&a, "port") < 20040);
}

static void mads_come(struct worker *w, int n)
{
	for (unsigned attempts = 0; attempts < 2000 && atoi(worker_ask(w, "mads")) < n; attempts++)
		poll(NULL, 0, 1);
	CHECK_INT(atoi(w->answer), n);
}

static void test_forward(void)
{
	CHECK_STR(worker_ask(&a, "forward 2 1"), "0");
	mads_come(&b, 1);
	CHECK_STR(worker_ask(&b, "forward 1 10"), "0"); /* the kernel queues so many */
	mads_come(&a, 10);
	CHECK_INT(atoi(worker_ask(&a, "forward 3 1")), ECONNREFUSED);
	CHECK_INT(atoi(worker_ask(&a, "forward 0 1")), ECONNREFUSED);
	CHECK_INT(atoi(worker_ask(&a, "forward 64 1")), ECONNREFUSED);
	CHECK_STR(worker_ask(&a, "forward-name 106 7471 " ANY4), "0");
	mads_come(&b, 2);
	CHECK_STR(worker_ask(&b, "forward-name 111 7471 127.0.0.1"), "0");
	mads_come(&a, 11);
	CHECK_STR(worker_ask(&a, "forward-name 111 7471 127.0.0.1"), "0"); /* to itself */
	mads_come(&a, 12);
	CHECK_INT(atoi(worker_ask(&b, "forward-name 106 7471 127.0.0.1")), ECONNREFUSED);
}

/* One that is stopped keeps nobody from others, and what it missed is lost. */
static void test_forward_stopped(void)
{
	struct worker c;

	worker_start(&c, 0);
	worker_ask(&c, "join");
	CHECK_INT(worker_number(&c, "slot"), 3);
	worker_stop(&c);
	CHECK_INT(atoi(worker_ask(&a, "forward 3 1000")), EAGAIN);
	CHECK_STR(worker_ask(&a, "forward 2 1"), "0");
	mads_come(&b, 3);
	kill(c.pid, SIGCONT);
	for (unsigned i = 0; i < 1000 && atoi(worker_ask(&c, "mads")) < 10; i++)
		poll(NULL, 0, 1);
	CHECK(atoi(c.answer) >= 10 && atoi(c.answer) < 1000);
	worker_end(&c);
}

/* Names go with their process: at the latest with the next that starts, in any network. */
static void test_killed(void)
{
	worker_kill(&b, SIGKILL);
	CHECK_INT(atoi(worker_ask(&a, "forward-name 106 7471 " ANY4)), ECONNREFUSED);
	claims(&a, "106 7471 " ANY4, 7471);
	CHECK_STR(worker_ask(&a, "leave"), "ok");
	refused(&a, "106 7473 " ANY4, ENODEV);
	worker_ask(&a, "join");
	CHECK_INT(worker_number(&a, "slot"), 1);
	claims(&a, "106 7471 " ANY4, 7471);
	worker_end(&a);
}

int main(void)
{
	netns_enter();
	if (!netns_ip("addr add 127.0.0.2/8 dev lo")) {
		fprintf(stderr, "skipped: no ip(8)\n");
		return SKIPPED;
	}
	worker_start(&a, 0);
	worker_start(&b, 0);
	worker_ask(&a, "join");
	CHECK_INT(worker_number(&a, "slot"), 1);
	worker_ask(&b, "join");
	CHECK_INT(worker_number(&b, "slot"), 2);
	test_claims();
	test_ephemeral();
	test_ephemeral_crowded();
	test_forward();
	test_forward_stopped();
	test_killed();
	return checks_end();
}
