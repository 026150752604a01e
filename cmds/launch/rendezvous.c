/* SPDX-License-Identifier: MIT */
/*
 * rendezvous put, get, clear: the ranks of a job exchange values through small files, one per key,
 * in a shared directory. A key consists of letters, digits, ".", "-" and "_" and begins with a
 * letter, a digit or "_", so that it cannot name a file elsewhere.
 */
#include <stddef.h>
#include <stdbool.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "command/cmd.h"
#include "file/file.h"
#include "launch/launcher.h"
#include "output/print.h"
#include "session.h"

#define KEY_LEN_MAX   64
#define VALUE_LEN_MAX 65536

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define SHARED	  "RDMASH_RENDEZVOUS"
#define MARK	  ".job" /* in the directory of a job: a link to the name of that */

static bool key_is_legal(const char *key)
{
	size_t n = strlen(key);

	for (const char *c = key; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return false;
	return n > 0 && n <= KEY_LEN_MAX && *key != '.' && *key != '-';
}

/* Opens a directory of this user, and creates it (mode 0700) if it is missing. -1 with errno. */
static int open_own_dir(int at, const char *path)
{
	struct stat st;
	int fd;

	if (mkdirat(at, path, 0700) && errno != EEXIST)
		return -1;
	fd = openat(at, path, DIR_FLAGS);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
		return fd;
	close(fd);
	errno = EPERM; /* it belongs to another user */
	return -1;
}

/* Opens a directory that the user named, which another user may own. */
static int open_named_dir(const char *path)
{
	if (mkdir(path, 0700) && errno != EEXIST)
		return -1;
	return open(path, DIR_FLAGS & ~O_NOFOLLOW);
}

/* The directory of this user in $TMPDIR; else in /run/user/UID, where nobody else writes; else in
 * /tmp or /dev/shm, where another user may have taken the name. All ranks of a host find the same.
 * -1 with s->fail filled. */
static int open_user_dir(struct session *s)
{
	char path[PATH_MAX], runtime[32];
	const char *tmp = getenv("TMPDIR");
	const char *roots[] = { tmp && *tmp ? tmp : NULL, runtime, "/tmp", "/dev/shm" };
	int fd, err = 0;

	snprintf(runtime, sizeof runtime, "/run/user/%u", (unsigned)geteuid());
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		if (!roots[i])
			continue;
		snprintf(path, sizeof path, "%s/rdmash-%u", roots[i], (unsigned)geteuid());
		fd = open_own_dir(AT_FDCWD, path);
		if (fd >= 0)
			return fd;
		if (!err || errno != ENOENT)
			err = errno;
	}
	fail_call(s, err, "rendezvous", "%s", path);
	if (err == EPERM)
		fail_row(s, "cause",
			 "another user has taken the name of this directory, and of all others");
	return fail_next(s, "set " SHARED " to a directory of your own");
}

/* The directory that contains the job's directory: $RDMASH_RENDEZVOUS, or, if all ranks are on this
 * host, the launcher's temporary directory or one of the user. -1 with s->fail filled. */
static int open_base(struct session *s, const struct launcher *l)
{
	const char *shared = getenv(SHARED), *session = getenv("PMIX_SERVER_TMPDIR");
	const char *named = shared && *shared ? shared : session;
	int fd;

	if (!l->name && !(shared && *shared)) {
		fail(s, "rendezvous", "ENOENT", "this process was not started by a launcher");
		return fail_next(s, "mpirun -n 2 rdmash -f SCRIPT, or srun, or set RDMASH_RANK, "
				    "RDMASH_SIZE and " SHARED);
	}
	if (l->local_size != l->size && !(shared && *shared)) {
		fail(s, "rendezvous", "ENOENT",
		     "the %u ranks may be on several hosts: no shared directory is set", l->size);
		return fail_next(s, "set " SHARED
				    " to a directory that all hosts share; mpirun passes it "
				    "on with -x " SHARED);
	}
	if (!named || !*named)
		return open_user_dir(s);
	/* the launcher removes its own with the job */
	fd = named == shared ? open_named_dir(named) : open_own_dir(AT_FDCWD, named);
	if (fd < 0)
		fail_call(s, errno, "rendezvous", "%s", named);
	return fd;
}

static bool is_empty(int dir)
{
	const int fd = openat(dir, ".", DIR_FLAGS);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	bool empty = d;

	for (struct dirent *e; empty && (e = readdir(d));)
		empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
	if (d)
		closedir(d);
	return empty;
}

/* Was it made for the job? Where others can write to the directory that contains it, they can
 * rename another one of this user to its name. A link, made before any key, has the name. */
static bool is_of_job(int job_dir, const char *name)
{
	char marked[sizeof((struct launcher *)NULL)->job + 17];
	ssize_t n;

	if (is_empty(job_dir))
		symlinkat(name, job_dir, MARK); /* another rank may have been faster */
	n = readlinkat(job_dir, MARK, marked, sizeof marked);
	return n == (ssize_t)strlen(name) && memcmp(marked, name, (size_t)n) == 0;
}

static int make_job_dir(struct session *s, const struct launcher *l)
{
	char name[sizeof l->job + 16];
	const int dir = open_base(s, l);
	int job_dir;

	if (dir < 0)
		return -1;
	snprintf(name, sizeof name, "rdmash.%s", *l->job ? l->job : "job");
	job_dir = open_own_dir(dir, name);
	if (job_dir < 0) {
		const int err = errno;

		fail_call(s, err, "rendezvous", "%s", name);
		if (err == EPERM)
			fail_row(s, "cause", "another user has made this directory in " SHARED);
	} else if (!is_of_job(job_dir, name)) {
		fail(s, "rendezvous", "EPERM", "%s was not made for this job", name);
		fail_row(s, "cause", "it has files, and not the link " MARK " with its name");
		fail_next(s, "remove it, or set " SHARED " to another directory");
		close(job_dir);
		job_dir = -1;
	}
	close(dir);
	return job_dir;
}

/* Writes the file under a temporary name and renames it, so that readers see all of it or nothing.
 */
static int put_key(int job_dir, const char *key, const void *value, size_t n)
{
	char name[KEY_LEN_MAX + 32];
	int fd, err;

	snprintf(name, sizeof name, ".%ld.%s", (long)getpid(), key);
	fd = openat(job_dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	err = file_write_all(fd, value, n) ? errno : 0;
	if (close(fd) && !err)
		err = errno;
	if (!err && renameat(job_dir, name, job_dir, key) == 0)
		return 0;
	if (!err)
		err = errno;
	unlinkat(job_dir, name, 0);
	errno = err;
	return -1;
}

/* Reads a key into value[VALUE_LEN_MAX]. Returns its length, or -1 with errno (ENOENT: not put
 * yet). */
static long get_key(int job_dir, const char *key, void *value)
{
	int fd = openat(job_dir, key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_size > VALUE_LEN_MAX))
		errno = EFBIG;
	else
		n = read(fd, value, VALUE_LEN_MAX);
	close(fd);
	return n;
}

/* Removes all keys and the directory. */
static void clear_job_dir(int job_dir)
{
	char link[64], path[PATH_MAX];
	int fd = openat(job_dir, ".", DIR_FLAGS);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	ssize_t n;

	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlinkat(job_dir, e->d_name, 0);
	closedir(d);
	snprintf(link, sizeof link, "/proc/self/fd/%d", job_dir);
	n = readlink(link, path, sizeof path - 1);
	if (n < 0)
		return;
	path[n] = 0;
	rmdir(path);
}

#define FAMILY	   "both ends"
#define KEYS_MAX   1024
#define LOOK_MS	   20 /* between two looks: nothing tells that another host has put a key */
#define NAMES_LEFT 8

/* Parses a key, which becomes a file name. */
static int parse_key(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	if (!key_is_legal(Tcl_GetString(word)))
		return args_bad(s, a,
				"'%s' is not a key: use at most %d letters, digits, '.', '-', '_'",
				Tcl_GetString(word), KEY_LEN_MAX);
	return args_parse_str(s, a, word, dst);
}

static const struct arg_kind kind_key = { .word = "key",
					  .size = sizeof(char *),
					  .parse = parse_key,
					  .is_static = true };

static int open_job_dir(struct session *s)
{
	struct launcher l;

	return launcher_read(s, &l) ? -1 : make_job_dir(s, &l);
}

/* ---------------------------------------------------------------- put, clear -- */

struct put_args {
	const char *key;
	Tcl_Obj *value;
};

static const struct arg put_arg_table[] = {
	POS("key", put_args, key, kind_key, "name under which others get the value"),
	POS("value", put_args, value, kind_obj, "any text"), ARGS_END
};

static int rendezvous_put_exec(struct session *s, const void *args, struct out *o)
{
	static unsigned puts_left = KEYS_MAX; /* limit for untrusted scripts */
	const struct put_args *a = args;
	Tcl_Size n;
	int job_dir, rc;
	const char *value = Tcl_GetStringFromObj(a->value, &n);

	(void)o;
	if (n > VALUE_LEN_MAX)
		return fail(s, "rendezvous", "EFBIG", "rendezvous put %s: %d bytes, more than %d",
			    a->key, (int)n, VALUE_LEN_MAX);
	if (file_gate(s) && !puts_left) {
		fail(s, "rendezvous", "ENOSPC",
		     "rendezvous put %s: a script may put %d times, and has", a->key, KEYS_MAX);
		return fail_next(s, "put a list or dict under one key, or rdmash --unsafe");
	}
	job_dir = open_job_dir(s);
	if (job_dir < 0)
		return -1;
	puts_left -= puts_left > 0;
	rc = put_key(job_dir, a->key, value, (size_t)n);
	if (rc)
		fail_call(s, errno, "rendezvous", "put %s", a->key);
	close(job_dir);
	return rc;
}

#define SETUP "require -true {[dict get [launcher] name] ne \"\"} \"a launcher\""

/** Stores a value under a key, so that every process of the job can get it; an older value
 * is replaced. Keys are files in a directory below $RDMASH_RENDEZVOUS, which all hosts must
 * share, or below a temporary directory if all processes are on this host. See
 * 'launcher' for what a job is.
 * > rendezvous put address {10.0.0.1 7471}
 * > rendezvous get address => 7471
 * > rendezvous clear */
const struct cmd cmd_rendezvous_put = {
	.name = "rendezvous put",
	.family = FAMILY,
	.summary = "publish a value to the other processes of the job",
	.setup = SETUP,
	.args = put_arg_table,
	.exec = rendezvous_put_exec,
};

static int clear_exec(struct session *s, const void *args, struct out *o)
{
	int job_dir = open_job_dir(s);

	(void)args, (void)o;
	if (job_dir < 0)
		return -1;
	clear_job_dir(job_dir);
	close(job_dir);
	return 0;
}

/** Removes all keys of the job and their directory. Use it in the last process that
 * needs them: a process that waits for a key continues to wait.
 * > rendezvous clear */
const struct cmd cmd_rendezvous_clear = {
	.name = "rendezvous clear",
	.family = FAMILY,
	.summary = "remove all keys of the job",
	.setup = SETUP,
	.exec = clear_exec,
};

/* ------------------------------------------------------------------------ get -- */

struct get_args {
	struct many keys; /* const char * */
	struct num within;
	bool partial;
};

struct key_wait {
	struct session *s;
	int job_dir;
	struct loop_timer *timer;
	const char *const *keys;
	Tcl_Obj **values; /* NULL: not put yet */
	size_t n, missing;
	const char *broken; /* a key that cannot be read, or NULL */
	int err;	    /* why */
	bool look;	    /* the directory may have changed */
	char *buf;	    /* VALUE_LEN_MAX */
};

static void look_again(void *arg)
{
	struct key_wait *w = arg;

	w->look = true;
	w->timer = loop_after(w->s->loop, LOOK_MS, look_again, w);
}

static bool has_all_keys(void *arg)
{
	struct key_wait *w = arg;

	if (!w->look)
		return w->broken || !w->missing;
	w->look = false;
	for (size_t i = 0; i < w->n; i++) {
		long len;

		if (w->values[i])
			continue;
		len = get_key(w->job_dir, w->keys[i], w->buf);
		if (len < 0 && errno != ENOENT) {
			w->err = errno;
			w->broken = w->keys[i];
		} else if (len >= 0) {
			w->values[i] = Tcl_NewStringObj(w->buf, (int)len);
			Tcl_IncrRefCount(w->values[i]);
			w->missing--;
		}
	}
	return w->broken || !w->missing;
}

static enum loop_end wait_keys(struct key_wait *w, int64_t within)
{
	enum loop_end end;

	look_again(w);
	end = loop_wait(w->s->loop, has_all_keys, w, within);
	loop_cancel(w->s->loop, w->timer);
	return end;
}

/* Appends "rank.3, rank.7 and 5 more". */
static void append_missing(const struct key_wait *w, struct text *d)
{
	size_t named = 0;

	for (size_t i = 0; i < w->n && named < NAMES_LEFT; i++) {
		if (w->values[i])
			continue;
		text_add(d, named++ ? ", " : "");
		text_add(d, w->keys[i]);
	}
	if (w->missing > named) {
		char more[32];

		snprintf(more, sizeof more, " and %zu more", w->missing - named);
		text_add(d, more);
	}
}

static int fail_incomplete(const struct key_wait *w, enum loop_end end, uint64_t ms)
{
	struct session *s = w->s;
	SCOPED_TEXT(names);

	if (w->broken)
		return fail_call(s, w->err, "rendezvous", "get %s", w->broken);
	append_missing(w, &names);
	if (end == LOOP_TIMEOUT) {
		fail(s, "rendezvous", "ETIMEDOUT",
		     "rendezvous get: nobody has put %s within %" PRIu64 " ms", text_str(&names),
		     ms);
	} else {
		fail(s, "rendezvous", "EINTR", "rendezvous get: interrupted");
		fail_row(s, "missing", "%s", text_str(&names));
	}
	return -1;
}

static void out_values(const struct key_wait *w, bool dict, struct out *o)
{
	if (!dict) {
		out_str(o, NULL, Tcl_GetString(w->values[0]), "%s\n", Tcl_GetString(w->values[0]));
		return;
	}
	for (size_t i = 0; i < w->n; i++)
		if (w->values[i])
			out_str(o, w->keys[i], Tcl_GetString(w->values[i]), "%s  %s\n", w->keys[i],
				Tcl_GetString(w->values[i]));
	if (w->missing == w->n)
		out_obj(o, Tcl_NewDictObj());
}

static int rendezvous_get_exec(struct session *s, const void *args, struct out *o)
{
	const struct get_args *a = args;
	struct key_wait w = { .s = s, .keys = a->keys.v, .n = a->keys.n, .missing = a->keys.n };
	enum loop_end end;
	int rc = 0;

	if (!w.n)
		return fail(s, "rendezvous", "EINVAL", "rendezvous get needs a key");
	w.job_dir = open_job_dir(s);
	if (w.job_dir < 0)
		return -1;
	w.buf = arena_alloc(&s->arena, VALUE_LEN_MAX);
	w.values = arena_alloc(&s->arena, w.n * sizeof *w.values);
	memset(w.values, 0, w.n * sizeof *w.values);
	end = wait_keys(&w, (int64_t)a->within.v);
	if (w.broken || end == LOOP_INTERRUPTED || (w.missing && !a->partial))
		rc = fail_incomplete(&w, end, a->within.v);
	else
		out_values(&w, w.n > 1 || a->partial, o);
	for (size_t i = 0; i < w.n; i++)
		if (w.values[i])
			Tcl_DecrRefCount(w.values[i]);
	close(w.job_dir);
	return rc;
}

static const struct arg get_arg_table[] = {
	OPT("within", get_args, within, kind_ms, "how long to wait for all of them", .dflt = "10s",
	    .max = 3600000),
	SWITCH("partial", get_args, partial, "after that time return the keys that exist"),
	POS_MANY("key", get_args, keys, kind_key, "key that another process puts"), ARGS_END
};

/** Waits until all these keys exist. Returns the value of one key, or a dict of several.
 * If keys are missing after -within, it fails and names them (RDMASH rendezvous
 * ETIMEDOUT); with -partial it returns a dict of those that exist. Connection events are
 * handled during the wait.
 * > rendezvous put a 1; rendezvous put b 2
 * > rendezvous get a b => b  2
 * > rendezvous get -within 50ms -partial a c => a  1
 * > rendezvous get -within 50ms c => nobody has put c
 * > rendezvous clear */
const struct cmd cmd_rendezvous_get = {
	.name = "rendezvous get",
	.family = FAMILY,
	.summary = "wait for values of other processes of the job",
	.setup = SETUP,
	.args = get_arg_table,
	.exec = rendezvous_get_exec,
};
