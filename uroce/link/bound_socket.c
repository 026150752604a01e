// SPDX-License-Identifier: MIT
/* Which socket is bound to a file: asked of the kernel by netlink(7), sock_diag(7). /proc/net/unix
 * has only the paths as they were given to bind(2): anybody can bind one that ends in the same name
 * in a directory of his own, or one with a newline in it, which looks like a line. */
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "group_own.h"

/* The file, as the kernel counts: its own form of the device, and the lower half of the inode. */
struct bound_file {
	uint32_t device, inode;
};

static bool is_at(const struct nlmsghdr *h, const struct bound_file *file)
{
	const char *at = NLMSG_DATA(h), *end = (const char *)h + h->nlmsg_len;
	struct unix_diag_vfs vfs;
	struct nlattr a;

	for (at += NLMSG_ALIGN(sizeof(struct unix_diag_msg)); at + sizeof(a) <= end;
	     at += NLMSG_ALIGN(a.nla_len)) {
		memcpy(&a, at, sizeof(a));
		if (a.nla_len < sizeof(a) || at + a.nla_len > end)
			return false;
		if (a.nla_type != UNIX_DIAG_VFS || a.nla_len < NLA_HDRLEN + sizeof(vfs))
			continue;
		memcpy(&vfs, at + NLA_HDRLEN, sizeof(vfs));
		return vfs.udiag_vfs_ino == file->inode && vfs.udiag_vfs_dev == file->device;
	}
	return false;
}

/* Looks through one answer, which has many sockets. True: this was the last. */
static bool search_answer(const char *buf, size_t n, const struct bound_file *file, uint64_t *inode)
{
	const struct nlmsghdr *h = (const void *)buf;

	for (; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
		if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)
			return true;
		if (h->nlmsg_len >= NLMSG_LENGTH(sizeof(struct unix_diag_msg)) && is_at(h, file))
			*inode = ((const struct unix_diag_msg *)NLMSG_DATA(h))->udiag_ino;
	}
	return false;
}

uint64_t bound_socket_inode(const struct local_name *name)
{
	struct {
		struct nlmsghdr h;
		struct unix_diag_req r;
	} ask = {
		.h = { .nlmsg_len = sizeof(ask),
		       .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.r = { .sdiag_family = AF_UNIX,
		       .udiag_states = UINT32_MAX,
		       .udiag_show = UDIAG_SHOW_VFS },
	};
	struct bound_file file;
	uint64_t inode = 0;
	struct stat st;
	_Alignas(struct nlmsghdr) char buf[16384];
	ssize_t n;
	int fd;

	if (lstat(name->un.sun_path, &st) != 0)
		return 0;
	file = (struct bound_file){ .device = major(st.st_dev) << 20 | minor(st.st_dev),
				    .inode = (uint32_t)st.st_ino };
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		return 0;
	if (send(fd, &ask, sizeof(ask), 0) == sizeof(ask))
		do
			n = recv(fd, buf, sizeof(buf), 0);
		while (n > 0 && !search_answer(buf, (size_t)n, &file, &inode));
	close(fd);
	return inode;
}
