/* SPDX-License-Identifier: MIT */
/* The page of this session: live for a browser, and as a file. */
#ifndef CMDS_VIEW_H
#define CMDS_VIEW_H

struct session;

/* A command has run: what failed is explained while its objects are as they were. */
void view_after(struct session *s);
/* The session ends. */
void view_end(struct session *s);

#endif
