/* SPDX-License-Identifier: MIT */
/*
 * A session of the whole program, in the test's own process and in a directory of its own, on
 * the embedded device (scripts/tests/on.sh has its network), with at least one object of each
 * kind.
 */
#ifndef CMDS_SESSION_RIG_H
#define CMDS_SESSION_RIG_H

#include <tcl.h>

#include "session.h"

/* Standard output and error go to the file log in the directory scratch from now on; what the
 * test itself has to say, to rig_say(). Ends the test when it cannot be made. */
struct session *rig_new(const char *scratch);
void rig_free(struct session *s);
void rig_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Destroys all and makes anew what there is at first; options are as at first. */
void rig_reset(struct session *s);
/* Does the same as rig_reset(), if objects have come or gone since. */
void rig_mend(struct session *s);

/* Runs a command as at top level. A watchdog does what Ctrl-C does when it takes long, and ends
 * the test, telling the words, when even that does not help. */
void rig_run(struct session *s, Tcl_Obj *words);
/* Runs it on behalf of the event loop, as a body of a remote method is. */
void rig_run_aside(struct session *s, Tcl_Obj *words);

#endif
