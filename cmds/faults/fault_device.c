/* SPDX-License-Identifier: MIT */
/* fault port, fault gid, fault device: the port, the addresses and the whole of the embedded device
 * fail on purpose. */
#include "command/cmd.h"
#include "device/device.h"
#include "faults/fault_made.h"
#include "out.h"
#include "session.h"

struct device_args {
	struct num how, index, to;
};

static const struct embedded_api *need_device(struct session *s, const char *command)
{
	const struct embedded_api *api = fault_device();

	if (!api)
		fault_needs_embedded(s, command, "do that");
	return api;
}

static int fault_port_exec(struct session *s, const void *args, struct out *o)
{
	const struct device_args *a = args;
	const struct embedded_api *api = need_device(s, "fault port");

	if (!api)
		return -1;
	api->port_put_down(a->how.v);
	out_str(o, NULL, a->how.v ? "down" : "up", "port 1 %s\n",
		a->how.v ? "is down" : "is as the links are: query port");
	return 0;
}

static const struct word port_words[] = { { "down", 1, "nothing is sent, or received" },
					  { "up", 0, "as the links are" },
					  { 0 } };
static const struct arg fault_port_args[] = {
	POS("how", device_args, how, kind_enum, "down or up", .data = port_words), ARGS_END
};

/** Packets of this process are lost while its port is down, also those that would go
 * through memory. Programs get PORT_ERR and PORT_ACTIVE. The links of the host do the
 * same to all processes: ip link set eth0 down.
 * > fault port down => down
 * > fault port up => as the links are */
const struct cmd cmd_fault_port = {
	.name = "fault port",
	.family = "understanding",
	.summary = "put the port down, and up again",
	.args = fault_port_args,
	.exec = fault_port_exec,
};

enum gid_how { GID_REMOVE, GID_MOVE, GID_RESTORE };

static int fault_gid_exec(struct session *s, const void *args, struct out *o)
{
	const struct device_args *a = args;
	const struct embedded_api *api = need_device(s, "fault gid");
	int rc = 0;

	if (!api)
		return -1;
	if ((a->how.v == GID_RESTORE) == a->index.set || (a->how.v == GID_MOVE) != a->to.set)
		return fail(s, "fault gid", "EINVAL",
			    "fault gid: write remove N, move N -to M, or restore");
	if (a->how.v == GID_RESTORE)
		api->gid_show_all();
	else if (a->how.v == GID_MOVE)
		rc = api->gid_move((unsigned)a->index.v, (unsigned)a->to.v);
	else
		rc = api->gid_hide((unsigned)a->index.v);
	if (rc) {
		fail(s, "fault gid", "ENODATA", "fault gid: there is no GID %u%s",
		     (unsigned)a->index.v, a->to.set ? ", or no place to move it to" : "");
		return fail_next(s, "gids");
	}
	out_str(o, NULL, "changed", "done; the table: gids\n");
	return 0;
}

static const struct word gid_words[] = { { "remove", GID_REMOVE, "as if the address were deleted" },
					 { "move", GID_MOVE, "to another index" },
					 { "restore", GID_RESTORE, "those that were removed" },
					 { 0 } };
static const struct arg fault_gid_args[] = {
	POS("how", device_args, how, kind_enum, "remove, move or restore", .data = gid_words),
	POS_OPT("index", device_args, index, kind_u8, "in the GID table"),
	OPT("to", device_args, to, kind_u8, "the index that it moves to; what is there moves here"),
	ARGS_END
};

/** Programs get GID_CHANGE. QPs that use an address that was removed reach nobody, and
 * ids of librdmacm get ADDR_CHANGE. A QP keeps the address that it had when its GID
 * moves; a program that has kept the index gets another address.
 * > fault gid move 0 -to 7 => the table: gids
 * > fault gid move 7 -to 0 => the table: gids */
const struct cmd cmd_fault_gid = {
	.name = "fault gid",
	.family = "understanding",
	.summary = "take addresses out of the GID table, or move them in it",
	.args = fault_gid_args,
	.exec = fault_gid_exec,
};

static int fault_device_exec(struct session *s, const void *args, struct out *o)
{
	const struct embedded_api *api = need_device(s, "fault device");

	(void)args;
	if (!api)
		return -1;
	api->device_fail();
	out_str(o, NULL, "fatal", UROCE_DEVICE " has failed, and is usable in the next session\n");
	return 0;
}

static const struct word fatal_words[] = { { "fatal", 1, "until the process ends" }, { 0 } };
static const struct arg fault_device_args[] = {
	POS("how", device_args, how, kind_enum, "fatal", .data = fatal_words), ARGS_END
};

/** DEVICE_FATAL: all QPs of the process go to ERR, with their requests flushed. From then on
 * objects can be destroyed, and neither made nor changed (EIO); ids of librdmacm get
 * DEVICE_REMOVAL.
 * > fault device fatal => has failed */
const struct cmd cmd_fault_device = {
	.name = "fault device",
	.family = "understanding",
	.summary = "make the whole device fail",
	.args = fault_device_args,
	.exec = fault_device_exec,
};
