// SPDX-License-Identifier: MIT
#include "packet.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* types of blocks */
#define SECTION	  0x0a0d0d0au
#define INTERFACE 1u
#define PACKET	  6u

#define BYTE_ORDER_MAGIC 0x1a2b3c4du
#define LINKTYPE_RAW	 101 /* packets begin with their IP header */

/* options: each kind of block numbers its own */
#define OPT_END		  0
#define OPT_COMMENT	  1
#define SHB_USERAPPL	  4
#define IF_NAME		  2
#define IF_TSRESOL	  9
#define EPB_FLAGS	  2
#define EPB_FLAG_INBOUND  1u
#define EPB_FLAG_OUTBOUND 2u

#define NAMES_MAX_BYTES 64 /* of an interface: block.data has room for them */

/* A block that is being built, in the byte order of this machine, which the format allows. */
struct pcapng_block {
	uint8_t data[192];
	size_t n;
};

static void put_bytes(struct pcapng_block *b, const void *data, size_t n)
{
	memcpy(b->data + b->n, data, n);
	b->n += n;
}

static void put_u32(struct pcapng_block *b, uint32_t v)
{
	put_bytes(b, &v, sizeof(v));
}

static void put_u16(struct pcapng_block *b, uint16_t v)
{
	put_bytes(b, &v, sizeof(v));
}

static void put_padding(struct pcapng_block *b)
{
	while (b->n % 4)
		b->data[b->n++] = 0;
}

static void put_option(struct pcapng_block *b, uint16_t code, const void *value, size_t n)
{
	put_u16(b, code);
	put_u16(b, (uint16_t)n);
	put_bytes(b, value, n);
	put_padding(b);
}

/* Ends a block: writes its length behind it, and into the place for it after start. more: bytes of
 * the block that are not in b. */
static void end_block(struct pcapng_block *b, size_t start, size_t more)
{
	uint32_t len = (uint32_t)(b->n - start + more + 4);

	memcpy(b->data + start + 4, &len, sizeof(len));
	put_u32(b, len);
}

static void put_section(struct pcapng_block *b)
{
	static const char program[] = "uroce";
	const int64_t length = -1; /* unknown */
	size_t start = b->n;

	put_u32(b, SECTION);
	put_u32(b, 0);
	put_u32(b, BYTE_ORDER_MAGIC);
	put_u16(b, 1); /* version 1.0 */
	put_u16(b, 0);
	put_bytes(b, &length, sizeof(length));
	put_option(b, SHB_USERAPPL, program, strlen(program));
	put_option(b, OPT_END, "", 0);
	end_block(b, start, 0);
}

/* The length of a list of names with commas between, less the last ones that there is no room for.
 */
static size_t fitting_length(const char *names)
{
	const size_t all = strlen(names);
	size_t n = all;

	while (n > NAMES_MAX_BYTES || (n && n < all && names[n] != ','))
		n--;
	return n;
}

static void put_interface(struct pcapng_block *b, const char *names)
{
	static const uint8_t nanoseconds = 9; /* a negative power of ten */
	size_t start = b->n;

	put_u32(b, INTERFACE);
	put_u32(b, 0);
	put_u16(b, LINKTYPE_RAW);
	put_u16(b, 0);
	put_u32(b, 0); /* no limit: packets are whole */
	put_option(b, IF_NAME, names, fitting_length(names));
	put_option(b, IF_TSRESOL, &nanoseconds, 1);
	put_option(b, OPT_END, "", 0);
	end_block(b, start, 0);
}

static bool is_pcapng(int fd)
{
	uint32_t type;
	ssize_t n = pread(fd, &type, sizeof(type), 0);

	return n == 0 || (n == sizeof(type) && type == SECTION);
}

int pcapng_open(const char *path, const char *interface, bool append)
{
	int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | (append ? 0 : O_TRUNC), 0600);
	struct pcapng_block b = { .n = 0 };

	if (fd < 0)
		return -1;
	if (!is_pcapng(fd)) {
		errno = EEXIST;
		goto undo;
	}
	put_section(&b);
	put_interface(&b, interface);
	if (write(fd, b.data, b.n) == (ssize_t)b.n)
		return fd;
undo:
	close(fd);
	return -1;
}

/* Removes the n bytes that were written last. Writing one byte more sets the errno that says why
 * there was no room. */
static void truncate_file(int fd, ssize_t n)
{
	off_t end = lseek(fd, 0, SEEK_CUR);
	int err = write(fd, "", 1) < 0 ? errno : EIO;

	/* not if another process writes to the file, too */
	if (end < n || lseek(fd, 0, SEEK_END) > end + 1 || ftruncate(fd, end - n))
		err = EIO;
	errno = err;
}

int pcapng_write(int fd, const struct uroce_packet *p)
{
	static const uint8_t zero[4];
	struct pcapng_block head = { .n = 0 }, tail = { .n = 0 };
	uint32_t flags = p->out ? EPB_FLAG_OUTBOUND : EPB_FLAG_INBOUND;
	size_t pad = -p->len & 3;
	struct iovec iov[] = {
		{ head.data, 0 },
		{ (void *)(uintptr_t)p->ip, p->len },
		{ (void *)(uintptr_t)zero, pad },
		{ tail.data, 0 },
	};
	ssize_t written;
	size_t total;
	uint32_t len;

	put_u32(&head, PACKET);
	put_u32(&head, 0);
	put_u32(&head, 0); /* interface */
	put_u32(&head, (uint32_t)(p->time >> 32));
	put_u32(&head, (uint32_t)p->time);
	put_u32(&head, (uint32_t)p->len); /* captured */
	put_u32(&head, (uint32_t)p->len); /* on the wire */
	put_option(&tail, EPB_FLAGS, &flags, sizeof(flags));
	if (p->fate)
		put_option(&tail, OPT_COMMENT, p->fate, strlen(p->fate));
	put_option(&tail, OPT_END, "", 0);
	total = head.n + p->len + pad + tail.n + 4;
	len = (uint32_t)total;
	memcpy(head.data + 4, &len, sizeof(len));
	put_u32(&tail, len);
	iov[0].iov_len = head.n;
	iov[3].iov_len = tail.n;
	written = writev(fd, iov, 4);
	if (written >= 0 && written < (ssize_t)total)
		truncate_file(fd, written);
	return written == (ssize_t)total ? 0 : -1;
}
