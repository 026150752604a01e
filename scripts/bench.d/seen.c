// SPDX-License-Identifier: MIT
/*
 * Measures how much of a transfer a packet capture sees, for "scripts/bench uroce".
 *
 *   seen SECONDS COMMAND...   starts the command, opens a packet socket on the loopback two
 *                             seconds later, and prints the percentage of the packets of RC SENDs
 *                             that it has seen within SECONDS, not counting the first 100 ms; of
 *                             the two directions, the lower one
 *
 * Each direction of a QP has its own PSNs: a PSN that is missing between the first and the last
 * one is a packet that was not seen. If no packet came in time, the result is 0.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define IPV4_BYTES    20
#define UDP_BYTES     8
#define ROCE_PORT     4791
#define RC_SEND_ONLY  4
#define WARM_UP	      2	   /* seconds */
#define SETTLE	      0.1  /* seconds after which all must be seen */
#define LATE	      0.05 /* more seconds for the first one to come */
#define RECEIVE_BYTES (64 << 20)

static struct direction {
	uint32_t qpn, first, last, seen;
} directions[2];
static double began;

/* loopback shows each packet twice: outgoing, and incoming */
static int open_socket(void)
{
	struct sockaddr_ll lo = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_ALL),
				  .sll_ifindex = (int)if_nametoindex("lo") };
	int fd = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL)), size = RECEIVE_BYTES;

	need(fd >= 0, "socket");
	need(bind(fd, (struct sockaddr *)&lo, sizeof lo) == 0, "bind");
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
	return fd;
}

static void take(const unsigned char *ip, ssize_t n)
{
	const unsigned char *udp = ip + IPV4_BYTES, *bth = udp + UDP_BYTES;
	uint32_t qpn, psn;
	unsigned i = 0;

	if (n < IPV4_BYTES + UDP_BYTES + 12 || ip[0] != 0x45 || ip[9] != IPPROTO_UDP ||
	    (udp[2] << 8 | udp[3]) != ROCE_PORT || bth[0] != RC_SEND_ONLY)
		return;
	qpn = (uint32_t)(bth[5] << 16 | bth[6] << 8 | bth[7]);
	psn = (uint32_t)(bth[9] << 16 | bth[10] << 8 | bth[11]);
	while (i < 2 && directions[i].qpn && directions[i].qpn != qpn)
		i++;
	if (i == 2)
		return;
	if (!directions[i].qpn)
		directions[i] = (struct direction){ qpn, psn, psn, 1 };
	else if (psn > directions[i].last) {
		directions[i].last = psn;
		directions[i].seen++;
	}
}

static double percent(void)
{
	double worst = 100;

	for (unsigned i = 0; i < 2; i++) {
		const struct direction *d = &directions[i];
		double part = d->qpn ? 100.0 * d->seen / (d->last - d->first + 1) : 0;

		worst = part < worst ? part : worst;
	}
	return worst;
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[1]) : 0;
	unsigned char ip[128];
	double opened;
	pid_t pid;
	int fd;

	if (!(seconds > 0)) {
		fprintf(stderr, "usage: seen SECONDS COMMAND...\n");
		return 2;
	}
	pid = fork();
	need(pid >= 0, "fork");
	if (pid == 0) {
		setpgid(0, 0);
		need(dup2(2, 1) == 1, "dup2");
		execvp(argv[2], argv + 2);
		need(0, argv[2]);
	}
	sleep(WARM_UP);
	fd = open_socket();
	opened = now();
	while (now() - opened < seconds) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		struct sockaddr_ll from;
		socklen_t len = sizeof from;
		ssize_t n;

		if (poll(&p, 1, 10) <= 0)
			continue;
		n = recvfrom(fd, ip, sizeof ip, MSG_DONTWAIT, (struct sockaddr *)&from, &len);
		if (n < 0 || from.sll_pkttype == PACKET_OUTGOING || now() - opened < SETTLE)
			continue;
		take(ip, n);
		if (began == 0 && directions[0].qpn)
			began = now();
	}
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("%.3f\n", began == 0 || began - opened > SETTLE + LATE ? 0 : percent());
	return 0;
}
