// SPDX-License-Identifier: MIT
/* UDP port 4791, which RoCEv2 uses: who holds it here, and whether packets to it get in. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "doctor.h"
#include "launch.h"

#define ROCE_PORT 4791

/* The kernel's devices hold it by sockets of their own, without an owner. */
static void check_holder(struct checkup *c)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(ROCE_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return;
	err = bind(fd, (struct sockaddr *)&any, sizeof any) ? errno : 0;
	if (!err)
		doctor_ok(c, "UDP 4791", "nobody has it");
	else if (err == EADDRINUSE && launch_loaded())
		doctor_ok(c, "UDP 4791", "in use; by programs on uroce0: uroce status tells which");
	else if (err == EADDRINUSE && doctor_exists(REAL_SYS "/module/rdma_rxe"))
		doctor_ok(c, "UDP 4791", "rdma_rxe has it");
	else
		doctor_unsure(c, "UDP 4791", "sudo ss -ulnp 'sport = :4791'", "taken: %s",
			      strerror(err));
	close(fd);
}

/* Reads what a command writes; false: it cannot be run or says no. */
static bool run(const char *command, char *text, size_t size)
{
	FILE *p = popen(command, "re"); /* words of ours only */
	size_t n = p ? fread(text, 1, size - 1, p) : 0;

	text[n] = 0;
	return p && pclose(p) == 0;
}

/* A chain of what comes in that drops what no rule of it accepts. nft writes hook and policy on
 * one line; chains of what is forwarded drop on every host of containers, and do not count. */
static bool drops_by_policy(const char *rules)
{
	for (const char *at = rules; (at = strstr(at, "hook input")); at++) {
		size_t rest = strcspn(at, "\n");

		if (memmem(at, rest, "policy drop", strlen("policy drop")))
			return true;
	}
	return false;
}

static void check_firewall(struct checkup *c)
{
	static char rules[1 << 20];

	if (!doctor_exists("/usr/sbin/nft")) {
		doctor_ok(c, "firewall", "no nft here");
		return;
	}
	if (!run("/usr/sbin/nft list ruleset 2>/dev/null", rules, sizeof rules)) {
		doctor_unsure(c, "firewall", "sudo nft list ruleset | grep -e 4791 -e policy",
			      "its rules are for root to read");
		return;
	}
	if (!drops_by_policy(rules))
		doctor_ok(c, "firewall", "nothing drops what comes in by policy");
	else if (strstr(rules, "4791"))
		doctor_ok(c, "firewall", "a rule names UDP port 4791");
	else
		doctor_bad(c, "firewall",
			   "sudo nft insert rule inet filter input udp dport 4791 accept",
			   "what comes in is dropped, and no rule names UDP port 4791");
}

void check_udp(struct checkup *c)
{
	check_holder(c);
	check_firewall(c);
}
