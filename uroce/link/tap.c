// SPDX-License-Identifier: MIT
#include "packet.h"
#include "tap.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "lock.h"
#include "export.h"
#include "file_limit.h"
#include "gid.h"
#include "link.h"
#include "own_fd.h"

#define IP_UDP_MAX 48

bool tap_on;

static uroce_tap_fn *tap_fn;
static void *tap_arg;
static int capture = -1;
static int capture_err;		/* why the capture ended by itself, or 0 */
static char appended[PATH_MAX]; /* the file of UROCE_PCAP, whose end is reported to stderr */

static void update_tap_on(void)
{
	tap_on = tap_fn || capture >= 0;
}

/* Writes the UDP checksum of a whole IPv6 packet of n bytes: RFC 8200, 8.1. */
static void put_udp6_sum(uint8_t *ip, size_t n)
{
	uint8_t *udp = ip + 40;
	uint32_t sum = 17 + get_be16(udp + 4);

	for (size_t i = 8; i + 1 < n; i += 2)
		sum += get_be16(ip + i);
	if (n % 2)
		sum += (uint32_t)ip[n - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	put_be16(udp + 6, sum == 0xffff ? 0xffff : (uint16_t)~sum);
}

static int close_capture(void)
{
	return capture >= 0 && fd_is_marked(capture) ? close(capture) : 0;
}

/* Ends the capture, for instance because the disk is full. The file can be read as it is. */
static void end_capture(int err)
{
	if (appended[0])
		fprintf(stderr,
			"uroce: UROCE_PCAP: %s: %s: it ends here, and has the packets before that\n",
			appended, strerror(err));
	capture_err = err;
	close_capture();
	capture = -1;
	update_tap_on();
}

static void write_packet(const struct uroce_packet *p)
{
	sigset_t before = file_limit_begin();
	int ret = -1;

	if (fd_is_marked(capture))
		ret = pcapng_write(capture, p);
	else
		errno = EBADF;
	file_limit_end(before);
	if (ret != 0)
		end_capture(errno);
}

void tap(enum uroce_direction dir, const char *fate, const struct packet *a, const uint8_t *data,
	 uint32_t n, uint16_t ip_id)
{
	uint8_t whole[IP_UDP_MAX + PACKET_MAX];
	struct uroce_packet p = {
		.out = dir == UROCE_OUT,
		.fate = fate,
		.ip = whole,
	};
	size_t head;

	if (n > PACKET_MAX)
		n = PACKET_MAX;
	if (dir == UROCE_OUT) {
		p.qpn = a->own_qpn;
		p.has_wr_id = a->has_wr_id;
		p.wr_id = a->wr_id;
	}
	head = icrc_ip_udp(whole, &a->src, &a->dst, a->sport, n, ip_id, a->tclass, a->hops);
	memcpy(whole + head, data, n);
	p.len = head + n;
	if (!gid_is_ipv4(&a->dst))
		put_udp6_sum(whole, p.len);
	p.time = clock_read(CLOCK_REALTIME);
	if (tap_fn)
		tap_fn(tap_arg, &p);
	if (capture >= 0)
		write_packet(&p);
}

/* Writes file to path, with %p replaced. 0, or -1: it is too long. */
static int expand_file_name(const char *file, char *path, size_t size)
{
	const char *p = strstr(file, "%p");
	int n;

	if (p)
		n = snprintf(path, size, "%.*s%d%s", (int)(p - file), file, (int)getpid(), p + 2);
	else
		n = snprintf(path, size, "%s", file);
	if (n >= 0 && (size_t)n < size)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

int tap_capture(const char *file, bool append)
{
	int fd = -1, err;

	if (file) {
		char path[PATH_MAX];
		sigset_t before;

		if (expand_file_name(file, path, sizeof(path)) != 0)
			return -1;
		before = file_limit_begin();
		fd = fd_mark(pcapng_open(path, device_names(), append));
		file_limit_end(before);
		if (fd < 0)
			return -1;
		snprintf(appended, sizeof(appended), "%s", append ? path : "");
	}
	err = capture_err;
	if (close_capture() != 0)
		err = errno;
	capture = fd;
	capture_err = 0;
	update_tap_on();
	if (!err || file)
		return 0;
	errno = err;
	return -1;
}

void tap_forget(void)
{
	close_capture();
	capture = -1;
	capture_err = 0;
	tap_fn = NULL;
	update_tap_on();
}

EXPORT int uroce_tap(uroce_tap_fn *fn, void *arg)
{
	engine_lock();
	tap_fn = fn;
	tap_arg = arg;
	update_tap_on();
	engine_unlock();
	return 0;
}

EXPORT int uroce_capture(const char *file)
{
	int rc;

	engine_lock();
	rc = tap_capture(file, false);
	engine_unlock();
	return rc;
}
