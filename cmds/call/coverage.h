/* SPDX-License-Identifier: MIT */
#ifndef CMDS_COVERAGE_H
#define CMDS_COVERAGE_H

#include <tcl.h>

/* Appends a line for each function of the headers: how it is reached. */
void coverage_text(Tcl_DString *d);

#endif
