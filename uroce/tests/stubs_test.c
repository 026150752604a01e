/* SPDX-License-Identifier: MIT */
/* Functions that are not supported say so in the way of each call. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "checks.h"

#define SAYS(cond)                            \
	do {                                  \
		errno = 0;                    \
		CHECK(cond);                  \
		CHECK_INT(errno, EOPNOTSUPP); \
	} while (0)

/* Newer than some headers. */
int _ibv_query_comp_cntr_caps(void);
int ibv_qp_attach_comp_cntr(void);
int ibv_export_buf_dmabuf_fd(void);
void *ibv_create_comp_cntr(void);

int main(void)
{
	struct ibv_ece ece = { 0 };

	SAYS(ibv_query_ece(NULL, &ece) == EOPNOTSUPP);
	SAYS(ibv_set_ece(NULL, &ece) == EOPNOTSUPP);
	SAYS(!ibv_import_device(0));
	SAYS(!ibv_import_pd(NULL, 0));
	SAYS(!ibv_import_mr(NULL, 0));
	SAYS(!ibv_import_dm(NULL, 0));
	SAYS(!ibv_reg_dmabuf_mr(NULL, 0, 1, 0, -1, 0));
	SAYS(rdma_get_remote_ece(NULL, &ece) == -1);
	SAYS(rdma_set_local_ece(NULL, &ece) == -1);
	SAYS(_ibv_query_comp_cntr_caps() == EOPNOTSUPP);
	SAYS(ibv_qp_attach_comp_cntr() == EOPNOTSUPP);
	SAYS(ibv_export_buf_dmabuf_fd() == -1);
	SAYS(!ibv_create_comp_cntr());
	ibv_unimport_pd(NULL);
	ibv_unimport_mr(NULL);
	ibv_unimport_dm(NULL);
	return checks_end();
}
