/* SPDX-License-Identifier: MIT */
/* Time that the test moves, and timers that run when it does. */
#ifndef UROCE_TESTS_FAKE_ENGINE_H
#define UROCE_TESTS_FAKE_ENGINE_H

#include <stdint.h>

extern uint64_t fake_now;
extern int fake_reserved; /* timer_reserve(): the sum */

/* Moves time on by ns, and runs what is due, in order. */
void fake_pass_time(uint64_t ns);

#endif
