/* SPDX-License-Identifier: MIT */
/* vtrace PROGRAM ARGS...: runs a program and shows its calls of libibverbs and librdmacm. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "launch.h"
#include "line.h"
#include "reader.h"
#include "run.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char usage[] =
	"usage: vtrace [OPTIONS] PROGRAM [ARG...]\n"
	"\n"
	"Runs the program and writes its calls of libibverbs and librdmacm to stderr, one a line.\n"
	"\n"
	"  -f, --follow        children as well\n"
	"  -o, --output FILE   write to FILE\n"
	"  -q, --quiet         write no calls\n"
	"  -h, --help          this text\n"
	"      --version       the version\n"
	"\n"
	"A full trace loses nothing: the program waits where it calls faster than vtrace writes.\n";

static const struct option options[] = {
	{ "follow", no_argument, NULL, 'f' },  { "output", required_argument, NULL, 'o' },
	{ "quiet", no_argument, NULL, 'q' },   { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' }, { 0 },
};

static struct {
	bool follows, quiet;
	const char *file;
	FILE *to;
	unsigned seen; /* processes */
} the;

static void write_end(const char *program, int status)
{
	if (WIFSIGNALED(status))
		fprintf(the.to, "vtrace: %s was ended by %s\n", program,
			strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		fprintf(the.to, "vtrace: %s ended with exit code %d\n", program,
			WEXITSTATUS(status));
}

static void tell(const struct reader_news *news)
{
	switch (news->what) {
	case READER_BEGUN:
		the.seen++;
		break;
	case READER_CALL:
		if (!the.quiet && !line_is_empty_poll(news->r))
			line_write(the.to, news, the.follows);
		break;
	case READER_LOST:
		if (!the.quiet)
			fprintf(the.to, "vtrace: %" PRIu64 " calls were lost\n", news->n);
		break;
	default:
		break;
	}
}

/* Until the program has ended, and all that is followed. */
static int follow(struct reader *r)
{
	struct reader_news news;
	int status;
	bool ended;

	for (;;) {
		ended = run_has_ended(&status);
		reader_next(r, &news, ended ? 0 : 50);
		tell(&news);
		if (news.what != READER_NOTHING)
			continue;
		fflush(the.to);
		if (ended && reader_is_idle(r))
			return status;
	}
}

static int run(char **argv)
{
	const char *hindrance = launch_hindrance(argv[0]);
	struct reader *r = reader_open(!the.quiet, the.follows);
	int status;

	if (!r) {
		fprintf(stderr, "vtrace: shared memory: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	if (hindrance)
		fprintf(stderr, "vtrace: %s is %s: its calls are not seen\n", argv[0], hindrance);
	if (run_start(r, argv, &status)) {
		reader_close(r);
		return status;
	}
	status = follow(r);
	write_end(argv[0], status);
	if (!the.seen && !hindrance)
		fprintf(stderr, "vtrace: %s has called nothing of libibverbs or librdmacm%s\n",
			argv[0], the.follows ? "" : " (its children may have: -f)");
	if (reader_refused(r))
		fprintf(stderr, "vtrace: %u processes were not traced: too many at a time\n",
			reader_refused(r));
	reader_close(r);
	fclose(the.to);
	run_exit_as(status);
}

int main(int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "+fo:qh", options, NULL)) != -1)
		switch (c) {
		case 'f':
			the.follows = true;
			break;
		case 'o':
			the.file = optarg;
			break;
		case 'q':
			the.quiet = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_OK;
		case 'V':
			puts("vtrace " RDMASH_VERSION);
			return EXIT_OK;
		default:
			fputs("try: vtrace --help\n", stderr);
			return EXIT_USAGE;
		}
	if (optind == argc) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	the.to = the.file ? fopen(the.file, "we") : stderr;
	if (!the.to) {
		fprintf(stderr, "vtrace: %s: %s\n", the.file, strerror(errno));
		return EXIT_FAILED;
	}
	if (!the.file)
		setvbuf(stderr, NULL, _IOFBF, 1 << 16);
	return run(argv + optind);
}
