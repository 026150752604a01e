/* SPDX-License-Identifier: MIT */
#include "repl.h"
int repl(struct session *s, bool rc, const char *version) { (void)s,(void)rc,(void)version; return 0; }
