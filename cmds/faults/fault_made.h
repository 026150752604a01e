/* SPDX-License-Identifier: MIT */
/* Failures on purpose in this session. */
#ifndef CMDS_FAULT_MADE_H
#define CMDS_FAULT_MADE_H

struct arg;
struct embedded_api;
struct ibv_device;
struct session;
struct text;

/* The embedded device, where it is used, else NULL. */
const struct embedded_api *fault_device(void);
/* Fails with EOPNOTSUPP: only the embedded device can do what the command is for. -1. */
int fault_needs_embedded(struct session *s, const char *command, const char *what);
/* Appends the options that have a text, or a device, as the words of a rule: "error=ENOMEM"; before
 * goes before each but at the beginning. args: the struct of the command. */
void fault_append_options(struct text *t, const struct arg *options, const void *args,
			  const char *before);
/* The rule that has made this asynchronous event of a device, which is to be shown now (the last
 * one, if they are several), or NULL. */
const char *fault_made_async(const struct ibv_device *device, int event);
/* The rule that has put the port of a device (NULL: of any) down, where no later one has put it up;
 * NULL: there is none. */
const char *fault_made_port_down(const char *device);
/* The rule with that number (struct record, struct failed_wr), from 1. */
const char *fault_made_text(unsigned rule);
/* Appends the rules of "fault wire" that have hit packets, and lose or delay them: "drop=100%, 12
 * packets hit". */
void fault_wire_losses(struct text *text);

#endif
