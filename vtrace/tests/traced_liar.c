/* SPDX-License-Identifier: MIT */
/* traced_liar NAME [DIRECTORY]: gives its device that name, and opens it; then puts a link to the
 * directory in the place of the one where vtrace collects captures. */
#include <infiniband/verbs.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int replace_captures(const char *directory)
{
	const char *pattern = getenv("UROCE_PCAP");
	char path[PATH_MAX], away[PATH_MAX + 8];

	if (!pattern)
		return -1;
	snprintf(path, sizeof path, "%.*s", (int)(strrchr(pattern, '/') - pattern), pattern);
	snprintf(away, sizeof away, "%s.away", path);
	return rename(path, away) ? -1 : symlink(directory, path);
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;

	if (argc < 2 || !list || !list[0])
		return 1;
	snprintf(list[0]->name, sizeof list[0]->name, "%s", argv[1]);
	context = ibv_open_device(list[0]);
	if (!context || !ibv_get_device_name(list[0]))
		return 1;
	ibv_dealloc_pd(ibv_alloc_pd(context));
	ibv_close_device(context);
	ibv_free_device_list(list);
	return argc > 2 && replace_captures(argv[2]);
}
