// SPDX-License-Identifier: MIT
/* doctor: is this machine fit for RDMA, and what repairs it. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "alloc.h"
#include "command/cmd.h"
#include "doctor/doctor.h"
#include "session.h"

struct checkup {
	struct out *out;
	unsigned bad;
};

__attribute__((format(printf, 6, 0))) static void tell(struct checkup *c, const char *verdict,
						       enum paint paint, const char *what,
						       const char *cure, const char *fmt,
						       va_list ap)
{
	char *text = xvasprintf(fmt, ap);

	out_dict(c->out, NULL);
	out_paint(c->out, paint);
	out_str(c->out, "verdict", verdict, "%-8s", verdict);
	out_paint(c->out, PAINT_NONE);
	out_str(c->out, "what", what, "%-10s ", what);
	out_str(c->out, "text", text, "%s\n", text);
	if (cure)
		out_str(c->out, "cure", cure, "        -> %s\n", cure);
	out_end(c->out);
	free(text);
}

void doctor_ok(struct checkup *c, const char *what, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(c, "ok", PAINT_GOOD, what, NULL, fmt, ap);
	va_end(ap);
}

void doctor_bad(struct checkup *c, const char *what, const char *cure, const char *fmt, ...)
{
	va_list ap;

	c->bad++;
	va_start(ap, fmt);
	tell(c, "bad", PAINT_BAD, what, cure, fmt, ap);
	va_end(ap);
}

void doctor_note(struct checkup *c, const char *what, const char *how, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(c, "note", PAINT_DIM, what, how, fmt, ap);
	va_end(ap);
}

void doctor_unsure(struct checkup *c, const char *what, const char *cure, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(c, "unsure", PAINT_DIM, what, cure, fmt, ap);
	va_end(ap);
}

bool doctor_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool doctor_contained(void)
{
	return doctor_exists("/.dockerenv") || doctor_exists("/run/.containerenv") ||
	       getenv("container");
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
			doctor_bad(
				c, ibv_get_device_name(list[i]),
				errno == EADDRINUSE
					? "sudo ss -ulnp 'sport = :4791' tells who has its port"
					: "ls -l /dev/infiniband; the group of the files, or sudo",
				"cannot be opened: %m");
		}
	}
	if (!n)
		doctor_bad(c, "device", "'help uroce': how programs get a device in user space",
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
	check_limits(&c);
	check_shadows(&c);
	check_udp(&c);
	check_devices(&c);
	out_end(o);
	out_u64(o, "bad", c.bad, c.bad ? "%u to repair\n" : "healthy: nothing to repair\n", c.bad);
	out_end(o);
	return 0;
}

static const struct cmd_eg doctor_egs[] = { { "doctor", "memlock" },
					    { "dict get [doctor] bad", NULL },
					    { NULL, NULL } };

const struct cmd cmd_doctor = {
	.name = "doctor",
	.family = "understanding",
	.summary = "is this machine fit for RDMA, and what repairs it",
	.text = "Looks at modules of the kernel, devices and their files, locked memory, cgroups,\n"
		"descriptors, ports, MTUs and GIDs, network interfaces that several devices\n"
		"claim, UDP port 4791 and the firewall. Each is ok, bad with the command that\n"
		"repairs it, unsure with the command that tells, or a note of what could be had. It\n"
		"changes nothing.",
	.calls = "ibv_get_device_list(3), ibv_query_port(3), getrlimit(2)",
	.examples = doctor_egs,
	.flags = CMD_NO_RECORD,
	.exec = doctor_exec,
};
