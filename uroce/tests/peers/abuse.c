// SPDX-License-Identifier: MIT
/*
 * abuse CASE: what a program may do to verbs, by neglect or on purpose. Run by abuse.sh, each
 * case in a process of its own.
 * abuse unsteered COMMAND...: runs it as on a kernel without SO_ATTACH_REUSEPORT_CBPF.
 */
#include <errno.h>

#include "abuse.h"
#include "checks.h"
#include "qp_pair.h"

int plain(void)
{
	struct pair p;

	pair_make(&p, 0);
	pair_works(&p);
	pair_close(&p);
	return 0;
}

static int wrong_order(void)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_UD, .cap = { 8, 0, 1, 0, 0 } };
	union ibv_gid group = { .raw = { [10] = 0xff, 0xff, 239, 1, 2, 3 } };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_srq *srq;
	struct ibv_qp *ud;
	struct pair p;

	pair_make(&p, 0);
	CHECK_INT(ibv_dealloc_pd(p.a.pd), EBUSY);
	CHECK_INT(ibv_destroy_cq(p.a.cq), EBUSY);
	CHECK_INT(ibv_destroy_comp_channel(p.channel), EBUSY);
	srq = ibv_create_srq(p.a.pd, &srq_init);
	CHECK(srq != NULL);
	init.srq = srq;
	init.send_cq = init.recv_cq = p.a.cq;
	ud = ibv_create_qp(p.a.pd, &init);
	CHECK(ud != NULL);
	CHECK_INT(ibv_destroy_srq(srq), EBUSY);
	CHECK_INT(ibv_modify_qp(ud, &attr,
				IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY),
		  0);
	CHECK_INT(ibv_attach_mcast(ud, &group, 0), 0);
	CHECK_INT(ibv_destroy_qp(ud), EBUSY);
	CHECK_INT(ibv_detach_mcast(ud, &group, 0), 0);
	CHECK_INT(ibv_destroy_qp(ud), 0);
	CHECK_INT(ibv_destroy_srq(srq), 0);
	pair_works(&p);
	pair_close(&p);
	/* the device goes before what is made of it: the kernel ends all that there is */
	pair_make(&p, 0);
	CHECK_INT(pair_recv(&p.a, 64, 1), 0);
	CHECK_INT(ibv_close_device(p.ctx), 0);
	return plain();
}

#define CASE(name)          \
	{                   \
#name, name \
	}
static const struct {
	const char *name;
	int (*run)(void);
} cases[] = {
	CASE(many_mrs),	       CASE(cq_overrun),      CASE(few_files),
	CASE(little_memory),   CASE(plain),	      CASE(addresses),
	CASE(narrow),	       CASE(forks),	      CASE(fork_with_tap),
	CASE(execs),	       CASE(never_polls),     CASE(signals),
	CASE(threads),	       CASE(wrong_order),     CASE(exit_dirty),
	CASE(exit_in_handler), CASE(exit_in_cm_call), CASE(exit_stuck),
	CASE(dlcloses),	       CASE(memory_unmapped), CASE(memory_protected),
	CASE(file_truncated),  CASE(huge_pages),
};

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "unsteered") == 0)
		return unsteered(argv + 2);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2)
			puts(cases[i].name);
		else if (strcmp(argv[1], cases[i].name) == 0)
			return cases[i].run();
	}
	return argc < 2 ? 0 : 2;
}
