/* SPDX-License-Identifier: MIT */
/* Multicast groups: ibv_attach_mcast(3). Volume 1, 10.5. See qp_each_in_group() of qp.h, too. */
#ifndef UROCE_VERBS_MCAST_H
#define UROCE_VERBS_MCAST_H

/* Addresses of this host came or went (gid_changed): groups are joined on new interfaces. */
void mcast_refresh(void);
/* After fork(), in the child: the memberships are the parent's. */
void mcast_forget(void);

#endif
