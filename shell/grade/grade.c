/* SPDX-License-Identifier: MIT */
/* The processes of the hand-ins, and what became of each. */
#include "grade/grade.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "out.h"
#include "output/print.h"
#include "session.h"

#define WITHIN	  30 /* seconds for a hand-in */
#define GRACE	  10 /* after Ctrl-C, until it is killed */
#define FOR_RULES 60 /* seconds for the rules */

/* The words of a hand-in's process: a newline when the rules begin; then "POINTS OF LOST END" and
 * the missed checks, one a line; or, if the rules cannot be run, RULES_FAIL. */
struct told {
	char text[65536];
	size_t len;
};

struct result {
	const char *hand_in;
	const char *why; /* NULL: the rules have run to their end */
	unsigned points, of;
	unsigned long long lost; /* rows that are not in the record */
	unsigned end;		 /* enum grade_end */
	double seconds;
	char *missed; /* names of checks, each with a newline */
	int code;
};

/* ------------------------------------------------------------------- one hand-in -- */

static bool rules_have_begun(const struct told *t)
{
	return t->len > 0;
}

/* Reads more. False: the process has closed its end. */
static bool hear(struct told *t, int fd)
{
	char more[4096]; /* than there is room for */
	const size_t room = sizeof t->text - 1 - t->len;
	ssize_t n = room ? read(fd, t->text + t->len, room) : read(fd, more, sizeof more);

	if (n > 0 && room)
		t->len += (size_t)n;
	t->text[t->len] = 0;
	return n > 0 || (n < 0 && errno == EINTR);
}

/* Waits until the process has closed its end. The hand-in is interrupted when its time is over, so
 * that the rules see what it had done, and killed if that does not help. */
static const char *wait_for(pid_t pid, int fd, int64_t within, struct told *t)
{
	int64_t until = loop_now() + within * 1000000000;
	bool is_interrupted = false, had_begun = false;
	struct pollfd p = { fd, POLLIN, 0 };

	for (;;) {
		int64_t left = (until - loop_now()) / 1000000;
		int rc = poll(&p, 1, left > 0 ? (int)left : 0);

		if (rc > 0 && !hear(t, fd))
			return NULL;
		if (rules_have_begun(t) && !had_begun) {
			had_begun = true;
			until = loop_now() + INT64_C(1000000000) * FOR_RULES;
		}
		if (rc || left > 0)
			continue;
		if (had_begun || is_interrupted) {
			kill(-pid, SIGKILL);
			return had_begun ? "the rules did not end" : "it could not be interrupted";
		}
		kill(pid, SIGINT);
		is_interrupted = true;
		until = loop_now() + INT64_C(1000000000) * GRACE;
	}
}

static pid_t running; /* the hand-in's process, which leads a group */

static void end_running(int sig)
{
	kill(-running, SIGKILL);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void set_signals(void (*handler)(int))
{
	signal(SIGINT, handler);
	signal(SIGTERM, handler);
	signal(SIGHUP, handler);
}

/* In the new process. Its own group, so that all that it starts ends with it. */
static void become_hand_in(struct grade *g, const char *hand_in, bool is_quiet, const int fds[2])
{
	int null = is_quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

	set_signals(SIG_DFL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(fds[0]);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
	g->report = fds[1];
	g->hand_in = hand_in;
}

static void read_told(const struct told *t, struct result *r)
{
	const char *line = t->text + 1; /* after the mark that the rules have begun */
	int n = 0;

	if (t->len && strcmp(line, RULES_FAIL) == 0) {
		r->why = "the rules cannot be run";
		r->code = 2;
		return;
	}
	if (t->len < 2 ||
	    sscanf(line, "%u %u %llu %u\n%n", &r->points, &r->of, &r->lost, &r->end, &n) != 4 ||
	    r->end >= GRADE_ENDS) {
		r->why = "it ended the program";
		return;
	}
	r->missed = xstrdup(line + n);
}

/* False: this is the new process. */
static bool run_one(struct grade *g, const char *hand_in, bool is_quiet, struct result *r)
{
	const int64_t begun = loop_now();
	int fds[2], status = 0;
	struct told t = { .len = 0 };
	pid_t pid;

	*r = (struct result){ .hand_in = hand_in, .code = 3 };
	if (pipe2(fds, O_CLOEXEC)) {
		r->why = strerror(errno);
		return true;
	}
	pid = fork();
	if (pid == 0) {
		become_hand_in(g, hand_in, is_quiet, fds);
		return false;
	}
	close(fds[1]);
	if (pid > 0) {
		running = pid;
		setpgid(pid, pid);
		set_signals(end_running);
		r->why = wait_for(pid, fds[0], g->within ? g->within : WITHIN, &t);
		waitpid(pid, &status, 0);
		kill(-pid, SIGKILL); /* what it has left behind */
		set_signals(SIG_DFL);
	} else {
		r->why = strerror(errno);
	}
	close(fds[0]);
	r->seconds = (double)((loop_now() - begun) / 1000000) / 1e3;
	if (!r->why)
		read_told(&t, r);
	if (r->why)
		r->points = 0;
	if (!r->why && WIFEXITED(status))
		r->code = WEXITSTATUS(status);
	return true;
}

/* ------------------------------------------------------------------------ results -- */

static void write_missed(const struct result *r, struct out *o)
{
	char *names = xstrdup(r->missed ? r->missed : ""), *rest = names, *name;
	SCOPED_TEXT(all);

	while ((name = strsep(&rest, "\n")))
		if (*name)
			xappendf(&all, "%s%s", text_len(&all) ? "; " : "", name);
	out_str(o, "missed", text_str(&all), "%s%s", text_len(&all) ? "  missed: " : "",
		text_str(&all));
	free(names);
}

static void write_why(const struct result *r, struct out *o)
{
	static const char *const ends[GRADE_ENDS] = {
		[ENDED_BY_ERROR] = "it ended at an error",
		[NOT_PARSED] = "it is no script",
		[INTERRUPTED] = "it was interrupted",
	};
	const char *end = r->why ? r->why : ends[r->end];
	SCOPED_TEXT(why);

	text_add(&why, end ? end : "");
	if (r->lost)
		xappendf(&why, "%s%llu calls and packets are not in its record", end ? "; " : "",
			 r->lost);
	out_str(o, "why", text_str(&why), "%s%s", text_len(&why) ? "  " : "", text_str(&why));
}

static void write_result(const struct result *r, struct out *o)
{
	const char *slash = strrchr(r->hand_in, '/');
	const char *name = slash ? slash + 1 : r->hand_in;

	out_dict(o, NULL);
	out_str(o, "hand_in", name, "%-30s", name);
	out_u64(o, "points", r->points, " %3u", r->points);
	out_u64(o, "of", r->of, " of %u", r->of);
	out_double(o, "seconds", r->seconds, NULL);
	write_why(r, o);
	write_missed(r, o);
	out_text(o, "\n");
	out_end(o);
}

/* The points that there are, where the rules did not come to say so: those of an empty hand-in. */
static bool find_points(struct grade *g, struct result *r)
{
	struct result empty;

	if (!r->why || r->code == 2 || g->is_program)
		return true;
	if (!run_one(g, "/dev/null", true, &empty))
		return false;
	r->of = empty.of;
	free(empty.missed);
	return true;
}

/* --------------------------------------------------------------------- all of them -- */

struct hand_ins {
	char **v;
	size_t n;
};

static void add_hand_in(struct hand_ins *all, char *path)
{
	all->v = xgrow(all->v, all->n, sizeof *all->v);
	all->v[all->n++] = path;
}

static int is_script(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return *e->d_name != '.' && dot && strcmp(dot, ".rdma") == 0;
}

/* The scripts of a folder but the rules, or the file itself. */
static void find_hand_ins(const struct grade *g, const char *path, struct hand_ins *all)
{
	struct stat st, rules = { 0 };
	struct dirent **entry;
	int n;

	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		add_hand_in(all, xstrdup(path));
		return;
	}
	stat(g->rules, &rules);
	n = scandir(path, &entry, is_script, versionsort);
	for (int i = 0; i < n; i++) {
		char *file = xasprintf("%s/%s", path, entry[i]->d_name);

		free(entry[i]);
		if (!stat(file, &st) && st.st_ino == rules.st_ino && st.st_dev == rules.st_dev)
			free(file);
		else
			add_hand_in(all, file);
	}
	if (n >= 0)
		free(entry);
}

/* Each hand-in is a row. */
static int run_many(struct session *s, struct grade *g, const struct hand_ins *all)
{
	struct out *o = out_new(true);
	int code = 0;

	out_list(o, NULL);
	for (size_t i = 0; i < all->n; i++) {
		struct result r;

		if (!run_one(g, all->v[i], true, &r) || !find_points(g, &r)) {
			out_free(o);
			return -1;
		}
		write_result(&r, o);
		code = r.code == 2 || code == 2 ? 2 : r.code ? 3 : code;
		free(r.missed);
	}
	out_end(o);
	out_show(o, s->opt.format);
	out_free(o);
	return code;
}

/* The hand-in's process prints the checks. */
static int run_single(struct session *s, struct grade *g, const char *hand_in)
{
	struct result r;
	struct out *o;

	if (!run_one(g, hand_in, false, &r))
		return -1;
	free(r.missed);
	if (!r.why)
		return r.code;
	o = out_new(true);
	out_dict(o, NULL);
	out_str(o, "hand_in", hand_in, "Bail out! %s: ", hand_in);
	out_str(o, "why", r.why, "%s: no points\n", r.why);
	out_end(o);
	out_show(o, s->opt.format);
	out_free(o);
	return r.code;
}

int grade_all(struct session *s, struct grade *g)
{
	static struct hand_ins all; /* in a hand-in's process g has its name of it */
	struct stat st;
	bool is_folder;
	int code;

	if (!g->n || access(g->rules, R_OK)) {
		print_error("rdmash: --grade %s: %s\n", g->rules,
			    g->n ? strerror(errno)
				 : "a hand-in is missing: a script, a folder of "
				   "scripts, or -- PROGRAM");
		return 2;
	}
	if (g->is_program)
		add_hand_in(&all, xstrdup(g->hand_ins[0]));
	for (int i = 0; i < g->n && !g->is_program; i++)
		find_hand_ins(g, g->hand_ins[i], &all);
	if (!all.n) {
		print_error("rdmash: --grade: there are no hand-ins (*.rdma)\n");
		return 2;
	}
	is_folder = !g->is_program && stat(g->hand_ins[0], &st) == 0 && S_ISDIR(st.st_mode);
	if (all.n == 1 && !is_folder && s->opt.format != OUT_CSV) {
		code = run_single(s, g, all.v[0]);
	} else if (s->opt.junit) {
		print_error("rdmash: --junit takes one hand-in\n");
		code = 2;
	} else {
		code = run_many(s, g, &all);
	}
	if (code < 0)
		return code;
	for (size_t i = 0; i < all.n; i++)
		free(all.v[i]);
	free(all.v);
	return code;
}
