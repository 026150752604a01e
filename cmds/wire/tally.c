/* SPDX-License-Identifier: MIT */
#include "wire/tally.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objects.h"
#include "session.h"
#include "wire/embedded_api.h"

#define LIFESPAN_MAX_MS 1000

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tally_row *)a)->name, ((const struct tally_row *)b)->name);
}

static void add(struct tally *t, const char *name, uint64_t value)
{
	struct tally_row *row = &t->rows[t->n];

	if (t->n == sizeof t->rows / sizeof *t->rows || strlen(name) >= sizeof row->name)
		return;
	strcpy(row->name, name);
	row->value = value;
	t->n++;
}

/* A file that holds one number, and nothing else. */
static bool read_number(int dir, const char *name, uint64_t *value)
{
	char text[32], *end;
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false; /* this port does not count it: EOPNOTSUPP, EINVAL */
	text[n] = 0;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return end != text && (*end == '\n' || !*end) && !errno;
}

/* 0, or -1 with errno: the directory cannot be read. */
static int read_dir(struct tally *t, const char *path)
{
	DIR *d = opendir(path);
	size_t first = t->n;
	struct dirent *e;

	if (!d)
		return -1;
	while ((e = readdir(d))) {
		uint64_t value;

		/* lifespan says how old the others may be, in milliseconds */
		if (*e->d_name != '.' && strcmp(e->d_name, "lifespan") != 0 &&
		    read_number(dirfd(d), e->d_name, &value))
			add(t, e->d_name, value);
	}
	closedir(d);
	qsort(t->rows + first, t->n - first, sizeof *t->rows, by_name);
	return 0;
}

static void of_embedded(struct tally *t, const struct embedded_api *api)
{
	struct uroce_counter c[64];
	unsigned n = api->counters(c, sizeof c / sizeof *c);

	for (unsigned i = 0; i < n && i < sizeof c / sizeof *c; i++)
		add(t, c[i].name, c[i].value);
	qsort(t->rows, t->n, sizeof *t->rows, by_name);
}

/* The kernel asks the driver again only for values that are older than their lifespan. */
static void outlive(struct session *s, const char *ports)
{
	uint64_t ms;
	int dir = open(ports, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return;
	if (read_number(dir, "hw_counters/lifespan", &ms))
		loop_wait(s->loop, NULL, NULL,
			  (int64_t)(ms < LIFESPAN_MAX_MS ? ms : LIFESPAN_MAX_MS));
	close(dir);
}

int tally_read(struct session *s, const struct dev *dev, unsigned port, struct tally *t)
{
	static const char *const dirs[] = { "hw_counters", "counters" };
	const struct embedded_api *api = embedded_api();
	char ports[PATH_MAX - 16], path[PATH_MAX];
	int err = 0, there = 0;

	t->n = 0;
	if (api) {
		of_embedded(t, api);
		return 0;
	}
	snprintf(ports, sizeof ports, "%s/ports/%u", dev->v->device->ibdev_path, port);
	outlive(s, ports);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", ports, dirs[i]);
		if (read_dir(t, path) == 0)
			there++;
		else
			err = errno;
	}
	if (there)
		return 0;
	return fail(s, "counters", "ENOENT", "%s has no counters: %s", ports, strerror(err));
}

uint64_t tally_value(const struct tally *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->rows[i].name, name) == 0)
			return t->rows[i].value;
	return 0;
}
