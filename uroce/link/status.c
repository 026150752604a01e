// SPDX-License-Identifier: MIT
/* Asking all processes of this host how they are. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "group_own.h"
#include "holder.h"

#define PATIENCE_MS 500

struct asking {
	bool there[SLOTS]; /* and has not answered */
	unsigned left;
	void (*fn)(void *arg, unsigned slot, int pid, const char *text);
	void *arg;
};

static void ask_all(struct asking *a, const struct socket_dir *dir, const struct control_ask *ask)
{
	for (unsigned slot = 1; slot < SLOTS; slot++) {
		struct local_name name = control_name(dir, slot);

		if (control_ask(ask, &name, CONTROL_ASK_STATUS) == 0 || errno == EAGAIN) {
			a->there[slot] = true;
			a->left++;
		}
	}
}

static void take_answer(struct asking *a, struct control_message *m)
{
	unsigned slot = m->header.slot;

	if (m->header.type != CONTROL_STATUS || !a->there[slot])
		return;
	m->data[m->header.length < CONTROL_BYTES ? m->header.length : CONTROL_BYTES - 1] = '\0';
	a->there[slot] = false;
	a->left--;
	a->fn(a->arg, slot, m->pid, m->data);
}

static void take_answers(struct asking *a, int fd, struct control_message *m)
{
	int64_t until = now_ms() + PATIENCE_MS, left;

	while (a->left && (left = until - now_ms()) > 0) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (poll(&p, 1, (int)left) <= 0)
			continue;
		while (control_receive(fd, m) == 0) {
			take_answer(a, m);
			control_drop(m);
		}
		if (errno == EPROTO)
			control_drop(m);
	}
}

static int ask(struct asking *a, const struct socket_dir *dir)
{
	struct control_message *m = malloc(sizeof(*m));
	struct control_ask pair;

	if (!m || control_ask_open(&pair) != 0) {
		free(m);
		return -1;
	}
	ask_all(a, dir, &pair);
	take_answers(a, pair.answers, m);
	control_ask_close(&pair);
	free(m);
	return 0;
}

static void tell_silent(const struct asking *a, const struct socket_dir *dir)
{
	for (unsigned slot = 1; slot < SLOTS; slot++) {
		struct local_name name = control_name(dir, slot);

		if (a->there[slot])
			a->fn(a->arg, slot, holder_of_name(&name), NULL);
	}
}

int group_status(void (*fn)(void *arg, unsigned slot, int pid, const char *text), void *arg)
{
	struct asking a = { .fn = fn, .arg = arg };
	struct socket_dir dir;
	int ret;

	if (socket_dir_look(&dir, control_lively) != 0)
		return errno == ENOENT ? 0 : -1;
	ret = ask(&a, &dir);
	if (ret == 0)
		tell_silent(&a, &dir);
	socket_dir_close(&dir);
	return ret;
}
