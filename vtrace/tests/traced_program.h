/* SPDX-License-Identifier: MIT */
/* Shared by the files of traced_program. */
#ifndef VTRACE_TESTS_TRACED_PROGRAM_H
#define VTRACE_TESTS_TRACED_PROGRAM_H

/* Ends the program, with errno and the name of the call. */
_Noreturn void traced_fail(const char *what);
/* Returns p, which is not NULL. */
void *traced_must(void *p, const char *what);

void traced_be_rejected(const char *address);
void traced_serve(const char *address);
void traced_visit(const char *address, unsigned off);
void traced_meet(const char *address);

#endif
