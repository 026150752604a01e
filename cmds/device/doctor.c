/* SPDX-License-Identifier: MIT */
/* doctor: is this machine fit for RDMA, and what repairs it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <linux/capability.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "alloc.h"
#include "recorded.h"
#include "spec_tables.h"
#include "command/cmd.h"
#include "device/device.h"
#include "objects.h"
#include "session.h"
#include "words.h"
#include "why.h"

/* The kernel's own /sys, even in a process where uroce shows its device there. */
#define REAL_SYS "/proc/self/root/sys"

struct checkup {
	struct out *out;
	unsigned bad;
};

enum finding {
	OK,
	BAD,	/* with the cure: commands to type, or what to change */
	NOTE,	/* nothing is wrong, and more could be had: how */
	UNSURE, /* it cannot be seen from here: how to see it */
};

/* advice may be NULL. */
__attribute__((format(printf, 5, 6))) static void
report_finding(struct checkup *c, enum finding finding, const char *what, const char *advice,
	       const char *fmt, ...)
{
	static const struct {
		const char *word;
		enum paint paint;
	} looks[] = { [OK] = { "ok", PAINT_GOOD },
		      [BAD] = { "bad", PAINT_BAD },
		      [NOTE] = { "note", PAINT_DIM },
		      [UNSURE] = { "unsure", PAINT_DIM } };
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	c->bad += finding == BAD;
	out_dict(c->out, NULL);
	out_paint(c->out, looks[finding].paint);
	out_str(c->out, "verdict", looks[finding].word, "%-8s", looks[finding].word);
	out_paint(c->out, PAINT_NONE);
	out_str(c->out, "what", what, "%-10s ", what);
	out_str(c->out, "text", text, "%s\n", text);
	if (advice)
		out_str(c->out, "cure", advice, "        -> %s\n", advice);
	out_end(c->out);
	free(text);
}

static bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static bool in_container(void)
{
	return file_exists("/.dockerenv") || file_exists("/run/.containerenv") ||
	       getenv("container");
}

/* The kernel's side: its modules, the devices it has, the files they are reached by. */

/* The names in a folder, joined by blanks; "" when there are none. */
static void list_directory(const char *path, char *names, size_t size)
{
	DIR *d = opendir(path);
	struct dirent *e;
	size_t at = 0;

	*names = 0;
	while (d && (e = readdir(d)))
		if (*e->d_name != '.' && at < size)
			at += (size_t)snprintf(names + at, size - at, "%s%s", at ? " " : "",
					       e->d_name);
	if (d)
		closedir(d);
}

static bool has_kernel_device(void)
{
	char names[256];

	list_directory(REAL_SYS "/class/infiniband", names, sizeof names);
	return *names;
}

/* Is there a module of that name for this kernel, loaded or not? */
static bool has_module(const char *name)
{
	char path[128], file[64];
	char *roots[] = { path, NULL };
	struct utsname u;
	bool found = false;
	FTSENT *e;
	FTS *t;

	if (uname(&u))
		return false;
	snprintf(path, sizeof path, "/lib/modules/%s/kernel/drivers/infiniband", u.release);
	snprintf(file, sizeof file, "%s.ko", name);
	t = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (t && !found && (e = fts_read(t)))
		found = e->fts_info == FTS_F && strncmp(e->fts_name, file, strlen(file)) == 0;
	if (t)
		fts_close(t);
	return found;
}

/* uroce0 needs no device of the kernel, so a machine without one is not faulty. */
static void advise_device(struct checkup *c)
{
	static const char what[] = "none of the kernel; uroce0, in user space, is used";
	struct utsname u;
	char how[256];

	if (in_container()) {
		report_finding(
			c, NOTE, "device",
			"to have one: on the host, rdma link add rxe0 type rxe netdev NETDEV; "
			"then run the container with --device=/dev/infiniband",
			"%s", what);
		return;
	}
	if (has_module("rdma_rxe")) {
		report_finding(
			c, NOTE, "device",
			"to have one: sudo modprobe rdma_rxe; sudo rdma link add rxe0 type rxe "
			"netdev NETDEV (scripts/setup-rxe does it)",
			"%s", what);
		return;
	}
	snprintf(how, sizeof how,
		 "to have one: sudo apt-get install linux-modules-extra-%s (Ubuntu), or a kernel "
		 "with CONFIG_RDMA_RXE",
		 uname(&u) ? "$(uname -r)" : u.release);
	report_finding(c, NOTE, "device", how, "%s", what);
}

static void check_file(struct checkup *c, const char *path)
{
	if (!file_exists(path))
		report_finding(c, BAD, "files",
			       in_container() ? "run the container with --device=/dev/infiniband"
					      : "sudo modprobe ib_uverbs rdma_ucm",
			       "%s is not there", path);
	else if (access(path, R_OK | W_OK))
		report_finding(c, BAD, "files",
			       "ls -l /dev/infiniband: join the group, or a udev rule",
			       "no right to open %s", path);
	else
		report_finding(c, OK, "files", NULL, "%s", path);
}

static void check_providers(struct checkup *c)
{
	char names[256];

	list_directory("/etc/libibverbs.d", names, sizeof names);
	if (*names)
		report_finding(c, OK, "providers", NULL, "%s", names);
	else
		report_finding(
			c, BAD, "providers", "sudo apt-get install ibverbs-providers",
			"no driver of libibverbs is installed: devices of the kernel cannot be "
			"opened");
}

static void check_kernel(struct checkup *c)
{
	char names[256];

	list_directory(REAL_SYS "/class/infiniband", names, sizeof names);
	if (!*names) {
		advise_device(c);
		return;
	}
	report_finding(c, OK, "device", NULL, "%s", names);
	check_providers(c);
	list_directory(REAL_SYS "/class/infiniband_verbs", names, sizeof names);
	for (char *save, *name = strtok_r(names, " ", &save); name;
	     name = strtok_r(NULL, " ", &save))
		if (strncmp(name, "uverbs", 6) == 0) {
			char path[64];

			snprintf(path, sizeof path, "/dev/infiniband/%s", name);
			check_file(c, path);
		}
	check_file(c, "/dev/infiniband/rdma_cm");
}

/* The limits of the process: locked memory, descriptors, the rdma controller of its cgroup. */

#define ENOUGH (64ul << 20) /* bytes of locked memory: some buffers of a few MiB */

/* CAP_IPC_LOCK lifts the limit. */
static bool may_lock_all(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { 0 };

	return syscall(SYS_capget, &header, caps) == 0 && caps[0].effective & 1u << CAP_IPC_LOCK;
}

static const char *memlock_cure(void)
{
	return in_container()
		       ? "run the container with --ulimit memlock=-1 --cap-add IPC_LOCK"
		       : "ulimit -l unlimited; for good: '* - memlock unlimited' in "
			 "/etc/security/limits.d/rdma.conf, LimitMEMLOCK=infinity in a service";
}

static void check_memlock(struct checkup *c)
{
	struct rlimit lock;

	if (getrlimit(RLIMIT_MEMLOCK, &lock))
		return;
	if (!has_kernel_device())
		report_finding(c, OK, "memlock", NULL, "uroce0 locks no memory");
	else if (lock.rlim_cur == RLIM_INFINITY)
		report_finding(c, OK, "memlock", NULL, "unlimited");
	else if (may_lock_all())
		report_finding(c, OK, "memlock", NULL, "%llu KiB, which CAP_IPC_LOCK lifts",
			       (unsigned long long)lock.rlim_cur / 1024);
	else if (lock.rlim_cur < ENOUGH)
		report_finding(c, BAD, "memlock", memlock_cure(),
			       "%llu KiB may be registered: ibv_reg_mr and ibv_create_* say ENOMEM",
			       (unsigned long long)lock.rlim_cur / 1024);
	else
		report_finding(c, OK, "memlock", NULL, "%llu MiB",
			       (unsigned long long)lock.rlim_cur >> 20);
}

static void check_descriptors(struct checkup *c)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	if (files.rlim_cur < 256)
		report_finding(c, BAD, "files", "ulimit -n 1024",
			       "%llu descriptors: each device and channel needs some",
			       (unsigned long long)files.rlim_cur);
	else
		report_finding(c, OK, "files", NULL, "%llu descriptors",
			       (unsigned long long)files.rlim_cur);
}

/* "mlx5_0 hca_handle=2 hca_object=2000": a limit; "max" is none. Version 2 of cgroups. */
static void check_cgroup(struct checkup *c)
{
	char path[512], line[512], file[600];
	FILE *f = fopen("/proc/self/cgroup", "re");

	*path = 0;
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "0::%511[^\n]", path) == 1)
			break;
	if (f)
		fclose(f);
	if (!*path)
		return;
	snprintf(file, sizeof file, REAL_SYS "/fs/cgroup%s/rdma.max", path);
	f = fopen(file, "re");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		if (strstr(line, "hca_handle=max") && strstr(line, "hca_object=max"))
			continue;
		report_finding(c, BAD, "cgroup", "raise rdma.max of the cgroup",
			       "limits objects: %s", line);
	}
	if (f)
		fclose(f);
}

/* An open device: are its ports up, what do they carry, do they have an address. */

/* Bytes around the payload of a RoCEv2 packet over IPv6: IPv6, UDP, BTH, the largest extended
 * headers of a packet with data (RETH, ImmDt), ICRC. */
#define OVERHEAD (40 + 8 + 12 + 20 + 4)

static int netdev_mtu(const char *name)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), mtu = -1;
	struct ifreq r = { 0 };

	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
	if (fd >= 0 && ioctl(fd, SIOCGIFMTU, &r) == 0)
		mtu = r.ifr_mtu;
	if (fd >= 0)
		close(fd);
	return mtu;
}

static void check_mtu(struct checkup *c, const char *name, const struct ibv_port_attr *port,
		      const char *netdev)
{
	int mtu = netdev_mtu(netdev);
	char cure[128];

	snprintf(cure, sizeof cure, "sudo ip link set %s mtu 4200 (or 9000, on the whole path)",
		 netdev);
	if (mtu > 0 && mtu < (int)spec_mtu_bytes(port->active_mtu) + OVERHEAD)
		report_finding(c, BAD, name, cure,
			       "active MTU %u, and %s carries %d: packets of full size do not fit",
			       spec_mtu_bytes(port->active_mtu), netdev, mtu);
	else if (mtu > 0)
		report_finding(c, OK, name, NULL, "active MTU %u on %s (MTU %d)",
			       spec_mtu_bytes(port->active_mtu), netdev, mtu);
}

static void check_gid_table(struct checkup *c, struct dev *dev, uint8_t number,
			    const struct ibv_port_attr *port)
{
	SCOPED_GIDS(rows);
	int n = gid_table(dev, number, &rows);
	const struct gid_row *best = gid_best(rows, n);
	const char *name = ibv_get_device_name(dev->v->device);

	if (!best) {
		report_finding(c, BAD, name,
			       "give its network interface an address: sudo ip address add",
			       "the GID table of port %u is empty", number);
		return;
	}
	if (port->link_layer != IBV_LINK_LAYER_ETHERNET)
		return;
	if (!IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)(const void *)best->e.gid.raw) &&
	    IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)(const void *)best->e.gid.raw))
		report_finding(
			c, BAD, name, "sudo ip address add A.B.C.D/24 dev NETDEV",
			"port %u has link-local GIDs only: peers on other links are not reached",
			number);
	else
		report_finding(c, OK, name, NULL, "GID index %u, %s", best->e.gid_index,
			       why_gid(&best->e.gid));
	if (*best->netdev)
		check_mtu(c, name, port, best->netdev);
}

static void check_device(struct checkup *c, struct ibv_context *v)
{
	struct dev dev = { .v = v };
	const char *name = ibv_get_device_name(v->device);
	struct ibv_device_attr attr;

	if (ibv_query_device(v, &attr)) {
		report_finding(c, BAD, name, "dmesg", "does not answer: %m");
		return;
	}
	for (uint8_t i = 1; i <= attr.phys_port_cnt; i++) {
		struct ibv_port_attr port;

		if (ibv_query_port(v, i, &port))
			continue;
		if (port.state == IBV_PORT_ACTIVE)
			report_finding(c, OK, name, NULL, "port %u is ACTIVE", i);
		else
			report_finding(c, BAD, name,
				       port.link_layer == IBV_LINK_LAYER_ETHERNET
					       ? "sudo ip link set NETDEV up; the cable"
				       : port.state == IBV_PORT_INIT
					       ? "a subnet manager: sudo opensm"
					       : "the cable, the switch",
				       "port %u is %s", i, word_name(port_state_words, port.state));
		check_gid_table(c, &dev, i, &port);
	}
	if (!embedded_is_used())
		report_finding(c, NOTE, name, "!rdma resource show",
			       "rdma(8) lists the objects that the kernel has of each process");
}

/*
 * Two RDMA devices on one network interface: address resolution finds one of them, and it need
 * not be the one that was meant.
 */

#define MOST 64

struct claim {
	char device[64], netdev[IF_NAMESIZE];
};

static unsigned claims_of(struct ibv_device *device, struct claim *claims, unsigned n)
{
	SCOPED_GIDS(rows);
	struct dev dev = { .v = ibv_open_device(device) };
	int got = dev.v ? gid_table(&dev, 1, &rows) : 0;

	for (int i = 0; i < got && n < MOST; i++) {
		bool known = !*rows[i].netdev;

		for (unsigned k = 0; k < n; k++)
			known |= strcmp(claims[k].device, ibv_get_device_name(device)) == 0 &&
				 strcmp(claims[k].netdev, rows[i].netdev) == 0;
		if (known)
			continue;
		snprintf(claims[n].device, sizeof claims[n].device, "%s",
			 ibv_get_device_name(device));
		snprintf(claims[n].netdev, sizeof claims[n].netdev, "%s", rows[i].netdev);
		n++;
	}
	if (dev.v)
		ibv_close_device(dev.v);
	return n;
}

static void check_shadows(struct checkup *c)
{
	int devices = 0;
	struct ibv_device **list = ibv_get_device_list(&devices);
	struct claim claims[MOST];
	unsigned n = 0;

	for (int i = 0; i < devices; i++)
		n = claims_of(list[i], claims, n);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i + 1; k < n; k++) {
			char cure[192];

			if (strcmp(claims[i].netdev, claims[k].netdev) != 0)
				continue;
			snprintf(cure, sizeof cure,
				 "sudo rdma link delete the one that is not needed, or name it: "
				 "--device %.63s",
				 claims[i].device);
			report_finding(c, BAD, "shadow", cure, "%s and %s are both on %s",
				       claims[i].device, claims[k].device, claims[i].netdev);
		}
	if (list)
		ibv_free_device_list(list);
}

/* UDP port 4791, which RoCEv2 uses: who holds it here, and whether packets to it get in. */

#define ROCE_PORT 4791

/* The kernel's devices hold the port by sockets that belong to no process. */
static void check_holder(struct checkup *c)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(ROCE_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return;
	err = bind(fd, (struct sockaddr *)&any, sizeof any) ? errno : 0;
	if (!err)
		report_finding(c, OK, "UDP 4791", NULL, "nobody has it");
	else if (err == EADDRINUSE && embedded_is_used())
		report_finding(c, OK, "UDP 4791", NULL,
			       "in use; by programs on uroce0: uroce status tells which");
	else if (err == EADDRINUSE && file_exists(REAL_SYS "/module/rdma_rxe"))
		report_finding(c, OK, "UDP 4791", NULL, "rdma_rxe has it");
	else
		report_finding(c, UNSURE, "UDP 4791", "sudo ss -ulnp 'sport = :4791'", "taken: %s",
			       strerror(err));
	close(fd);
}

/* Reads the output of a command; false: it cannot be run, or exits with an error. */
static bool run_command(const char *command, char *text, size_t size)
{
	FILE *p = popen(command, "re"); /* constant commands only */
	size_t n = p ? fread(text, 1, size - 1, p) : 0;

	text[n] = 0;
	return p && pclose(p) == 0;
}

/* Does a chain for incoming packets drop what none of its rules accepts? nft writes hook and policy
 * on one line. Chains for forwarded packets drop on every host of containers, and do not count. */
static bool drops_by_policy(const char *rules)
{
	for (const char *at = rules; (at = strstr(at, "hook input")); at++) {
		size_t rest = strcspn(at, "\n");

		if (memmem(at, rest, "policy drop", strlen("policy drop")))
			return true;
	}
	return false;
}

static void check_firewall(struct checkup *c)
{
	static char rules[1 << 20];

	if (!file_exists("/usr/sbin/nft")) {
		report_finding(c, OK, "firewall", NULL, "no nft here");
		return;
	}
	if (!run_command("/usr/sbin/nft list ruleset 2>/dev/null", rules, sizeof rules)) {
		report_finding(c, UNSURE, "firewall",
			       "sudo nft list ruleset | grep -e 4791 -e policy",
			       "its rules are for root to read");
		return;
	}
	if (!drops_by_policy(rules))
		report_finding(c, OK, "firewall", NULL, "nothing drops what comes in by policy");
	else if (strstr(rules, "4791"))
		report_finding(c, OK, "firewall", NULL, "a rule names UDP port 4791");
	else
		report_finding(c, BAD, "firewall",
			       "sudo nft insert rule inet filter input udp dport 4791 accept",
			       "what comes in is dropped, and no rule names UDP port 4791");
}

static void check_devices(struct checkup *c)
{
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);

	for (int i = 0; i < n; i++) {
		struct ibv_context *v = ibv_open_device(list[i]);

		if (v) {
			check_device(c, v);
			ibv_close_device(v);
		} else {
			report_finding(
				c, BAD, ibv_get_device_name(list[i]),
				errno == EADDRINUSE
					? "sudo ss -ulnp 'sport = :4791' tells who has its port"
					: "ls -l /dev/infiniband; the group of the files, or sudo",
				"cannot be opened: %m");
		}
	}
	if (!n)
		report_finding(c, BAD, "device",
			       "'help uroce': how programs get a device in user space",
			       "no RDMA device of any kind");
	if (list)
		ibv_free_device_list(list);
}

static int doctor_exec(struct session *s, const void *args, struct out *o)
{
	struct checkup c = { .out = o };

	(void)args;
	(void)s;
	out_dict(o, NULL);
	out_list(o, "checks");
	check_kernel(&c);
	check_memlock(&c);
	check_descriptors(&c);
	check_cgroup(&c);
	check_shadows(&c);
	check_holder(&c);
	check_firewall(&c);
	check_devices(&c);
	out_end(o);
	out_u64(o, "bad", c.bad, c.bad ? "%u to repair\n" : "healthy: nothing to repair\n", c.bad);
	out_end(o);
	return 0;
}

/** Looks at modules of the kernel, devices and their files, locked memory, cgroups,
 * descriptors, ports, MTUs and GIDs, network interfaces that several devices claim, UDP
 * port 4791 and the firewall. Each finding is ok, bad (with the command that repairs
 * it), unsure (with the command that shows it) or a note (with what else you could
 * have). It changes nothing.
 * > doctor => memlock
 * > dict get [doctor] bad */
const struct cmd cmd_doctor = {
	.name = "doctor",
	.family = "understanding",
	.summary = "is this machine fit for RDMA, and what repairs it",
	.calls = "ibv_get_device_list(3), ibv_query_port(3), getrlimit(2)",
	.flags = CMD_NO_RECORD,
	.exec = doctor_exec,
};
