/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include "heap.h"

const struct check_rule check_rules[CHECK_RULES] = {
	[CHECK_SEND_CHANGED] = { "send-changed", CHECK_MISTAKE,
				 "a send buffer was changed before its completion was polled",
				 "poll the completion of this request, or of a later one of the queue, before the buffer is "
				 "written again; or copy small messages (IBV_SEND_INLINE)",
				 "ibv_post_send(3)" },
	[CHECK_READ_THEN_SEND] = { "read-then-send", CHECK_MISTAKE,
				   "a READ or an atomic is not awaited by a request that needs it",
				   "wait for the completion of the READ; or post the later request, to the same queue pair and not inline, with "
				   "IBV_SEND_FENCE",
				   "ibv_post_send(3), InfiniBand volume 1, 10.8.3.3" },
	[CHECK_DEREG_POSTED] = { "dereg-posted", CHECK_MISTAKE,
				 "a region was deregistered, or registered anew, while a request with it was outstanding",
				 "poll the completion first; or move the QP to ERR or destroy it, and deregister after that",
				 "ibv_reg_mr(3), ibv_post_send(3)" },
	[CHECK_AH_POSTED] = { "ah-posted", CHECK_MISTAKE,
			      "an address handle was destroyed before the datagram with it was completed",
			      "poll the completion of the datagram first", "ibv_post_send(3)" },
	[CHECK_FREED] = { "freed", CHECK_MISTAKE, "memory was given back while it was registered",
			  "deregister the region first, when its last request was completed",
			  "ibv_reg_mr(3), ibv_dereg_mr(3)" },
	[CHECK_RECV_OVERLAP] = { "recv-overlap", CHECK_ADVICE,
				 "the memory of a receive or a READ is also that of another outstanding request",
				 "give each outstanding request bytes of its own, unless their contents do not matter",
				 "ibv_post_recv(3)" },
	[CHECK_GRH_ROOM] = { "grh-room", CHECK_MISTAKE,
			     "a receive of a UD queue pair has no room for the 40 bytes of the GRH",
			     "make it 40 bytes longer than the message, which begins behind them",
			     "ibv_post_recv(3)" },
	[CHECK_RECV_RANGE] = { "recv-range", CHECK_MAY, "a receive goes beyond its region",
			       "let address and length of its SGE lie within the region",
			       "ibv_post_recv(3), ibv_reg_mr(3)" },
	[CHECK_RECV_LATE] = { "recv-late", CHECK_MAY,
			      "the first receive was posted only after the connection was up",
			      "post receives before rdma_accept(), or rdma_connect(); or ask the peer for a "
			      "rnr_retry_count of 7, with which it waits",
			      "rdma_accept(3), ibv_post_recv(3)" },
	[CHECK_RQ_DRY] = { "rq-dry", CHECK_MAY,
			   "more messages were sent than the peer has posted receives",
			   "send only as many as the peer has told that it has receives for; on RC a send waits with an "
			   "rnr_retry of 7, too",
			   "ibv_post_recv(3), ibv_modify_qp(3)" },
	[CHECK_READ_DEPTH] = { "read-depth", CHECK_MISTAKE,
			       "there are too few resources for the READs and atomics that are posted",
			       "let max_rd_atomic be 1 at least, and no more than the peer's max_dest_rd_atomic: rdma_connect() and "
			       "rdma_accept() agree on it by initiator_depth and responder_resources",
			       "ibv_modify_qp(3), rdma_connect(3)" },
	[CHECK_MTU_PAIR] = { "mtu-pair", CHECK_MISTAKE,
			     "the two ends of a connection have different path MTUs",
			     "tell the peer the own path_mtu, and let both take the smaller one",
			     "ibv_modify_qp(3)" },
	[CHECK_CQ_OVERRUN] = { "cq-overrun", CHECK_MISTAKE, "a completion queue has overrun",
			       "give ibv_create_cq() room for all completions that can come before the next poll",
			       "ibv_create_cq(3), ibv_get_async_event(3)" },
	[CHECK_CQ_SMALL] = { "cq-small", CHECK_MISTAKE,
			     "more signaled requests were outstanding than their completion queue has entries",
			     "give ibv_create_cq() room for all of them, signal fewer, or poll before posting more",
			     "ibv_create_cq(3)" },
	[CHECK_SQ_UNSIGNALED] = { "sq-unsignaled", CHECK_MISTAKE,
				  "a send queue is full of unsignaled requests",
				  "set IBV_SEND_SIGNALED in one of max_send_wr requests at least, and poll its completion before "
				  "the queue is full",
				  "ibv_post_send(3)" },
	[CHECK_SQ_FULL_LUCKY] = { "sq-full-lucky", CHECK_MISTAKE,
				  "a post found a place in a full send queue only by luck",
				  "poll a completion before more than max_send_wr requests are outstanding: a place is free when "
				  "the completion of its request or a later one was polled",
				  "ibv_post_send(3), InfiniBand volume 1, 10.7.3.1" },
	[CHECK_FLUSH_UNPOLLED] = { "flush-unpolled", CHECK_ADVICE,
				   "a queue pair was destroyed or moved to RESET with requests outstanding",
				   "move it to ERR, and poll the flushed requests, before that",
				   "InfiniBand volume 1, 10.2.4.4 and 10.3.1" },
	[CHECK_LEFT_UNSIGNALED] = { "left-unsignaled", CHECK_MAY,
				    "the last sends before rdma_disconnect() were unsignaled: nothing tells whether they arrived",
				    "set IBV_SEND_SIGNALED in the last one, and poll its completion first; or wait for an answer",
				    "rdma_disconnect(3), ibv_post_send(3)" },
	[CHECK_ARM_RACE] = { "arm-race", CHECK_MISTAKE,
			     "a completion queue was armed, and then waited for before a poll has found it empty",
			     "poll until the queue is empty after ibv_req_notify_cq(), before waiting",
			     "ibv_get_cq_event(3)" },
	[CHECK_ARM_NONE] = { "arm-none", CHECK_MISTAKE,
			     "the event of a completion queue cannot come",
			     "give the completion queue a channel, and call ibv_req_notify_cq() before each event",
			     "ibv_req_notify_cq(3)" },
	[CHECK_ARM_SOLICITED] = { "arm-solicited", CHECK_MISTAKE,
				  "an event is waited for that only solicited messages make, and the peer sends none",
				  "let the peer set IBV_SEND_SOLICITED, or call ibv_req_notify_cq() with 0",
				  "ibv_req_notify_cq(3), ibv_post_send(3)" },
	[CHECK_UNACKED] = { "unacked", CHECK_MISTAKE,
			    "events were not acknowledged as often as they came: their object cannot be destroyed",
			    "acknowledge each event that was got, once",
			    "ibv_ack_cq_events(3), rdma_ack_cm_event(3), ibv_ack_async_event(3)" },
	[CHECK_LEAK] = { "leak", CHECK_MISTAKE, "an object was left at the end of the program",
			 "destroy it", "the manual page of the function that made it" },
	[CHECK_GONE] = { "gone", CHECK_MISTAKE,
			 "a call was given an object that was destroyed before",
			 "forget the pointer when the object is destroyed",
			 "the manual page of the function that destroyed it" },
	[CHECK_IN_USE] = { "in-use", CHECK_MISTAKE,
			   "an id was destroyed later than its event channel",
			   "destroy all ids of an event channel before the channel",
			   "rdma_create_event_channel(3)" },
	[CHECK_QP_AFTER_ID] = { "qp-after-id", CHECK_ADVICE,
				"a queue pair was destroyed later than its id",
				"destroy the QP of an id before the id", "rdma_destroy_id(3)" },
	[CHECK_EARLY_CALL] = { "early-call", CHECK_MISTAKE,
			       "an id was used before the event that it is ready",
			       "wait for ADDR_RESOLVED before rdma_resolve_route() and rdma_create_qp(), and for ROUTE_RESOLVED "
			       "before rdma_connect()",
			       "rdma_cm(7), rdma_resolve_route(3), rdma_connect(3)" },
	[CHECK_WR_SCOPE] = { "wr-scope", CHECK_MISTAKE,
			     "what was begun was not ended, or ended twice",
			     "end each ibv_wr_start() with ibv_wr_complete() or ibv_wr_abort(), and each ibv_start_poll() that "
			     "has returned 0 with ibv_end_poll(): other threads wait until then",
			     "ibv_wr_post(3), ibv_create_cq_ex(3)" },
	[CHECK_WC_FIELD] = { "wc-field", CHECK_MISTAKE,
			     "a field of a completion was read that is not valid",
			     "read the status first, imm_data only where wc_flags has IBV_WC_WITH_IMM, only fields that the CQ was "
			     "made with, and all of them before ibv_end_poll()",
			     "ibv_create_cq_ex(3), ibv_poll_cq(3)" },
};

enum check_id check_id_find(const char *name)
{
	unsigned i = 0;

	while (i < CHECK_RULES && strcmp(check_rules[i].id, name) != 0)
		i++;
	return i;
}

static bool choose(const char *word, bool wanted[CHECK_RULES])
{
	const bool on = *word != '-';
	bool found = false;

	word += !on;
	for (unsigned i = 0; i < CHECK_RULES; i++) {
		if (strcmp(word, "all") != 0 && strcmp(word, check_rules[i].id) != 0)
			continue;
		wanted[i] = on;
		found = true;
	}
	return found;
}

char *checks_choose(const char *list, bool wanted[CHECK_RULES])
{
	const bool begins_with_all = !list || *list == '-';
	char *words = xstrdup(list ? list : ""), *rest = words, *word, *wrong = NULL;

	for (unsigned i = 0; i < CHECK_RULES; i++)
		wanted[i] = begins_with_all && check_rules[i].grade != CHECK_ADVICE;
	while (list && !wrong && (word = strsep(&rest, ",")))
		if (!choose(word, wanted))
			wrong = xstrdup(word);
	free(words);
	return wrong;
}
