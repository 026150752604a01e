/* SPDX-License-Identifier: MIT */
/*
 * Two processes, one of which reaches into the memory of the other: the target has one QP and some
 * regions; the writer, its child, has a QP and the way into the target. What they tell each other
 * is in memory that both have mapped.
 */
#ifndef UROCE_TESTS_DIRECT_PAIR_H
#define UROCE_TESTS_DIRECT_PAIR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "direct_table.h"
#include "verbs_app.h"

#define BYTES	  32768u /* of a region */
#define REGIONS	  2u	 /* in turn, so that each is looked at once more a round later */
#define NEW	  0x11	 /* what is in a region */
#define WRITTEN	  0x57	 /* by the other process */
#define TAKEN	  0x54	 /* after it was taken back: not to be written, nor read */
#define WRITER_QP 0x080009u
#define SLOT	  2u /* of the writer */

struct shared_state {
	struct direct_cell target_cell, writer_cell;
	_Atomic int target_pid, target_table, writer_pid, writer_table;
	_Atomic uint32_t target_qpn;
	_Atomic uint32_t key; /* of the last region that was handed out */
	_Atomic uint64_t va;
	_Atomic uint64_t done, refused, bad; /* operations of the writer */
	_Atomic int go;			     /* the target is ready */
	_Atomic int announced;		     /* the cell names the region */
};
extern struct shared_state *shared;
extern uint8_t *memory;	       /* of the target: the same address in all */
extern struct qp *the_qp;      /* of the target */
extern struct reach to_target; /* of the writer */

/* Of the target: last is 1; of the writer: 2. */
static inline union ibv_gid gid_of(uint8_t last)
{
	return (union ibv_gid){ .raw = { [10] = 0xff, [11] = 0xff, 127, 0, 0, last } };
}

/* Maps what they share, and makes the QP; before anything else. */
void begin_pair(void);
/* A copy of a descriptor of another process. */
int table_of(int pid, int fd);
void nap(void); /* a tenth of a millisecond */
/* Naps until the value is not 0. */
void wait_for(_Atomic int *value);
/* Kills a child, and waits for it. */
void kill_child(pid_t pid);
bool has(const uint8_t *bytes, uint32_t n, uint8_t value);

/* The writer. A child that calls fn when the target has let it in, and has set shared->go. */
pid_t start_writer(void (*fn)(void));
/* One WRITE or READ, offset bytes into the region that was handed out last. */
enum reach_result operate(bool write, uint8_t *bytes, uint32_t offset, uint32_t len);
/* A function for start_writer(): WRITEs and READs of random lengths, until it is killed or shown
 * out. What it uses may be taken back at any moment. */
void write_and_read(void);

/* The target. */
void begin_target(void);
void let_in(void);
void show_out(void);
uint8_t *region_memory(unsigned i);
void hand_out(unsigned i);
/* ibv_dereg_mr(); without wait, it does not wait for who uses the region. */
void take_back(unsigned i, bool wait);
/* What ibv_modify_qp() does on the way to ERR, and on the way back. */
void hide_qp(bool wait);
void show_qp(void);

/* direct_race.c: memory is handed out, written to, taken back and used for something else, rounds
 * times, against a writer that never stops and is killed every so many rounds (0: never). Returns
 * how often something was touched that should not have been. */
unsigned long race(unsigned rounds, unsigned kill_every, bool wait);

#endif
