/* SPDX-License-Identifier: MIT */
/* A session on a small table of commands, for tests of the shell alone. */
#ifndef SHELL_TESTS_FIXTURE_H
#define SHELL_TESTS_FIXTURE_H

#include "command/cmd.h"
#include "session.h"

struct session *fixture_new(void);
void fixture_free(struct session *s);

/* Runs one command; its result, or "error: text" with each row after " | ". Borrowed. */
const char *fixture_run(struct session *s, const char *command);

/* The arguments that "post write" of the fixture's table was given last. */
struct write_args {
	const char *mr;
	struct num remote; /* 64 bits */
	struct num rkey;   /* 32 bits */
	struct num len;	   /* size, default 4K */
	struct num within; /* ms */
	struct num flags;
	struct num type;
	struct num port;
	bool inline_;
	struct many sge; /* const char * */
};
extern struct write_args last_write;

#endif
