/* SPDX-License-Identifier: MIT */
/* Cases of abuse.c: 0, or SKIPPED. */
#ifndef UROCE_TESTS_PEERS_ABUSE_H
#define UROCE_TESTS_PEERS_ABUSE_H

#define SKIPPED 77

/* Under a sanitizer some things cannot be tried. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

/* abuse.c: a program that just works. */
int plain(void);
/* abuse_host.c */
int addresses(void);
int narrow(void);
/* Runs a command as on a kernel that cannot steer packets to sockets; returns when it cannot. */
int unsteered(char **command);
/* abuse_limits.c */
int many_mrs(void);
int cq_overrun(void);
int few_files(void);
int little_memory(void);
/* abuse_memory.c */
int memory_unmapped(void);
int memory_protected(void);
int file_truncated(void);
int huge_pages(void);
/* abuse_process.c */
int forks(void);
int fork_with_tap(void);
int execs(void);
int exit_dirty(void);
int exit_in_handler(void);
int exit_in_cm_call(void);
int exit_stuck(void);
int dlcloses(void);
/* abuse_threads.c */
int never_polls(void);
int signals(void);
int threads(void);

#endif
