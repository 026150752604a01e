/* SPDX-License-Identifier: MIT */
#ifndef VTRACE_DEFAULT_SIGNALS_H
#define VTRACE_DEFAULT_SIGNALS_H

#include <signal.h>

/* Catches those of n signals that the program leaves to the kernel. It can still handle them
 * itself. */
static inline void catch_default_signals(const int *numbers, unsigned n, const struct sigaction *a)
{
	struct sigaction was;

	for (unsigned i = 0; i < n; i++)
		if (sigaction(numbers[i], NULL, &was) == 0 && was.sa_handler == SIG_DFL)
			sigaction(numbers[i], a, NULL);
}

#endif
