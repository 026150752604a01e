/* SPDX-License-Identifier: MIT */
/* traced_rough ADDRESS CASE [LEFT]: a program that is rough with its device, for trust.sh and
 * stuck.sh: "closed" closes the descriptors of all that it uses, and opens files in their places;
 * "exec" becomes itself LEFT times, "many" sends and adds five hundred times, "busy" works until it
 * is ended, "odd" posts lists that no device can take, and "lease" has leases of what vtrace reads.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "defects/case_rig.h"

#define FILES 200 /* the device has numbers of about 80 */

static void write_once(struct rig *r, struct ibv_qp *qp)
{
	check("ibv_post_send", post_request(r, qp, IBV_WR_RDMA_WRITE, 1, 4096,
					    (uintptr_t)r->memory + MEMORY / 2, r->mr->rkey));
	await_success(r->cq);
}

/* Each time other bytes arrive, in which a recording may look for the key and the address. */
static void exchange_once(struct rig *r, struct ibv_qp *qp, struct ibv_qp *peer, int i)
{
	const uint64_t there = (uintptr_t)r->memory + MEMORY / 2;

	memset(r->memory, i, 512);
	check("ibv_post_recv", post_receive(r, peer, 5, 512));
	check("SEND", post_request(r, qp, IBV_WR_SEND, 2, 512, 0, 0));
	await_success(r->cq);
	await_success(r->cq);
	check("ADD", post_request(r, qp, IBV_WR_ATOMIC_FETCH_AND_ADD, 3, 8, there, r->mr->rkey));
	await_success(r->cq);
	check("READ", post_request(r, qp, IBV_WR_RDMA_READ, 4, 512, there, r->mr->rkey));
	await_success(r->cq);
}

/* Each of the kinds of descriptors that a device may have of its own. */
static int open_file(int i)
{
	switch (i % 5) {
	case 0:
		return memfd_create("file", 0);
	case 1:
		return eventfd(0, EFD_NONBLOCK);
	case 2:
		return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	case 3:
		return epoll_create1(0);
	default:
		return socket(AF_INET, SOCK_DGRAM, 0);
	}
}

/* Is it as it was opened: nothing was written to it, nothing set, and it is not closed? */
static bool is_untouched(int i, int file)
{
	struct itimerspec timer = { .it_value.tv_sec = 1 };
	struct epoll_event event;
	uint64_t count;

	switch (i % 5) {
	case 0:
		return lseek(file, 0, SEEK_END) == 0;
	case 1:
		return read(file, &count, sizeof count) < 0 && errno == EAGAIN;
	case 2:
		return timerfd_gettime(file, &timer) == 0 && !timer.it_value.tv_sec &&
		       !timer.it_value.tv_nsec;
	case 3:
		return epoll_wait(file, &event, 1, 0) == 0;
	default:
		return fcntl(file, F_GETFD) == 0;
	}
}

static int file[FILES];

static void check_files(const char *when)
{
	for (int i = 0; i < FILES; i++)
		check(when, is_untouched(i, file[i]) ? 0 : EBADFD);
}

/* The device leaves files alone that have the numbers of its own descriptors now, and its end is
 * not awaited for ever. */
static void run_closed(struct rig *r, struct ibv_qp *qp)
{
	check("ibv_req_notify_cq", ibv_req_notify_cq(r->cq, 0));
	check("close_range", close_range(3, ~0U, 0) ? errno : 0);
	for (int i = 0; i < FILES; i++)
		file[i] = open_file(i);
	write_once(r, qp);
	check_files("files of the program");
}

static void *wait_for_events(void *channel)
{
	struct ibv_cq *cq;
	void *context;

	ibv_get_cq_event(channel, &cq, &context);
	return NULL;
}

static void run_busy(struct rig *r, struct ibv_qp *qp, struct ibv_comp_channel *channel)
{
	pthread_t thread;

	check("pthread_create", pthread_create(&thread, NULL, wait_for_events, channel));
	for (;;)
		write_once(r, qp);
}

/* Numbers of SGEs that are impossible, and lists that are their own rest: each is refused. */
static void run_odd(const struct rig *r, struct ibv_qp *qp)
{
	struct ibv_sge sge = { (uintptr_t)r->memory, 8, r->lkey };
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND }, *bad_send;
	struct ibv_recv_wr receive = { .num_sge = 0 }, *bad_receive;
	const int numbers[] = { INT32_MAX, 1 << 20, -1 };

	for (unsigned i = 0; i < 4 * sizeof numbers / sizeof *numbers; i++) {
		send.sg_list = receive.sg_list = i & 1 ? NULL : &sge;
		send.num_sge = receive.num_sge = numbers[i / 4];
		send.send_flags = i & 2 ? IBV_SEND_INLINE : 0;
		check("SGEs of a send", !ibv_post_send(qp, &send, &bad_send));
		check("SGEs of a receive", !ibv_post_recv(qp, &receive, &bad_receive));
	}
	send = (struct ibv_send_wr){ .next = &send, .sg_list = &sge, .num_sge = 1 };
	receive = (struct ibv_recv_wr){ .next = &receive, .sg_list = &sge, .num_sge = 1 };
	check("sends in a circle", !ibv_post_send(qp, &send, &bad_send));
	send.send_flags = IBV_SEND_INLINE;
	check("inline sends in a circle", !ibv_post_send(qp, &send, &bad_send));
	check("receives in a circle", !ibv_post_recv(qp, &receive, &bad_receive));
	exit(0);
}

/* Files beside those of the captured packets, which another process can only open when this one has
 * given them back. A child keeps them. */
static void run_lease(void)
{
	const char *pattern = getenv("UROCE_PCAP");
	char path[4096], to[4096];
	int fd;

	check("UROCE_PCAP", pattern ? 0 : ENOENT);
	signal(SIGIO, SIG_IGN);
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s.rough", pattern);
		snprintf(to, sizeof to, "%.*s/%d", (int)(strrchr(pattern, '/') - pattern), pattern,
			 900000 + i);
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		check("F_SETLEASE", fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK) ? errno : 0);
		check("rename", rename(path, to) ? errno : 0);
	}
	if (fork() == 0) {
		sleep(50);
		_exit(0);
	}
	exit(0);
}

/* Until vtrace has given back what it has read of the captured packets. */
static void await_hole(void)
{
	const char *pattern = getenv("UROCE_PCAP"), *pid = pattern ? strstr(pattern, "%p") : NULL;
	char path[4096];
	off_t end;
	int fd;

	if (!pid)
		return;
	snprintf(path, sizeof path, "%.*s%d%s", (int)(pid - pattern), pattern, (int)getpid(),
		 pid + 2);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	check("the captured packets", fd < 0 ? errno : 0);
	end = lseek(fd, 0, SEEK_END);
	for (unsigned i = 0; i < 500 && lseek(fd, 0, SEEK_HOLE) == end; i++)
		usleep(10000);
}

static void run_again(char **argv)
{
	await_hole();
	argv[3][0]--;
	execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
	struct ibv_comp_channel *channel;
	struct ibv_qp *qp, *peer;
	struct rig r;

	if (argc < 3)
		return 2;
	the_case = argv[2];
	open_rig(&r, argv[1], 64);
	channel = ibv_create_comp_channel(r.context);
	check("ibv_destroy_cq", ibv_destroy_cq(r.cq));
	r.cq = ibv_create_cq(r.context, 64, NULL, channel, 0);
	check("ibv_create_cq", r.cq ? 0 : errno);
	qp = make_qp(&r, r.cq, r.cq, NULL, 16);
	peer = make_qp(&r, r.cq, r.cq, NULL, 16);
	join(&r, qp, peer);
	if (is("odd"))
		run_odd(&r, qp);
	if (is("lease"))
		run_lease();
	if (is("busy"))
		run_busy(&r, qp, channel);
	for (int i = 0; is("many") && i < 500; i++)
		exchange_once(&r, qp, peer, i);
	for (int i = 0; i < 50; i++)
		write_once(&r, qp);
	if (is("exec") && argc == 4 && *argv[3] > '0')
		run_again(argv);
	if (is("closed"))
		run_closed(&r, qp);
	ibv_destroy_qp(qp);
	ibv_destroy_qp(peer);
	ibv_destroy_cq(r.cq);
	ibv_destroy_comp_channel(channel);
	ibv_dereg_mr(r.mr);
	ibv_dealloc_pd(r.pd);
	check("ibv_close_device", ibv_close_device(r.context));
	if (is("closed"))
		check_files("files of the program, when the device is closed");
	return 0;
}
