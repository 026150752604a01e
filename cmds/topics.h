/* SPDX-License-Identifier: MIT */
/* Pages of help about RDMA itself: help TOPIC. */
#ifndef CMDS_TOPICS_H
#define CMDS_TOPICS_H

#include "help/help.h"

extern const struct topic cmd_topics[]; /* ends with a NULL name */

#endif
