/* SPDX-License-Identifier: MIT */
/* Processes of a group that do what a test says. */
#ifndef UROCE_TESTS_WORKER_H
#define UROCE_TESTS_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

struct worker {
	pid_t pid;
	int fd;
	char answer[600]; /* of the last command */
};

/* Can one be this user? Not in a user namespace that knows one user only. */
bool worker_can_be(uid_t uid);
/* Begins one, as this user (0: as the test). */
void worker_start(struct worker *w, uid_t uid);
/* Commands, which answer with words:
 *   join                       "slot 3", or "errno 98 why"
 *   leave, claim SPACE PORT ADDR ("port 7"), release INDEX (in order of claims)
 *   packets                    "12 0": packets of our own slot, and of others
 *   mads                       "3": that were handed on to it
 *   forward SLOT N, forward-name SPACE PORT ADDR     "0" or an errno
 *   fork                       a child joins: its answer to join
 *   env NAME VALUE             setenv(3)
 *   network                    it moves to a network of its own
 *   lock-names                 it keeps DIR_NAMES locked until it ends: "0"
 *   limit N                    of open files
 *   lose-ipv6                  its socket() knows none from now on
 *   lose-steering              nor can its sockets steer packets
 *   clone                      a child that keeps all descriptors and only sleeps: its pid
 */
const char *worker_ask(struct worker *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same in two steps, for commands that take their time. */
void worker_tell(struct worker *w, const char *command);
const char *worker_answer(struct worker *w);
/* The number after a word of the answer: worker_number(w, "slot"); -1: it is not there. */
int worker_number(const struct worker *w, const char *word);
void worker_end(struct worker *w);
void worker_kill(struct worker *w, int sig);
void worker_stop(struct worker *w);

#endif
