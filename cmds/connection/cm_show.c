/* SPDX-License-Identifier: MIT */
/* What a connection is now: on the trace, and as the result of the commands that made it.
 */
#include <string.h>

#include "connection/cm_id.h"
#include "connection/cm_step.h"
#include "connection/share.h"
#include "output/out.h"
#include "qp/qp_history.h"
#include "session.h"
#include "words.h"

static bool blank(const struct id *id)
{
	for (size_t i = 0; i < id->data_len; i++)
		if (id->data[i])
			return false;
	return true;
}

static void out_data(const struct id *id, struct out *o)
{
	struct qp_peer window;
	Tcl_DString dump;

	out_bytes(o, "private_data", id->data ? id->data : (const unsigned char *)"", id->data_len);
	if (!id->data_len) {
		out_text(o, "\n");
	} else if (blank(id)) {
		out_text(o, ", no private data\n");
	} else if (id->qp && share_unpack(id->data, id->data_len, &window)) {
		share_out(&window, o);
		out_text(o, "\n");
	} else {
		Tcl_DStringInit(&dump);
		id_hexdump(id->data, id->data_len, &dump);
		out_text(o, ", private data %zu bytes:\n%s", id->data_len, Tcl_DStringValue(&dump));
		Tcl_DStringFree(&dump);
	}
}

void out_id(struct session *s, struct id *id, struct out *o)
{
	const char *state = word_name(id_state_words, id->state);

	(void)s;
	out_str(o, "id", id->o.name, "%s ", id->o.name);
	/* a peer may have left before the command that waited for it could say a word */
	out_str(o, "state", state, "%s", id->peer_left ? "ESTABLISHED" : state);
	out_str(o, "peer", id_peer(id), " with %s", id_peer(id));
	if (id->peer_left)
		out_text(o, ", then %s by it", state);
	if (id->qp) {
		const char *qps = word_name(qp_state_words, qp_history_state(id->qp));

		out_str(o, "qp", id->qp->o.name, ", %s", id->qp->o.name);
		out_str(o, "qp_state", qps, " %s", qps);
		out_str(o, "pd", id->qp->pd->o.name, NULL);
		out_str(o, "cq", id->qp->send_cq->o.name, NULL);
	}
	if (id->ah) {
		out_str(o, "ah", id->ah->o.name, ", %s", id->ah->o.name);
		out_u64(o, "qpn", id->ah->qpn, " to qpn 0x%x", id->ah->qpn);
		out_u64(o, "qkey", id->ah->qkey, " qkey 0x%x", id->ah->qkey);
	}
	out_data(id, o);
}
