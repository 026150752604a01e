/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "call/coverage.h"
#include "topics.h"

static const char embedded[] =
	"Where a machine has no RDMA device, rdmash brings its own: uroce0 speaks RoCEv2 on UDP\n"
	"port 4791, as kernel drivers and network cards do, but from user space: it needs no\n"
	"hardware, no module of the kernel and no privilege. It is used when there is no other\n"
	"device, and with --device uroce0. It is slower than hardware, and else behaves as the\n"
	"specification says: what goes over its wire can be captured and read with Wireshark, and\n"
	"it talks to real devices on other hosts.\n"
	"\n"
	"  rdmash --device uroce0         this device, whatever else there is\n"
	"  uroce rping -s -a 127.0.0.1    any other program that uses RDMA verbs\n"
	"  uroce status                   the processes of this host that use it\n"
	"\n"
	"The programs of one user on a host, 63 at most, share UDP port 4791; another user needs a\n"
	"network of its own (unshare -rn). Two terminals with 127.0.0.1 are enough to try both ends\n"
	"of everything.\n"
	"\n"
	"  UROCE_PCAP=FILE                writes all packets of a program to a file\n"
	"  UROCE_FAULT=drop=5%            loses packets; also dup, reorder, corrupt,\n"
	"                                 delay; dir=out, op=ACK and psn=N say which;\n"
	"                                 ';' separates rules\n"
	"  UROCE_FAULT_SEED=7             makes that the same every time\n";

static const char coverage[] =
	"Every function of the headers of libibverbs and librdmacm, and how it is reached: by\n"
	"commands, by 'call', or not at all, and why.\n";

const struct topic cmd_topics[] = {
	{ "coverage", "Every function", coverage, coverage_text },
	{ "uroce", "The embedded device", embedded, NULL },
	{ 0 },
};
