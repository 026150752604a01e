/* SPDX-License-Identifier: MIT */
#include "record.h"
#include <stdlib.h>
struct recorder *recorder_new(void) { return NULL; }
void recorder_free(struct recorder *r) { (void)r; }
void record_note(struct session *s, const char *command, int len, bool failed) { (void)s,(void)command,(void)len,(void)failed; }
