/* SPDX-License-Identifier: MIT */
/* Files that may not grow: RLIMIT_FSIZE (ulimit -f), which holds for files in memory, too. */
#ifndef UROCE_FILE_LIMIT_H
#define UROCE_FILE_LIMIT_H

#include <errno.h>
#include <signal.h>
#include <time.h>

/* Between these two calls a write of this thread beyond the limit fails with EFBIG. Without them
 * SIGXFSZ would end the program. Both keep errno. */
static inline sigset_t file_limit_begin(void)
{
	sigset_t too_large, before;

	sigemptyset(&too_large);
	sigaddset(&too_large, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &too_large, &before);
	return before;
}

static inline void file_limit_end(sigset_t before)
{
	const struct timespec now = { 0 };
	const int err = errno;
	sigset_t too_large;

	sigemptyset(&too_large);
	sigaddset(&too_large, SIGXFSZ);
	sigtimedwait(&too_large, NULL, &now); /* one may have arrived meanwhile */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = err;
}

#endif
