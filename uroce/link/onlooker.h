/* SPDX-License-Identifier: MIT */
/*
 * Whether somebody looks at packets from outside: tcpdump, Wireshark, netem. They are shown what a
 * network card would have sent: no memory, no segmentation offload.
 *
 * A look costs some 20 us and is taken before something is sent when the last one is older than
 * 100 ms: who does nothing does not look. Firewall rules cannot be seen this way.
 */
#ifndef UROCE_LINK_ONLOOKER_H
#define UROCE_LINK_ONLOOKER_H

#include <stdbool.h>

/* At the loopback: a running packet socket for all protocols, IP or IPv6, on that interface or on
 * all (packet(7); the one of a DHCP client is on another), or a queueing discipline (tc(8)). */
bool onlooker_on_loopback(void);
/* At any interface: such a packet socket. */
bool onlooker_anywhere(void);

#endif
