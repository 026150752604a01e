/* SPDX-License-Identifier: MIT */
/* fault gid: addresses of the embedded device go, or move in the table. */
#include "command/cmd.h"
#include "device/device.h"
#include "faults/fault_made.h"
#include "object_args.h"
#include "objects.h"
#include "out.h"
#include "session.h"

struct gid_args {
	struct num how, index, to;
	struct dev *dev;
};

enum gid_how { GID_REMOVE, GID_MOVE, GID_RESTORE };

static int fault_gid_exec(struct session *s, const void *args, struct out *o)
{
	const struct gid_args *a = args;
	const struct embedded_api *api = fault_device();
	int rc = 0;

	if (!api)
		return fault_needs_embedded(s, "fault gid", "change its addresses");
	if ((a->how.v == GID_RESTORE) == a->index.set || (a->how.v == GID_MOVE) != a->to.set)
		return fail(s, "fault gid", "EINVAL",
			    "fault gid: write remove N, move N -to M, or restore");
	if (a->how.v == GID_RESTORE)
		api->gid_restore();
	else if (a->how.v == GID_MOVE)
		rc = api->gid_move(a->dev->v, (unsigned)a->index.v, (unsigned)a->to.v);
	else
		rc = api->gid_hide(a->dev->v, (unsigned)a->index.v);
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
					 { "restore", GID_RESTORE, "all to where they were" },
					 { 0 } };
static const struct arg fault_gid_args[] = {
	POS("how", gid_args, how, kind_enum, "remove, move or restore", .data = gid_words),
	POS_OPT("index", gid_args, index, kind_u8, "in the GID table"),
	OPT("to", gid_args, to, kind_u8, "the index that it moves to; what is there moves here"),
	OPT("device", gid_args, dev, kind_dev, "whose table"), ARGS_END
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
