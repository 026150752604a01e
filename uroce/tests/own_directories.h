/* SPDX-License-Identifier: MIT */
/* For tests of several users and processes: directories of the test alone. */
#ifndef OWN_DIRECTORIES_H
#define OWN_DIRECTORIES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "worker.h"

#define ALICE 1000

static uint64_t network;

/* Directories of this test alone, as a host without sessions has them. */
static inline void own_directories(void)
{
	struct stat st;

	if (!worker_can_be(ALICE) || unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmp", "/tmp", "tmpfs", 0, "mode=1777") != 0 ||
	    mount("shm", "/dev/shm", "tmpfs", 0, "mode=1777") != 0 ||
	    mount("run", "/run", "tmpfs", 0, "mode=755") != 0) {
		fprintf(stderr, "skipped: only root can be several users, and mount\n");
		exit(SKIPPED);
	}
	CHECK_INT(stat("/proc/self/ns/net", &st), 0);
	network = st.st_ino;
}

/* Nothing is left of the check before. */
static inline void clear_tmp(void)
{
	CHECK_INT(system("rm -rf /tmp/* /dev/shm/*"), 0);
}

static inline void joins(struct worker *w, uid_t uid, int slot)
{
	worker_start(w, uid);
	worker_ask(w, "join");
	if (worker_number(w, "slot") != slot)
		fprintf(stderr, "answer: %s\n", w->answer);
	CHECK_INT(worker_number(w, "slot"), slot);
}

#endif
