// SPDX-License-Identifier: MIT
#include "read_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "packet.h"

#define ETHERNET_BYTES 14
#define FILE_HEADER    24
#define FRAME_HEADER   16

static uint8_t file[1 << 20];
static size_t file_len, place;

void capture_open(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(1);
	}
	file_len = fread(file, 1, sizeof(file), f);
	fclose(f);
	if (file_len < FILE_HEADER || memcmp(file, "\xd4\xc3\xb2\xa1", 4) != 0 || file[20] != 1) {
		fprintf(stderr, "%s: no capture on Ethernet, of little-endian microseconds\n",
			path);
		exit(1);
	}
	place = FILE_HEADER;
}

static void mapped(union ibv_gid *gid, const uint8_t *addr)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[10] = gid->raw[11] = 0xff;
	memcpy(gid->raw + 12, addr, 4);
}

static bool decode(struct captured *c, const uint8_t *frame, size_t n)
{
	const uint8_t *ip = frame + ETHERNET_BYTES, *udp;

	if (n < ETHERNET_BYTES + 48)
		return false;
	c->ip = ip;
	switch (get_be16(frame + 12)) {
	case 0x0800:
		mapped(&c->src, ip + 12);
		mapped(&c->dst, ip + 16);
		c->tclass = ip[1];
		c->hops = ip[8];
		c->ip_id = get_be16(ip + 4);
		c->ip_len = get_be16(ip + 2);
		udp = ip + 20;
		if (ip[9] != 17)
			return false;
		break;
	case 0x86dd:
		memcpy(&c->src, ip + 8, 16);
		memcpy(&c->dst, ip + 24, 16);
		c->tclass = (uint8_t)(get_be16(ip) >> 4);
		c->hops = ip[7];
		c->ip_id = 0;
		c->ip_len = get_be16(ip + 4) + 40u;
		udp = ip + 40;
		if (ip[6] != 17)
			return false;
		break;
	default:
		return false;
	}
	c->sport = get_be16(udp);
	c->dport = get_be16(udp + 2);
	c->data = udp + 8;
	c->len = get_be16(udp + 4) - 8u;
	return c->dport == ROCE_PORT && (size_t)(c->data + c->len - frame) <= n;
}

static uint32_t le32(const uint8_t *b)
{
	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

bool capture_next(struct captured *c)
{
	while (place + FRAME_HEADER < file_len) {
		const uint8_t *frame = file + place + FRAME_HEADER;
		size_t n = le32(file + place + 8);

		if (n > file_len - place - FRAME_HEADER)
			return false;
		place += FRAME_HEADER + n;
		if (decode(c, frame, n))
			return true;
	}
	return false;
}
