// SPDX-License-Identifier: MIT
/*
 * Users of one host: what another user does in directories that all can write to neither gets
 * at messages nor keeps anybody out; and processes of one user find each other nevertheless.
 * Users of the test: ALICE, who has the device, and MALLORY.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "checks.h"
#include "group_own.h"
#include "netns.h"
#include "own_directories.h"
#include "worker.h"

#define MALLORY	   1001
#define ALICES_DIR "/tmp/uroce-1000"
#define ANY4	   "0.0.0.0"
#define TEXT(n)	   #n
#define SLOT_OF(v) "slot" TEXT(v) "."
#define SLOT	   SLOT_OF(CONTROL_VERSION)

/* Runs fn as a user, in a child. */
static void as(uid_t uid, void (*fn)(void))
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		if (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)
			_exit(1);
		fn();
		_exit(checks_end());
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
}

static void mads_come(struct worker *w, int n)
{
	for (unsigned i = 0; i < 2000 && atoi(worker_ask(w, "mads")) < n; i++)
		poll(NULL, 0, 1);
	CHECK_INT(atoi(w->answer), n);
}

static struct sockaddr_un path_of(const char *dir, const char *base)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	CHECK((size_t)snprintf(un.sun_path, sizeof(un.sun_path), "%s/%llu.%s", dir,
			       (unsigned long long)network, base) < sizeof(un.sun_path));
	return un;
}

/* A socket of whoever runs, in a directory; it stays open until the process ends. */
static int plant(const char *dir, const char *base)
{
	struct sockaddr_un un = path_of(dir, base);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	CHECK_INT(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	CHECK_INT(chmod(un.sun_path, 0777), 0);
	return fd;
}

/* ------------------------------------------------------------------------ theft -- */

#define SERVICE "svc.0106.7471.00000000000000000000ffff00000000"

static void plant_all(void)
{
	static const char *const names[] = { SERVICE, SLOT "1", SLOT "2" };

	umask(0);
	CHECK_INT(mkdir(ALICES_DIR, 0777), 0);
	for (unsigned i = 0; i < 3; i++)
		plant(ALICES_DIR, names[i]);
}

static int planted;

static void plant_and_wait(void)
{
	char byte;

	plant_all();
	CHECK_INT(write(planted, "", 1), 1);
	CHECK_INT(read(planted, &byte, 1), 1); /* they are bound until the test has done */
}

/* Mallory is there first, with the names that Alice's processes look for: no request of a
 * connection goes to Mallory, and both of Alice's work. */
static void test_theft(void)
{
	struct worker a, b;
	int fds[2], status;
	char byte;
	pid_t pid;

	clear_tmp();
	CHECK_INT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		planted = fds[1];
		as(MALLORY, plant_and_wait);
		_exit(checks_end());
	}
	close(fds[1]);
	CHECK_INT(read(fds[0], &byte, 1), 1);
	joins(&a, ALICE, 1);
	joins(&b, ALICE, 2);
	CHECK_INT(atoi(worker_ask(&b, "forward-name 106 7471 " ANY4)), ECONNREFUSED);
	worker_ask(&a, "claim 106 7471 " ANY4);
	CHECK_INT(worker_number(&a, "port"), 7471);
	CHECK_STR(worker_ask(&b, "forward-name 106 7471 " ANY4), "0");
	mads_come(&a, 1);
	worker_end(&a);
	worker_end(&b);
	CHECK_INT(write(fds[0], "", 1), 1);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
	close(fds[0]);
}

/* A socket that Mallory plants where Alice was careless is not sent to. */
static int mallorys;

static void plant_slot(void)
{
	char byte;

	mallorys = plant(ALICES_DIR, SLOT "9");
	CHECK_INT(write(planted, "", 1), 1);
	CHECK_INT(read(planted, &byte, 1), 1);
	CHECK(recv(mallorys, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
}

static void test_asker_looks(void)
{
	struct worker a;
	int fds[2], status;
	char byte;
	pid_t pid;

	clear_tmp();
	joins(&a, ALICE, 1);
	CHECK_INT(chmod(ALICES_DIR, 0777), 0);
	CHECK_INT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		planted = fds[1];
		as(MALLORY, plant_slot);
		_exit(checks_end());
	}
	close(fds[1]);
	CHECK_INT(read(fds[0], &byte, 1), 1);
	CHECK_INT(atoi(worker_ask(&a, "forward 9 1")), ECONNREFUSED);
	CHECK_INT(write(fds[0], "", 1), 1);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
	close(fds[0]);
	worker_end(&a);
}

/* -------------------------------------------------------------- foreign messages -- */

static int send_mad(void)
{
	struct sockaddr_un un = path_of(ALICES_DIR, SLOT "1");
	char data[sizeof(struct control_header) + sizeof(struct mad_from) + 256] = { 0 };
	struct control_header h = {
		.magic = CONTROL_MAGIC,
		.type = CONTROL_MAD,
		.length = sizeof(data) - sizeof(h),
	};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret;

	memcpy(data, &h, sizeof(h));
	ret = sendto(fd, data, sizeof(data), 0, (struct sockaddr *)&un, sizeof(un)) < 0 ? errno : 0;
	close(fd);
	return ret;
}

static void cannot_send(void)
{
	DIR *d = opendir(ALICES_DIR);

	CHECK(!d && errno == EACCES);
	CHECK_INT(send_mad(), EACCES);
}

static void can_send(void)
{
	CHECK_INT(send_mad(), 0);
}

/* Mallory cannot get at Alice's sockets; and if so, nothing comes of it. */
static void test_foreign_message(void)
{
	struct sockaddr_un slot;
	struct worker a;
	struct stat st;

	clear_tmp();
	joins(&a, ALICE, 1);
	CHECK_INT(stat(ALICES_DIR, &st), 0);
	CHECK_INT(st.st_mode & 07777, 0700);
	CHECK_INT(st.st_uid, ALICE);
	as(MALLORY, cannot_send);
	CHECK_INT(chmod(ALICES_DIR, 0777), 0);
	slot = path_of(ALICES_DIR, SLOT "1");
	CHECK_INT(chmod(slot.sun_path, 0777), 0);
	as(MALLORY, can_send);
	as(ALICE, can_send);
	mads_come(&a, 1); /* Alice's, which was sent after it */
	worker_end(&a);
}

/* --------------------------------------------------------------------- squatting -- */

static void squat_file(void)
{
	int fd = open(ALICES_DIR, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	CHECK(fd >= 0);
	close(fd);
}

static void squat_directory(void)
{
	umask(0);
	CHECK_INT(mkdir(ALICES_DIR, 0777), 0);
}

static void squat_link(void)
{
	umask(0);
	CHECK_INT(mkdir("/tmp/mallory", 0777), 0);
	CHECK_INT(symlink("/tmp/mallory", ALICES_DIR), 0);
}

static void make_open(void)
{
	umask(0);
	CHECK_INT(mkdir(ALICES_DIR, 0755), 0);
}

/* A directory of Alice's own, elsewhere: what is there is not Alice's choice. */
static void squat_link_to_alices(void)
{
	CHECK_INT(mkdir("/tmp/private", 0700), 0);
	CHECK_INT(chown("/tmp/private", ALICE, ALICE), 0);
	CHECK_INT(symlink("/tmp/private", ALICES_DIR), 0);
	CHECK_INT(lchown(ALICES_DIR, MALLORY, MALLORY), 0);
}

/* Alice's processes take another place, and the same one. One that comes when the name is free
 * again is told who is elsewhere. */
static void test_squatted(uid_t uid, void (*squat)(void))
{
	struct worker w[3];

	clear_tmp();
	as(uid, squat);
	joins(&w[0], ALICE, 1);
	joins(&w[1], ALICE, 2);
	CHECK_STR(worker_ask(&w[1], "forward 1 1"), "0");
	mads_come(&w[0], 1);
	CHECK_STR(worker_ask(&w[0], "forward 2 1"), "0");
	mads_come(&w[1], 1);
	CHECK_INT(system("rm -rf " ALICES_DIR), 0);
	worker_start(&w[2], ALICE);
	worker_ask(&w[2], "join");
	CHECK_INT(worker_number(&w[2], "errno"), EADDRINUSE);
	CHECK(strstr(w[2].answer, "which is not in " ALICES_DIR));
	for (unsigned i = 0; i < 3; i++)
		worker_end(&w[i]);
}

static void squat_both(void)
{
	squat_directory();
	CHECK_INT(mkdir("/dev/shm/uroce-1000", 0777), 0);
}

/* Both names are taken: the device does not open, and says why; but where Alice has logged in,
 * there is a directory in which nobody else can take a name. */
static void test_no_place(void)
{
	struct worker a, b;

	clear_tmp();
	as(MALLORY, squat_both);
	worker_start(&a, ALICE);
	worker_ask(&a, "join");
	CHECK_INT(worker_number(&a, "errno"), EACCES);
	CHECK(strstr(a.answer, "no directory for sockets"));
	worker_end(&a);
	CHECK_INT(mkdir("/run/user", 0755), 0);
	CHECK_INT(mkdir("/run/user/1000", 0700), 0);
	CHECK_INT(chown("/run/user/1000", ALICE, ALICE), 0);
	joins(&a, ALICE, 1);
	joins(&b, ALICE, 2);
	worker_end(&a);
	worker_end(&b);
	CHECK_INT(system("rm -rf /run/user"), 0);
}

/* A process of root becomes Alice after it has joined: she may not use root's directory, so what it
 * cannot pass on counts as lost. The others know no better than that nobody is there. */
static void test_other_user(void)
{
	struct worker a, b;

	clear_tmp();
	joins(&a, 0, 1);
	joins(&b, 0, 2);
	CHECK_STR(worker_ask(&a, "forward 2 1"), "0");
	CHECK_INT(atoi(worker_ask(&a, "forward 9 1")), ECONNREFUSED);
	CHECK_STR(worker_ask(&a, "become 1000"), "0");
	CHECK_INT(atoi(worker_ask(&a, "forward 2 1")), EPERM);
	CHECK_STR(worker_ask(&b, "forward 1 1"), "0");
	worker_end(&a);
	worker_end(&b);
}

/* ------------------------------------------------------------------- two users -- */

/* One at a time, and the other is told who. */
static void test_two_users(void)
{
	struct worker a, m;
	char words[80];

	clear_tmp();
	joins(&m, MALLORY, 1);
	worker_start(&a, ALICE);
	worker_ask(&a, "join");
	CHECK_INT(worker_number(&a, "errno"), EADDRINUSE);
	snprintf(words, sizeof(words), "uid %d", MALLORY);
	CHECK(strstr(a.answer, words));
	CHECK(strstr(a.answer, "one user's at a time"));
	CHECK(strstr(a.answer, "unshare -rn"));
	worker_end(&m);
	worker_ask(&a, "join");
	CHECK_INT(worker_number(&a, "slot"), 1);
	worker_end(&a);
}

/* Each in a network of its own: nothing is shared but the directory of one user. */
static void test_two_networks(void)
{
	struct worker w[3];

	clear_tmp();
	for (unsigned i = 0; i < 3; i++)
		worker_start(&w[i], 0);
	CHECK_STR(worker_ask(&w[1], "network"), "ok");
	for (unsigned i = 0; i < 3; i++)
		worker_ask(&w[i], "join");
	CHECK_INT(worker_number(&w[0], "slot"), 1);
	CHECK_INT(worker_number(&w[1], "slot"), 1);
	CHECK_INT(worker_number(&w[2], "slot"), 2);
	CHECK_INT(atoi(worker_ask(&w[1], "forward 2 1")), ECONNREFUSED);
	CHECK_STR(worker_ask(&w[0], "forward 2 1"), "0");
	mads_come(&w[2], 1);
	CHECK_STR(worker_ask(&w[1], "mads"), "0");
	for (unsigned i = 0; i < 3; i++)
		worker_end(&w[i]);
}

/* -------------------------------------------------------------------- agreement -- */

static unsigned entries(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned n = 0;
	struct dirent *e;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

/* The directories of a session are not used: they are removed at its end. /dev/shm is, while others
 * could take away what is in /tmp. */
static void test_places(void)
{
	struct worker first, later;

	clear_tmp();
	CHECK_INT(chmod("/tmp", 0777), 0);
	CHECK_INT(mkdir("/run/user", 0755), 0);
	CHECK_INT(mkdir("/run/user/1000", 0700), 0);
	CHECK_INT(chown("/run/user/1000", ALICE, ALICE), 0);
	worker_start(&first, ALICE);
	worker_ask(&first, "env XDG_RUNTIME_DIR /run/user/1000");
	worker_ask(&first, "join");
	CHECK_INT(worker_number(&first, "slot"), 1);
	CHECK_INT(entries("/run/user/1000"), 0);
	CHECK_INT(entries("/dev/shm/uroce-1000"), 2);
	joins(&later, ALICE, 2);
	CHECK_INT(entries("/dev/shm/uroce-1000"), 3);
	CHECK_INT(entries("/tmp"), 0);
	worker_end(&first);
	worker_end(&later);
	CHECK_INT(chmod("/tmp", 01777), 0);
	CHECK_INT(system("rm -rf /run/user"), 0);
}

/* Files that killed processes leave behind go with the next one that joins. */
static void test_leftovers(void)
{
	struct worker a, b;

	clear_tmp();
	joins(&a, ALICE, 1);
	for (unsigned port = 7000; port < 7010; port++)
		worker_ask(&a, "claim 106 %u " ANY4, port);
	CHECK_INT(entries(ALICES_DIR), 12);
	joins(&b, ALICE, 2);
	worker_kill(&a, SIGKILL);
	CHECK_INT(entries(ALICES_DIR), 13);
	worker_ask(&b, "claim 106 7003 " ANY4); /* also that of one that was killed */
	CHECK_INT(worker_number(&b, "port"), 7003);
	joins(&a, ALICE, 1);
	CHECK_INT(entries(ALICES_DIR), 4);
	CHECK_STR(worker_ask(&a, "leave"), "ok");
	CHECK_INT(entries(ALICES_DIR), 3);
	worker_end(&a);
	worker_end(&b); /* it ends without a word: what it had stays, until the next one joins */
	joins(&a, ALICE, 1);
	CHECK_STR(worker_ask(&a, "leave"), "ok");
	CHECK_INT(entries(ALICES_DIR), 1);
	worker_end(&a);
}

/* A process that comes after somebody has removed the directory is told which process has the port.
 */
static void test_removed(void)
{
	struct worker a, b;

	clear_tmp();
	joins(&a, ALICE, 1);
	CHECK_INT(system("rm -rf " ALICES_DIR), 0);
	worker_start(&b, ALICE);
	worker_ask(&b, "join");
	CHECK_INT(worker_number(&b, "errno"), EADDRINUSE);
	CHECK(strstr(b.answer, "which is not in " ALICES_DIR));
	worker_end(&a);
	worker_ask(&b, "join");
	CHECK_INT(worker_number(&b, "slot"), 1);
	worker_end(&b);
}

int main(void)
{
	netns_enter();
	own_directories();
	test_theft();
	test_asker_looks();
	test_foreign_message();
	test_squatted(MALLORY, squat_file);
	test_squatted(MALLORY, squat_directory);
	test_squatted(MALLORY, squat_link);
	test_squatted(0, squat_link_to_alices);
	test_squatted(ALICE, make_open);
	test_no_place();
	test_other_user();
	test_two_users();
	test_two_networks();
	test_places();
	test_leftovers();
	test_removed();
	return checks_end();
}
