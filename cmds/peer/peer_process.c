/* SPDX-License-Identifier: MIT */
/* Starting and ending the process of a peer. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "device/device.h"
#include "launch.h"
#include "out.h"
#include "peer/peer.h"
#include "serve/serve.h"
#include "session.h"

#define GRACE_MS 5000 /* time for the process to end after its input is closed */

extern char **environ;

/* ------------------------------------------------------------------- arguments -- */

/* Quotes a word for the remote shell that sshd starts. */
static char *shell_quote(const char *word)
{
	SCOPED_TEXT(d);

	text_add(&d, "'");
	for (; *word; word++)
		text_add_bytes(&d, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
	text_add(&d, "'");
	return xstrdup(text_str(&d));
}

/* Adds rdmash --peer and its options. */
static int add_program(struct session *s, const struct peer_how *how, Tcl_Obj *argv)
{
	char self[PATH_MAX] = "rdmash";
	const char *device = how->device;
	ssize_t n = how->host || how->program ? 0 : readlink("/proc/self/exe", self, sizeof self);

	if (n < 0 || n == sizeof self)
		return fail_call(s, n < 0 ? errno : ENAMETOOLONG, "readlink", "/proc/self/exe");
	if (n)
		self[n] = 0;
	value_append(argv, how->program ? how->program : self);
	value_append(argv, "--peer");
	if (!device && !how->host)
		device = s->opt.device;
	if (!device && !how->host && !how->command && embedded_is_used())
		device = launch_device_name();
	if (device) {
		value_append(argv, "--device");
		value_append(argv, device);
	}
	if (s->opt.unsafe)
		value_append(argv, "--unsafe");
	for (const char **d = s->opt.allow_dirs; !how->host && d && *d; d++) {
		value_append(argv, "--allow-dir");
		value_append(argv, *d);
	}
	return 0;
}

/* Adds ssh and its options. ssh must not ask for input, because the terminal belongs to the prompt.
 * Keepalives detect a dead host. */
static int add_ssh(struct session *s, const struct peer_how *how, Tcl_Obj *argv)
{
	static const char *const ssh[] = { "ssh", "-T",
					   "-o",  "BatchMode=yes",
					   "-o",  "ServerAliveInterval=5",
					   "-o",  "ServerAliveCountMax=3",
					   "--" };
	Tcl_Obj *remote = Tcl_NewListObj(0, NULL), **v;
	Tcl_Size n;
	int rc;

	if (*how->host == '-' || !*how->host) {
		Tcl_DecrRefCount(remote);
		return fail(s, "args", "BADVALUE", "-host: '%s' is not [USER@]HOST", how->host);
	}
	for (unsigned i = 0; i < sizeof ssh / sizeof *ssh; i++)
		value_append(argv, ssh[i]);
	value_append(argv, how->host);
	Tcl_IncrRefCount(remote);
	rc = add_program(s, how, remote);
	Tcl_ListObjGetElements(NULL, remote, &n, &v);
	for (int i = 0; i < n; i++) {
		char *word = shell_quote(Tcl_GetString(v[i]));

		value_append(argv, word);
		free(word);
	}
	Tcl_DecrRefCount(remote);
	return rc;
}

static int make_argv(struct session *s, const struct peer_how *how, Tcl_Obj *argv)
{
	Tcl_Obj *prefix, **v;
	Tcl_Size n;
	int rc = 0;

	if (how->host && how->command)
		return fail(s, "args", "TWICE",
			    "-host stands for a -command with ssh: give only one of them");
	if (how->host)
		return add_ssh(s, how, argv);
	if (how->command) {
		prefix = Tcl_NewStringObj(how->command, -1);
		Tcl_IncrRefCount(prefix);
		if (Tcl_ListObjGetElements(NULL, prefix, &n, &v) != TCL_OK || !n)
			rc = fail(s, "args", "BADVALUE", "-command: '%s' is not a list of words",
				  how->command);
		for (int i = 0; !rc && i < n; i++)
			Tcl_ListObjAppendElement(NULL, argv, v[i]);
		Tcl_DecrRefCount(prefix);
	}
	return rc ? rc : add_program(s, how, argv);
}

/* The environment without the preloaded liburoce.so: the peer loads its own, and its launcher (ssh,
 * ip, an emulator) needs none. The caller frees the array, and *own, the entry that was changed (or
 * NULL). */
static char **make_environment(char **own)
{
	const char *preload = getenv("LD_PRELOAD");
	unsigned n = 0, to = 0;
	char library[PATH_MAX];
	char **env;

	while (environ[n])
		n++;
	env = xcalloc(n + 2, sizeof *env);
	*own = NULL;
	for (unsigned i = 0; i < n; i++)
		if (!preload || strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			env[to++] = environ[i];
	if (!preload)
		return env;
	if (launch_library(library, sizeof library))
		*library = 0;
	*own = xstrdup("LD_PRELOAD=");
	for (const char *p = preload; *p;) {
		size_t len = strcspn(p, " :");
		bool ours = (len == strlen(library) && memcmp(p, library, len) == 0) ||
			    (len == 11 && memcmp(p, "liburoce.so", len) == 0);

		if (len && !ours) {
			char *more = xasprintf("%s%s%.*s", *own, (*own)[11] ? ":" : "", (int)len,
					       p);

			free(*own);
			*own = more;
		}
		p += len + (p[len] != 0);
	}
	if ((*own)[11])
		env[to] = *own;
	return env;
}

/* -------------------------------------------------------------------- starting -- */

/* Starts the process in a session of its own: Ctrl-C at the terminal reaches this process only,
 * which passes it on. Returns 0 or an errno. */
static int spawn_process(struct peer *p, char *const *argv, int in, int out, int err)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	char **env, *own;
	int rc;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGINT);
	sigaddset(&usual, SIGHUP);
	sigaddset(&usual, SIGTERM);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGXFSZ);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &usual);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
						POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
	env = make_environment(&own);
	rc = posix_spawnp(&p->pid, argv[0], &files, &attr, argv, env);
	free(own);
	free(env);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return rc;
}

static void close_pair(int fd[2])
{
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

static int start_process(struct session *s, struct peer *p, char *const *argv)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 }, rc = 0;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) {
		fail_call(s, errno, "pipe2", "channel of %s", p->o.name);
		goto undo;
	}
	rc = spawn_process(p, argv, in[0], out[1], err[1]);
	if (rc) {
		fail_call(s, rc, "posix_spawn", "%s", argv[0]);
		goto undo;
	}
	p->pidfd = pidfd_open(p->pid, 0);
	if (p->pidfd < 0) {
		fail_call(s, errno, "pidfd_open", "process %d", (int)p->pid);
		kill(-p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
		goto undo;
	}
	close(in[0]);
	close(out[1]);
	close(err[1]);
	p->in = in[1];
	p->out = out[0];
	p->err = err[0];
	fcntl(p->in, F_SETFL, O_NONBLOCK);
	fcntl(p->out, F_SETFL, O_NONBLOCK);
	fcntl(p->err, F_SETFL, O_NONBLOCK);
	peer_listen(p);
	return 0;
undo:
	close_pair(in);
	close_pair(out);
	close_pair(err);
	return -1;
}

int peer_spawn(struct session *s, struct peer *p, const struct peer_how *how)
{
	SCOPED_LIST(list);
	Tcl_Obj **v;
	char **argv;
	Tcl_Size n;
	int rc;

	rc = make_argv(s, how, list);
	if (rc == 0) {
		p->remote = how->host;
		p->command = xstrdup(Tcl_GetString(list));
		Tcl_ListObjGetElements(NULL, list, &n, &v);
		argv = xcalloc((size_t)n + 1, sizeof *argv);
		for (int i = 0; i < n; i++)
			argv[i] = Tcl_GetString(v[i]);
		rc = start_process(s, p, argv);
		free(argv);
	}
	return rc;
}

/* ---------------------------------------------------------------------- ending -- */

static char *exit_status_text(const siginfo_t *si)
{
	if (si->si_code == CLD_EXITED)
		return xasprintf("exit status %d", si->si_status);
	return xasprintf("killed by signal %d (%s)", si->si_status, strsignal(si->si_status));
}

static void close_in(struct peer *p)
{
	if (p->in < 0)
		return;
	loop_unwatch(p->s->loop, p->in);
	close(p->in);
	p->in = -1;
}

void peer_ended(struct peer *p)
{
	siginfo_t si = { 0 };
	bool is_awaited = false; /* a command waits, and will report the end */
	struct call *c;

	if (p->state == PEER_ENDED || waitid(P_PID, (id_t)p->pid, &si, WEXITED | WNOHANG) ||
	    !si.si_pid)
		return;
	loop_unwatch(p->s->loop, p->pidfd);
	close(p->pidfd);
	p->pidfd = -1;
	peer_drain(p);
	close_in(p);
	loop_cancel(p->s->loop, p->kill);
	p->kill = NULL;
	p->how = exit_status_text(&si);
	STAILQ_FOREACH(c, &p->calls, link) {
		is_awaited |= !c->done && !c->unwanted && !c->background;
		c->done = true;
	}
	if (p->state == PEER_READY && !p->leaving && !is_awaited)
		notice_post(p->s->notices, NOTICE_PEER, "%s has ended: %s", p->o.name,
			    p->why ? p->why : p->how);
	p->state = PEER_ENDED;
}

void peer_give_up(struct peer *p, const char *fmt, ...)
{
	va_list ap;

	if (p->why || p->state == PEER_ENDED)
		return;
	va_start(ap, fmt);
	p->why = xvasprintf(fmt, ap);
	va_end(ap);
	kill(-p->pid, SIGKILL);
}

/* Waits for the process to end, also after Ctrl-C. */
static void pass_until_ended(struct peer *p, int64_t ms)
{
	int64_t until = loop_now() + ms * 1000000;

	while (p->state != PEER_ENDED && loop_now() < until)
		loop_pass(p->s->loop, (until - loop_now()) / 1000 + 1);
}

void peer_stop(struct peer *p)
{
	struct call *c;

	p->leaving = true;
	loop_cancel(p->s->loop, p->kill);
	p->kill = NULL;
	if (p->pidfd >= 0) {
		close_in(p); /* end of input asks it to end */
		pass_until_ended(p, p->state == PEER_READY && !p->why && !p->stubborn ? GRACE_MS
										      : 200);
		if (p->state != PEER_ENDED) {
			kill(-p->pid, SIGTERM);
			pass_until_ended(p, 500);
		}
		if (p->state != PEER_ENDED) {
			kill(-p->pid, SIGKILL);
			pass_until_ended(p, GRACE_MS);
		}
	}
	while ((c = STAILQ_FIRST(&p->calls)))
		peer_call_free(p, c);
	frames_free(p->frames);
	frames_free(p->errors);
	text_free(&p->unsent);
	json_object_put(p->objects);
	if (p->rows)
		Tcl_DecrRefCount(p->rows);
	p->rows = NULL;
	for (int i = 0; i < PEER_SAID; i++)
		free(p->said[i]);
	free(p->command);
	free(p->version);
	free(p->host);
	free(p->why);
	free(p->how);
}
