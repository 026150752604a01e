// SPDX-License-Identifier: MIT
/* A process ends with connections: the kernel would tell the peers in its place. */
#include "conn.h"
#include "engine.h"
#include "group.h"

/* exit() may have been called by the handler of a signal, in the middle of a call. */
__attribute__((destructor)) static void farewell(void)
{
	if (!engine_lock_patiently())
		return;
	if (group_slot()) {
		conn_farewell();
		engine_flush(); /* acknowledgements that were put off, too */
		engine_last_look();
	}
	engine_unlock();
}
