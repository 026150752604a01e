/* SPDX-License-Identifier: MIT */
#include "check.h"
int check_file(struct session *s, const char *path) { (void)s,(void)path; return 0; }
int check_text(struct session *s, const char *name, const char *text) { (void)s,(void)name,(void)text; return 0; }
