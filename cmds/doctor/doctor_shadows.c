// SPDX-License-Identifier: MIT
/*
 * Two RDMA devices on one network interface: address resolution finds one of them, and it need
 * not be the one that was meant.
 */
#include <stdio.h>
#include <string.h>

#include "doctor.h"
#include "gids.h"
#include "objects.h"

#define MOST 64

struct claim {
	char device[64], netdev[IF_NAMESIZE];
};

static unsigned claims_of(struct ibv_device *device, struct claim *claims, unsigned n)
{
	struct gid_row rows[GID_ROWS];
	struct dev dev = { .v = ibv_open_device(device) };
	int got = dev.v ? gid_table(&dev, 1, rows, GID_ROWS) : 0;

	for (int i = 0; i < got && n < MOST; i++) {
		bool known = !*rows[i].netdev;

		for (unsigned k = 0; k < n; k++)
			known |= strcmp(claims[k].device, ibv_get_device_name(device)) == 0 &&
				 strcmp(claims[k].netdev, rows[i].netdev) == 0;
		if (known)
			continue;
		snprintf(claims[n].device, sizeof claims[n].device, "%s",
			 ibv_get_device_name(device));
		snprintf(claims[n].netdev, sizeof claims[n].netdev, "%s", rows[i].netdev);
		n++;
	}
	if (dev.v)
		ibv_close_device(dev.v);
	return n;
}

void check_shadows(struct checkup *c)
{
	int devices = 0;
	struct ibv_device **list = ibv_get_device_list(&devices);
	struct claim claims[MOST];
	unsigned n = 0;

	for (int i = 0; i < devices; i++)
		n = claims_of(list[i], claims, n);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i + 1; k < n; k++) {
			char cure[192];

			if (strcmp(claims[i].netdev, claims[k].netdev) != 0)
				continue;
			snprintf(cure, sizeof cure,
				 "sudo rdma link delete the one that is not needed, or name it: "
				 "--device %.63s",
				 claims[i].device);
			doctor_bad(c, "shadow", cure, "%s and %s are both on %s", claims[i].device,
				   claims[k].device, claims[i].netdev);
		}
	if (list)
		ibv_free_device_list(list);
}
