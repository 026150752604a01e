/* SPDX-License-Identifier: MIT */
/* What stands around the functions: heading, variables, helpers, clean-up, main. */
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "export/program.h"

/* -------------------------------------------------------------- helpers -- */

struct helper {
	unsigned bit;
	unsigned calls; /* bits of those before it */
	const char *text;
};

/* The functions that exported programs call: only those that one uses are put into it. */

static const struct helper helpers[] = {
	{ HELPER_FAILED, 0,
	  "static int failed(const char *what)\n"
	  "{\n"
	  "	fprintf(stderr, \"%s: %s\\n\", what, strerror(errno));\n"
	  "	return -1;\n"
	  "}\n" },
	{ HELPER_CHECK, HELPER_FAILED,
	  "/* Library calls return 0; or -1 with errno set, or the error's number. */\n"
	  "static int check(int rc, const char *what)\n"
	  "{\n"
	  "	if (rc == 0)\n"
	  "		return 0;\n"
	  "	if (rc != -1)\n"
	  "		errno = abs(rc);\n"
	  "	return failed(what);\n"
	  "}\n" },
	{ HELPER_OPEN_DEVICE, 0,
	  "/* The device called name, or the first one if there is none of that name. */\n"
	  "static struct ibv_context *open_device(const char *name)\n"
	  "{\n"
	  "	struct ibv_context *found, **list;\n"
	  "	int n = 0;\n"
	  "\n"
	  "	list = rdma_get_devices(&n);\n"
	  "	if (!list)\n"
	  "		return NULL;\n"
	  "	found = list[0];\n"
	  "	for (int i = 0; i < n; i++)\n"
	  "		if (strcmp(ibv_get_device_name(list[i]->device), name) == 0)\n"
	  "			found = list[i];\n"
	  "	rdma_free_devices(list);\n"
	  "	return found;\n"
	  "}\n" },
	{ HELPER_REG, 0,
	  "/* Memory of its own, zeroed and page-aligned, and registered. */\n"
	  "static struct ibv_mr *reg(struct ibv_pd *pd, size_t len, int access)\n"
	  "{\n"
	  "	struct ibv_mr *mr;\n"
	  "	void *memory;\n"
	  "\n"
	  "	errno = posix_memalign(&memory, 4096, len);\n"
	  "	if (errno)\n"
	  "		return NULL;\n"
	  "	memset(memory, 0, len);\n"
	  "	mr = ibv_reg_mr(pd, memory, len, access);\n"
	  "	if (!mr)\n"
	  "		free(memory);\n"
	  "	return mr;\n"
	  "}\n" },
	{ HELPER_DEREG, 0,
	  "static int dereg(struct ibv_mr *mr)\n"
	  "{\n"
	  "	void *memory = mr->addr;\n"
	  "	int rc = ibv_dereg_mr(mr);\n"
	  "\n"
	  "	if (rc == 0)\n"
	  "		free(memory);\n"
	  "	return rc;\n"
	  "}\n" },
	{ HELPER_AT, 0,
	  "static void *at(const struct ibv_mr *mr, size_t offset)\n"
	  "{\n"
	  "	return (char *)mr->addr + offset;\n"
	  "}\n" },
	{ HELPER_PUT_BE, 0,
	  "/* Numbers between us and the peer: the most significant byte first. */\n"
	  "static void put_be(unsigned char *to, uint64_t v, int size)\n"
	  "{\n"
	  "	while (size--) {\n"
	  "		to[size] = (unsigned char)v;\n"
	  "		v >>= 8;\n"
	  "	}\n"
	  "}\n" },
	{ HELPER_PUT_LE, 0,
	  "static void put_le(unsigned char *to, uint64_t v, int size)\n"
	  "{\n"
	  "	for (int i = 0; i < size; i++, v >>= 8)\n"
	  "		to[i] = (unsigned char)v;\n"
	  "}\n" },
	{ HELPER_GET_BE, 0,
	  "static uint64_t get_be(const unsigned char *from, int size)\n"
	  "{\n"
	  "	uint64_t v = 0;\n"
	  "\n"
	  "	for (int i = 0; i < size; i++)\n"
	  "		v = v << 8 | from[i];\n"
	  "	return v;\n"
	  "}\n" },
	{ HELPER_GET_LE, 0,
	  "static uint64_t get_le(const unsigned char *from, int size)\n"
	  "{\n"
	  "	uint64_t v = 0;\n"
	  "\n"
	  "	while (size--)\n"
	  "		v = v << 8 | from[size];\n"
	  "	return v;\n"
	  "}\n" },
	{ HELPER_LOOKUP, 0,
	  "static int lookup(const char *host, const char *port, struct sockaddr_storage *ss)\n"
	  "{\n"
	  "	struct addrinfo *found;\n"
	  "	int rc = getaddrinfo(host, port, NULL, &found);\n"
	  "\n"
	  "	if (rc) {\n"
	  "		fprintf(stderr, \"%s: %s\\n\", host, gai_strerror(rc));\n"
	  "		return -1;\n"
	  "	}\n"
	  "	memcpy(ss, found->ai_addr, found->ai_addrlen);\n"
	  "	freeaddrinfo(found);\n"
	  "	return 0;\n"
	  "}\n" },
	{ HELPER_TRANSFER, HELPER_FAILED,
	  "/* All n bytes, to the socket or from it. */\n"
	  "static int transfer(int fd, void *data, size_t n, int out)\n"
	  "{\n"
	  "	for (char *at = data; n;) {\n"
	  "		ssize_t done = out ? write(fd, at, n) : read(fd, at, n);\n"
	  "\n"
	  "		if (done <= 0)\n"
	  "			return failed(\"exchange over TCP\");\n"
	  "		at += done;\n"
	  "		n -= (size_t)done;\n"
	  "	}\n"
	  "	return 0;\n"
	  "}\n" },
	{ HELPER_FIELD, 0,
	  "/* The number behind that key of a flat JSON object. */\n"
	  "static uint64_t field(const char *json, const char *key)\n"
	  "{\n"
	  "	const char *at = strstr(json, key);\n"
	  "\n"
	  "	return at ? strtoull(at + strlen(key), NULL, 0) : 0;\n"
	  "}\n" },
	{ HELPER_TAKE_TOLD, HELPER_FIELD,
	  "static int take_told(const char *json, struct told *peer)\n"
	  "{\n"
	  "	const char *gid = strstr(json, \"\\\"gid\\\":\\\"\");\n"
	  "	char host[64] = \"\";\n"
	  "\n"
	  "	if (!gid || sscanf(gid, \"\\\"gid\\\":\\\"%63[^\\\"]\", host) != 1 ||\n"
	  "	    inet_pton(AF_INET6, host, &peer->gid) != 1) {\n"
	  "		fprintf(stderr, \"the peer has told no gid: %s\\n\", json);\n"
	  "		return -1;\n"
	  "	}\n"
	  "	peer->qpn = (uint32_t)field(json, \"\\\"qpn\\\":\");\n"
	  "	peer->psn = (uint32_t)field(json, \"\\\"psn\\\":\");\n"
	  "	peer->rkey = (uint32_t)field(json, \"\\\"rkey\\\":\");\n"
	  "	peer->addr = field(json, \"\\\"addr\\\":\");\n"
	  "	return 0;\n"
	  "}\n" },
	{ HELPER_EXCHANGE, HELPER_FAILED | HELPER_LOOKUP | HELPER_TRANSFER | HELPER_TAKE_TOLD,
	  "/* Over TCP: the peer's message, then ours; each is its length, and JSON. */\n"
	  "static int exchange(const char *host, const char *port, char *mine, struct told *peer)\n"
	  "{\n"
	  "	uint32_t len = 0, own = htonl((uint32_t)strlen(mine));\n"
	  "	struct sockaddr_storage to = { 0 };\n"
	  "	char json[4096] = \"\";\n"
	  "	int fd, rc;\n"
	  "\n"
	  "	if (lookup(host, port, &to))\n"
	  "		return -1;\n"
	  "	fd = socket(to.ss_family, SOCK_STREAM, 0);\n"
	  "	rc = fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) ? failed(host) : 0;\n"
	  "	if (rc == 0)\n"
	  "		rc = transfer(fd, &len, sizeof len, 0);\n"
	  "	len = ntohl(len);\n"
	  "	if (rc == 0 && len < sizeof json)\n"
	  "		rc = transfer(fd, json, len, 0);\n"
	  "	if (rc == 0)\n"
	  "		rc = transfer(fd, &own, sizeof own, 1);\n"
	  "	if (rc == 0)\n"
	  "		rc = transfer(fd, mine, strlen(mine), 1);\n"
	  "	if (fd >= 0)\n"
	  "		close(fd);\n"
	  "	return rc ? rc : take_told(json, peer);\n"
	  "}\n" },
	{ HELPER_READABLE, HELPER_FAILED,
	  "/* Waits for something to read; fails after PATIENCE seconds. */\n"
	  "static int readable(int fd, const char *what)\n"
	  "{\n"
	  "	struct pollfd p = { .fd = fd, .events = POLLIN };\n"
	  "	int n = poll(&p, 1, PATIENCE * 1000);\n"
	  "\n"
	  "	if (n > 0)\n"
	  "		return 0;\n"
	  "	if (n == 0)\n"
	  "		errno = ETIMEDOUT;\n"
	  "	return failed(what);\n"
	  "}\n" },
	{ HELPER_NEXT_EVENT, HELPER_CHECK | HELPER_READABLE,
	  "/* Takes an event from the channel: its data dies with the acknowledgement. */\n"
	  "static int next_event(struct rdma_event_channel *channel, struct event *e)\n"
	  "{\n"
	  "	struct rdma_cm_event *ev;\n"
	  "	const void *data;\n"
	  "\n"
	  "	if (readable(channel->fd, \"rdma_get_cm_event\") ||\n"
	  "	    check(rdma_get_cm_event(channel, &ev), \"rdma_get_cm_event\"))\n"
	  "		return -1;\n"
	  "	*e = (struct event){ .type = ev->event,\n"
	  "			     .status = ev->status,\n"
	  "			     .id = ev->id,\n"
	  "			     .listener = ev->listen_id };\n"
	  "	if (ev->id->ps == RDMA_PS_UDP) {\n"
	  "		e->ud = ev->param.ud;\n"
	  "		data = ev->param.ud.private_data;\n"
	  "		e->len = data ? ev->param.ud.private_data_len : 0;\n"
	  "	} else {\n"
	  "		data = ev->param.conn.private_data;\n"
	  "		e->len = data ? ev->param.conn.private_data_len : 0;\n"
	  "	}\n"
	  "	if (e->len)\n"
	  "		memcpy(e->data, data, e->len);\n"
	  "	return check(rdma_ack_cm_event(ev), \"rdma_ack_cm_event\");\n"
	  "}\n" },
	{ HELPER_AWAIT_EVENT, HELPER_FAILED | HELPER_NEXT_EVENT,
	  "/* The event of that type for id; others that come meanwhile are kept for later. */\n"
	  "static int await_event(struct rdma_event_channel *channel, const struct rdma_cm_id *id,\n"
	  "		       enum rdma_cm_event_type type, struct event *to)\n"
	  "{\n"
	  "	static struct event kept[64];\n"
	  "	static unsigned n;\n"
	  "\n"
	  "	for (unsigned i = 0;; i++) {\n"
	  "		struct event e;\n"
	  "\n"
	  "		if (i == n && n == sizeof kept / sizeof *kept) {\n"
	  "			errno = ENOBUFS;\n"
	  "			return failed(rdma_event_str(type));\n"
	  "		}\n"
	  "		if (i == n && next_event(channel, &kept[n++])) {\n"
	  "			fprintf(stderr, \"while waiting %d s for %s\\n\", PATIENCE,\n"
	  "				rdma_event_str(type));\n"
	  "			return -1;\n"
	  "		}\n"
	  "		e = kept[i];\n"
	  "		if (e.id == id && e.type != type && e.status) {\n"
	  "			fprintf(stderr, \"%s, status %d\\n\", rdma_event_str(e.type), e.status);\n"
	  "			return -1;\n"
	  "		}\n"
	  "		if (e.type != type || (e.listener ? e.listener : e.id) != id)\n"
	  "			continue;\n"
	  "		memmove(&kept[i], &kept[i + 1], (--n - i) * sizeof e);\n"
	  "		printf(\"%s\\n\", rdma_event_str(type));\n"
	  "		if (to)\n"
	  "			*to = e;\n"
	  "		return 0;\n"
	  "	}\n"
	  "}\n" },
	{ HELPER_COMPLETE, 0,
	  "/* The completion of that work request, with that status; others are kept for later. */\n"
	  "static int complete(struct ibv_cq *cq, uint64_t wr_id, enum ibv_wc_status status)\n"
	  "{\n"
	  "	static struct kept_wc {\n"
	  "		struct ibv_cq *cq;\n"
	  "		struct ibv_wc wc;\n"
	  "	} kept[256];\n"
	  "	static unsigned n;\n"
	  "	time_t end = time(NULL) + PATIENCE;\n"
	  "\n"
	  "	for (unsigned i = 0;; i++) {\n"
	  "		struct ibv_wc wc;\n"
	  "		int got = 0;\n"
	  "\n"
	  "		while (i == n && got == 0 && n < sizeof kept / sizeof *kept &&\n"
	  "		       time(NULL) < end)\n"
	  "			got = ibv_poll_cq(cq, 1, &kept[n].wc);\n"
	  "		if (i == n && got != 1) {\n"
	  "			fprintf(stderr, \"no completion of wr_id %llu\\n\",\n"
	  "				(unsigned long long)wr_id);\n"
	  "			return -1;\n"
	  "		}\n"
	  "		if (i == n)\n"
	  "			kept[n++].cq = cq;\n"
	  "		wc = kept[i].wc;\n"
	  "		if (kept[i].cq != cq || wc.wr_id != wr_id)\n"
	  "			continue;\n"
	  "		memmove(&kept[i], &kept[i + 1], (--n - i) * sizeof *kept);\n"
	  "		printf(\"wr_id %llu: %s\\n\", (unsigned long long)wr_id,\n"
	  "		       ibv_wc_status_str(wc.status));\n"
	  "		if (wc.status == status)\n"
	  "			return 0;\n"
	  "		fprintf(stderr, \"the session had: %s\\n\", ibv_wc_status_str(status));\n"
	  "		return -1;\n"
	  "	}\n"
	  "}\n" },
	{ HELPER_AWAIT_POLL, 0,
	  "/* Begins to poll as soon as there is a completion. */\n"
	  "static int await_poll(struct ibv_cq_ex *cq)\n"
	  "{\n"
	  "	struct ibv_poll_cq_attr attr = { 0 };\n"
	  "	time_t end = time(NULL) + PATIENCE;\n"
	  "	int rc;\n"
	  "\n"
	  "	do\n"
	  "		rc = ibv_start_poll(cq, &attr);\n"
	  "	while (rc == ENOENT && time(NULL) < end);\n"
	  "	return rc;\n"
	  "}\n" },
	{ HELPER_AWAIT_CQ_EVENT, HELPER_CHECK | HELPER_READABLE,
	  "static int await_cq_event(struct ibv_comp_channel *channel)\n"
	  "{\n"
	  "	struct ibv_cq *cq;\n"
	  "	void *context;\n"
	  "\n"
	  "	if (readable(channel->fd, \"ibv_get_cq_event\") ||\n"
	  "	    check(ibv_get_cq_event(channel, &cq, &context), \"ibv_get_cq_event\"))\n"
	  "		return -1;\n"
	  "	ibv_ack_cq_events(cq, 1);\n"
	  "	return 0;\n"
	  "}\n" },
	{ HELPER_SHOW, 0,
	  "/* Bytes of a region as text; a byte that is no printable character is a dot. */\n"
	  "static void show(const char *what, const void *data, size_t n)\n"
	  "{\n"
	  "	const unsigned char *c = data;\n"
	  "\n"
	  "	printf(\"%s: \", what);\n"
	  "	for (size_t i = 0; i < n && i < 256; i++)\n"
	  "		putchar(isprint(c[i]) ? c[i] : '.');\n"
	  "	putchar('\\n');\n"
	  "}\n" },
	{ 0 }
};

static void add_helpers(unsigned used, Tcl_DString *text)
{
	const struct helper *end = helpers;

	while (end->text)
		end++;
	for (const struct helper *h = end; h-- > helpers;)
		if (used & h->bit)
			used |= h->calls;
	for (const struct helper *h = helpers; h < end; h++)
		if (used & h->bit)
			xappendf(text, "\n%s", h->text);
}

/* ---------------------------------------------------------------- variables -- */

/* The struct that a member of the program points to. */
static const char *type_of(const struct var *v)
{
	return call_objects[v->kind].name;
}

static bool is_member(const struct var *v)
{
	return v->written && !(v->whole && !v->made);
}

static void add_members(const struct program *p, Tcl_DString *text)
{
	Tcl_DStringAppend(text,
			  "\n/* The objects of the session, by their names there. */\n"
			  "static struct {\n",
			  -1);
	for (unsigned i = 0; i < p->nvars; i++) {
		const struct var *v = p->vars[i];

		if (!is_written(v))
			continue;
		if (is_member(v))
			xappendf(text, "\tstruct %s *%s;\n", type_of(v), v->name);
		if (v->keeps && v->kind == OBJECT_QP)
			xappendf(text, "\tstruct told peer_of_%s;\n", v->name);
		else if (v->keeps)
			xappendf(text, "\tstruct event event_of_%s;\n", v->name);
	}
	for (unsigned i = 0; i < p->list->n; i++)
		if (p->got[i] && p->list->v[i].args[4])
			xappendf(text, "\tunsigned char bytes_%u[%llu];\n", i,
				 (unsigned long long)p->list->v[i].args[4]);
	Tcl_DStringAppend(text, "} s;\n", -1);
	if (!p->naddresses)
		return;
	Tcl_DStringAppend(text,
			  "\n/* May be given as arguments, in this order. */\n"
			  "static const char *address[] = {",
			  -1);
	for (unsigned i = 0; i < p->naddresses; i++)
		xappendf(text, "%s \"%s\"", i ? "," : "", p->address[i]);
	Tcl_DStringAppend(text, " };\n", -1);
}

static const char *const event_struct = "\nstruct event {\n"
					"	enum rdma_cm_event_type type;\n"
					"	int status;\n"
					"	struct rdma_cm_id *id, *listener;\n"
					"	struct rdma_ud_param ud;\n"
					"	unsigned char data[256];\n"
					"	uint8_t len;\n"
					"};\n";

static const char *const told_struct = "\n/* What the peer tells of its QP and region. */\n"
				       "struct told {\n"
				       "	uint32_t qpn, psn, rkey;\n"
				       "	uint64_t addr;\n"
				       "	union ibv_gid gid;\n"
				       "};\n";

/* ----------------------------------------------------------- clean-up, main -- */

/* Windows hold on to their siblings: they go first, else what came last. */
static void add_clean_up(struct program *p, Tcl_DString *text)
{
	Tcl_DStringAppend(text,
			  "\n/* What is still there, users before what they use. */\n"
			  "static int clean_up(void)\n{\n\tint rc = 0;\n\n",
			  -1);
	for (int first = 1; first >= 0; first--)
		for (unsigned i = p->nvars; i-- > 0;)
			if ((p->vars[i]->kind == OBJECT_MW) == first && is_written(p->vars[i]))
				write_clean_up(p, p->vars[i], text);
	Tcl_DStringAppend(text, "\treturn rc;\n}\n", -1);
}

static void add_main(const struct program *p, Tcl_DString *text)
{
	const char *phase = Tcl_DStringValue(&p->phases);
	const char *open = "\tif (";

	xappendf(text, "\nint main(%s)\n{\n\tint rc = EXIT_FAILURE;\n\n",
		 p->naddresses ? "int argc, char **argv" : "void");
	if (p->naddresses)
		xappendf(text,
			 "\tfor (int i = 1; i < argc && i <= %u; i++)\n"
			 "\t\taddress[i - 1] = argv[i];\n",
			 p->naddresses);
	while (*phase) {
		int len = (int)strcspn(phase, " ");

		xappendf(text, "%s%.*s() == 0", open, len, phase);
		open = " &&\n\t    ";
		phase += len + (phase[len] != 0);
	}
	xappendf(text,
		 "%s\trc = EXIT_SUCCESS;\n\tif (clean_up())\n\t\trc = EXIT_FAILURE;\n"
		 "\treturn rc;\n}\n",
		 p->nphases ? ")\n\t" : "");
}

static void add_heading(const struct program *p, const char *file, Tcl_DString *text)
{
	const char *line = Tcl_DStringValue(&p->warnings), *end;

	xappendf(text,
		 "%s: what the session did, call by call.\n *\n"
		 " *	cc -o program %s -lrdmacm -libverbs\n *	./program%s\n"
		 " *	uroce ./program%s	(where no RDMA device is)\n *\n"
		 " * It listens at the same ports as the session: end rdmash first.\n",
		 PROGRAM_MARK, file, p->naddresses ? " [ADDRESS ...]" : "",
		 p->naddresses ? " [ADDRESS ...]" : "");
	if (*line)
		Tcl_DStringAppend(text, " *\n * Not as it was:\n", -1);
	for (; (end = strchr(line, '\n')); line = end + 1)
		xappendf(text, " * - %.*s\n", (int)(end - line), line);
	Tcl_DStringAppend(text, " */\n", -1);
}

static const char *const includes[] = {
	"arpa/inet.h",	      "ctype.h",  "errno.h", "fcntl.h",
	"infiniband/verbs.h", "netdb.h",  "poll.h",  "rdma/rdma_cma.h",
	"rdma/rdma_verbs.h",  "stdint.h", "stdio.h", "stdlib.h",
	"string.h",	      "time.h",	  "unistd.h"
};

void program_text(struct program *p, const char *file, Tcl_DString *text)
{
	SCOPED_TEXT(rest);

	add_heading(p, file, text);
	Tcl_DStringAppend(text, "#define _GNU_SOURCE\n", -1);
	for (size_t i = 0; i < sizeof includes / sizeof *includes; i++)
		xappendf(text, "#include <%s>\n", includes[i]);
	xappendf(text, "\n#define PATIENCE %d /* seconds to wait for the peer */\n", PATIENCE);
	Tcl_DStringAppend(&rest, Tcl_DStringValue(&p->body), -1);
	add_clean_up(p, &rest);
	add_main(p, &rest);
	if (p->helpers & HELPER_AWAIT_EVENT)
		Tcl_DStringAppend(text, event_struct, -1);
	if (p->helpers & HELPER_EXCHANGE)
		Tcl_DStringAppend(text, told_struct, -1);
	add_members(p, text);
	add_helpers(p->helpers, text);
	Tcl_DStringAppend(text, Tcl_DStringValue(&rest), -1);
}

void program_cmake(const char *file, Tcl_DString *text)
{
	const char *dot = strrchr(file, '.');
	int len = dot ? (int)(dot - file) : (int)strlen(file);

	xappendf(text,
		 "# The program that rdmash has exported: cmake -B build && cmake --build build\n"
		 "cmake_minimum_required(VERSION 3.16)\n"
		 "project(exported C)\n\n"
		 "set(CMAKE_C_STANDARD 11)\n"
		 "find_package(PkgConfig REQUIRED)\n"
		 "pkg_check_modules(VERBS REQUIRED IMPORTED_TARGET libibverbs librdmacm)\n"
		 "add_executable(\"%.*s\" \"%s\")\n"
		 "target_compile_options(\"%.*s\" PRIVATE -Wall -Wextra)\n"
		 "target_link_libraries(\"%.*s\" PkgConfig::VERBS)\n",
		 len, file, file, len, file, len, file);
}
