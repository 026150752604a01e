// SPDX-License-Identifier: MIT
/*
 * The directory of the sockets is removed while its processes live: XDG_RUNTIME_DIR goes when
 * the last session of a user ends, programs that were left running do not; or somebody cleans
 * up. Each process notices that its name is gone, and binds its sockets again where others look
 * for them now. Whose a slot is does not depend on names, so connections go on meanwhile. A process
 * for which the system has no watch left goes without one: when the directory is removed, those
 * that start later do not find it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "group_own.h"

#define PATIENCE_MS 1000

int group_listen_to(int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(group.epoll, EPOLL_CTL_ADD, fd, &event);
}

void group_listen_no_more(int fd)
{
	epoll_ctl(group.epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* A file that loses its only link: IN_DELETE_SELF would come when the socket is closed. */
static int watch_name(void)
{
	struct local_name name = control_name(&group.dir, group.slot);

	return inotify_add_watch(group.watch, name.un.sun_path, IN_ATTRIB) < 0 ? -1 : 0;
}

/* inotify(7) says EMFILE for this too: all programs of a user may have 128 instances, as
 * fs.inotify.max_user_instances is by default. */
static bool has_descriptor_left(void)
{
	int fd = dup(group.epoll);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int move_watch(void)
{
	group.watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (group.watch >= 0 && watch_name() == 0)
		return group_listen_to(group.watch);
	if (errno == EMFILE || errno == ENOSPC)
		return has_descriptor_left() ? 0 : -1;
	return -1;
}

static bool is_gone(void)
{
	struct local_name name = control_name(&group.dir, group.slot);
	char events[1024];
	struct stat st;

	while (read(group.watch, events, sizeof(events)) > 0)
		;
	return lstat(name.un.sun_path, &st) != 0 && errno == ENOENT;
}

/* What it has received and nobody has read goes with the old one, as on a wire. */
int move_socket(const struct local_name *name, int fd)
{
	int bound = local_bind(&group.dir, name), ret;

	if (bound < 0)
		return -1;
	ret = dup3(bound, fd, O_CLOEXEC);
	close(bound);
	return ret < 0 ? -1 : 0;
}

/* One that cannot be bound stays without a name: others do not find it. */
static void move_all(void)
{
	struct local_name name = control_name(&group.dir, group.slot);

	if (socket_dir_lock(&group.dir, DIR_NAMES, PATIENCE_MS, NULL) != 0)
		return;
	if (move_socket(&name, group.control) == 0)
		group_listen_to(group.control);
	names_move();
	socket_dir_unlock(&group.dir, DIR_NAMES);
	watch_name();
}

void move_if_gone(void)
{
	struct socket_dir old = group.dir;

	if (!is_gone())
		return;
	if (socket_dir_join(&group.dir, control_lively) != 0) {
		group.dir = old;
		return;
	}
	move_all();
	socket_dir_close(&old);
}
