/* SPDX-License-Identifier: MIT */
/* Which calls are executed: each once, whatever comes twice, late or wrongly numbered; and
 * messages that are none. */
#include "check.h"
#include "rpc_ledger.h"
#include "rpc_message.h"

static struct rpc_ledger l;
static const struct rpc_entry *entry;

static enum rpc_decision take(uint64_t id, uint64_t answered)
{
	return rpc_ledger_take(&l, id, answered, &entry);
}

static const struct rpc_entry *done(uint64_t id)
{
	uint8_t *reply = malloc(10);

	CHECK(reply);
	memset(reply, (int)id, 10);
	return rpc_ledger_done(&l, id, reply, 10);
}

static void a_call_is_executed_once(void)
{
	rpc_ledger_init(&l);
	CHECK_INT(take(1, 1), RPC_EXECUTE);
	CHECK_INT(take(1, 1), RPC_WAIT);
	CHECK(done(1));
	CHECK_INT(take(1, 1), RPC_REPLY);
	CHECK(entry->len == 10 && entry->reply[0] == 1);
	CHECK_INT(take(2, 2), RPC_EXECUTE); /* the reply of 1 has arrived */
	CHECK_INT(l.kept, 0);
	CHECK_INT(take(1, 1), RPC_STALE);
	CHECK_INT(l.again, 2);
	rpc_ledger_free(&l);
}

static void a_call_given_up_is_not_kept(void)
{
	rpc_ledger_init(&l);
	CHECK_INT(take(1, 1), RPC_EXECUTE);
	CHECK_INT(take(2, 2), RPC_EXECUTE);
	CHECK(!rpc_ledger_wants(&l, 1));
	CHECK(rpc_ledger_wants(&l, 2));
	CHECK(!done(1));
	CHECK_INT(l.kept, 0);
	rpc_ledger_free(&l);
}

static void wrong_numbers_are_found(void)
{
	rpc_ledger_init(&l);
	CHECK_INT(take(0, 0), RPC_IMPOSSIBLE);
	CHECK_INT(take(1, 2), RPC_IMPOSSIBLE);
	CHECK_INT(take(RPC_CALLS + 1, 1), RPC_IMPOSSIBLE);
	CHECK_INT(take(RPC_CALLS, 1), RPC_EXECUTE);
	CHECK_INT(take(UINT64_MAX, UINT64_MAX), RPC_EXECUTE); /* far, but no wonder */
	CHECK_INT(take(RPC_CALLS, 1), RPC_STALE);
	rpc_ledger_free(&l);
}

static void all_slots_are_used_again(void)
{
	rpc_ledger_init(&l);
	for (uint64_t id = 1; id <= 10 * RPC_CALLS; id++) {
		uint64_t answered = id < RPC_CALLS ? 1 : id - RPC_CALLS + 1;

		CHECK_INT(take(id, answered), RPC_EXECUTE);
		CHECK(done(id));
		CHECK_INT(take(id, answered), RPC_REPLY);
		CHECK_INT(entry->reply[0], (uint8_t)id);
	}
	CHECK_INT(l.kept, 10 * RPC_CALLS);
	rpc_ledger_free(&l);
	CHECK_INT(l.kept, 0);
}

static void too_many_replies_are_refused(void)
{
	rpc_ledger_init(&l);
	l.kept = (size_t)RPC_KEPT + 1;
	CHECK_INT(take(1, 1), RPC_FULL);
	CHECK_INT(take(1, 1), RPC_WAIT); /* it has its answer coming, and is not executed */
	l.kept = 0;
	rpc_ledger_free(&l);
}

/* --------------------------------------------------------------- messages -- */

static void messages_come_as_they_were(void)
{
	Tcl_Obj *args[2] = { Tcl_NewStringObj("\xc0\x80\xe2\x82\xac", 5), /* NUL, euro */
			     Tcl_NewByteArrayObj((const unsigned char *)"\xff\x00\x80", 3) };
	Rpc__Message *m;
	uint8_t *packed;
	size_t len;

	for (int i = 0; i < 2; i++)
		Tcl_IncrRefCount(args[i]);
	packed = rpc_request_pack(7, 3, "method", args, 2, &len);
	m = rpc_message_read(packed, len);
	CHECK(m && m->what_case == RPC__MESSAGE__WHAT_REQUEST);
	CHECK_INT(m->request->id, 7);
	CHECK_INT(m->request->answered, 3);
	CHECK_STR(m->request->method, "method");
	CHECK_INT(m->request->n_args, 2);
	CHECK_INT(m->request->args[0].len, 4); /* UTF-8 as others have it */
	for (int i = 0; i < 2; i++) {
		Tcl_Obj *back = rpc_value_read(m->request->args[i]);

		Tcl_IncrRefCount(back);
		CHECK_STR(Tcl_GetString(back), Tcl_GetString(args[i]));
		Tcl_DecrRefCount(back);
		Tcl_DecrRefCount(args[i]);
	}
	rpc_message_free(m);
	for (size_t cut = 0; cut < len; cut++) /* a part of a message: never more than it is */
		rpc_message_free(rpc_message_read(packed, cut));
	free(packed);
}

static void what_is_no_message_is_refused(void)
{
	static const struct {
		const char *bytes;
		size_t len;
	} wrong[] = {
		{ "", 0 },
		{ "\x0a\x00", 2 },	    /* a request without anything */
		{ "\x0a\x02\x08\x01", 4 },  /* without a name */
		{ "\x0a\x03\x1a\x01m", 5 }, /* without a number */
		{ "\x0a\x7f\x08\x01", 4 },  /* longer than it is */
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10 },
		{ "\x12\x00", 2 },			   /* a reply without anything */
		{ "\x12\x02\x08\x01", 4 },		   /* without a result */
		{ "\x12\x06\x08\x01\x12\xff\xff\x7f", 8 }, /* value longer than it is */
		{ "\x1a\x02\x08\x01", 4 },		   /* neither */
		{ "GET / HTTP/1.1\r\n", 16 },
	};

	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
		CHECK(!rpc_message_read((const uint8_t *)wrong[i].bytes, wrong[i].len));
}

static void too_much_is_refused(void)
{
	static Tcl_Obj *args[RPC_ARGS_MAX];
	char name[RPC_NAME_MAX + 2];
	uint8_t *packed;
	size_t len;

	args[0] = Tcl_NewObj();
	Tcl_IncrRefCount(args[0]);
	memset(name, 'n', sizeof name);
	name[RPC_NAME_MAX + 1] = 0;
	packed = rpc_request_pack(1, 1, name, args, 1, &len);
	CHECK(!rpc_message_read(packed, len));
	free(packed);
	Tcl_DecrRefCount(args[0]);
}

int main(int argc, char **argv)
{
	(void)argc;
	Tcl_FindExecutable(argv[0]);
	a_call_is_executed_once();
	a_call_given_up_is_not_kept();
	wrong_numbers_are_found();
	all_slots_are_used_again();
	too_many_replies_are_refused();
	messages_come_as_they_were();
	what_is_no_message_is_refused();
	too_much_is_refused();
	Tcl_Finalize();
	return checks_end();
}
