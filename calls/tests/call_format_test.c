/* SPDX-License-Identifier: MIT */
/*
 * Values as the words of call, as C and as JSON. With --c it prints a program with the C of every
 * call, for a compiler to look at.
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "call_format.h"

static unsigned failures;

/* Objects are told by names that follow from their addresses: 0x1000 is "o1". */
static bool own(struct call_sink *k, const struct call_value *v, const void *p)
{
	uintptr_t object;

	if (v->kind != CALL_OBJECT || v->role == CALL_MADE)
		return false;
	memcpy(&object, p, sizeof object);
	call_begin_text(k);
	fprintf(k->to, object ? "%so%u%s" : "NULL", (const char *)k->arg, (unsigned)object >> 12,
		(const char *)k->arg);
	return true;
}

static char *text_of(struct call_sink (*sink)(FILE *to), const char *around, const char *name,
		     const uint64_t *args)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct call_sink k = sink(f);

	k.own = own;
	k.arg = (void *)around;
	call_tell_args(&k, call_find(name), args);
	fclose(f);
	return text;
}

static void check(const char *name, const uint64_t *args, const char *words, const char *json)
{
	char *w = text_of(call_words_sink, "", name, args);
	char *j = text_of(call_json_sink, "\"", name, args);

	if (strcmp(w, words) != 0 || strcmp(j, json) != 0) {
		fprintf(stderr, "%s:\n%s\n%s\n%s\n%s\n", name, w, words, j, json);
		failures++;
	}
	free(w);
	free(j);
}

/* The call as a statement of a program in which o1 and so on are pointers. */
static void print_c(const char *name, const uint64_t *args, const char *laid_out)
{
	char *c = text_of(call_c_sink, "", name, args), *text = NULL, *lines = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "(void)%s(%s);", name, c);
	fclose(f);
	f = open_memstream(&lines, &size);
	call_lay_out(f, text, 1, 86);
	fclose(f);
	if (!laid_out)
		printf("\t%s\n", lines);
	else if (strcmp(lines, laid_out) != 0) {
		fprintf(stderr, "%s:\n%s\n%s\n", name, lines, laid_out);
		failures++;
	}
	free(c);
	free(text);
	free(lines);
}

#define ARG(p) (uint64_t)(uintptr_t)(p)

static struct ibv_qp_init_attr init = {
	.send_cq = (void *)0x2000,
	.recv_cq = (void *)0x2000,
	.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1 },
	.qp_type = IBV_QPT_RC,
};
static struct ibv_qp_attr attr = {
	.qp_state = IBV_QPS_RESET,
	.dest_qp_num = 17,
	.path_mtu = IBV_MTU_1024,
	.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
	.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = 64 } },
};
static struct ibv_sge sge[] = { { .addr = 0x7000, .length = 5, .lkey = 0x101 } };
static struct ibv_send_wr second = { .wr_id = 2, .opcode = IBV_WR_SEND_WITH_IMM },
			  first = { .wr_id = 1,
				    .next = &second,
				    .sg_list = sge,
				    .num_sge = 1,
				    .opcode = IBV_WR_RDMA_WRITE,
				    .send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
				    .wr.rdma = { .remote_addr = 0x1234567890, .rkey = 0x202 } };
static struct rdma_conn_param param = { .private_data = "a \"{}\\\n", .private_data_len = 7 };
static struct sockaddr_in to = { .sin_family = AF_INET };
static struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };

static void make_values(void)
{
	attr.ah_attr.grh.dgid.raw[15] = 1;
	second.imm_data = htonl(7);
	to.sin_port = to6.sin6_port = htons(7471);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
}

#define MASK (IBV_QP_STATE | IBV_QP_DEST_QPN | IBV_QP_AV)

static const struct {
	const char *name;
	uint64_t args[5];
	const char *words, *json, *c; /* c NULL: only compiled */
} cases[] = {
	{ "ibv_alloc_pd", { 0x1000 }, "o1", "\"context\":\"o1\"", "(void)ibv_alloc_pd(o1);" },
	{ "ibv_create_qp",
	  { 0x1000, ARG(&init) },
	  "o1 {send_cq o2 recv_cq o2 cap {max_send_wr 16 max_recv_wr 16 max_send_sge 1} qp_type "
	  "RC}",
	  "\"pd\":\"o1\",\"qp_init_attr\":{\"send_cq\":\"o2\",\"recv_cq\":\"o2\",\"cap\":{"
	  "\"max_send_wr\":16,\"max_recv_wr\":16,\"max_send_sge\":1},\"qp_type\":\"RC\"}",
	  "(void)ibv_create_qp(o1, &(struct ibv_qp_init_attr){\n"
	  "\t\t.send_cq = o2,\n\t\t.recv_cq = o2,\n"
	  "\t\t.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1 },\n"
	  "\t\t.qp_type = IBV_QPT_RC\n\t});" },
	{ "ibv_modify_qp",
	  { 0x1000, ARG(&attr), MASK },
	  "o1 {qp_state RESET dest_qp_num 17 ah_attr {grh {dgid ::1 hop_limit 64} is_global 1 "
	  "port_num 1}}",
	  "\"qp\":\"o1\",\"attr\":{\"qp_state\":\"RESET\",\"dest_qp_num\":17,\"ah_attr\":{\"grh\":{"
	  "\"dgid\":\"::1\",\"hop_limit\":64},\"is_global\":1,\"port_num\":1}}",
	  NULL },
	{ "ibv_post_send",
	  { 0x1000, ARG(&first), 0 },
	  "o1 {{wr_id 1 sg_list {{addr 0x7000 length 5 lkey 0x101}} opcode RDMA_WRITE send_flags "
	  "SIGNALED,INLINE wr.rdma.remote_addr 0x1234567890 wr.rdma.rkey 0x202} {wr_id 2 opcode "
	  "SEND_WITH_IMM imm_data 7}}",
	  "\"qp\":\"o1\",\"wr\":[{\"wr_id\":1,\"sg_list\":[{\"addr\":28672,\"length\":5,\"lkey\":"
	  "257}],\"opcode\":\"RDMA_WRITE\",\"send_flags\":\"SIGNALED,INLINE\",\"wr.rdma.remote_"
	  "addr\":78187493520,\"wr.rdma.rkey\":514},{\"wr_id\":2,\"opcode\":\"SEND_WITH_IMM\","
	  "\"imm_data\":7}]",
	  "(void)ibv_post_send(o1, &(struct ibv_send_wr){\n"
	  "\t\t.wr_id = 1,\n"
	  "\t\t.sg_list = (struct ibv_sge[]){\n"
	  "\t\t\t{ .addr = 0x7000u, .length = 5, .lkey = 0x101 }\n\t\t},\n"
	  "\t\t.num_sge = 1,\n"
	  "\t\t.opcode = IBV_WR_RDMA_WRITE,\n"
	  "\t\t.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,\n"
	  "\t\t.wr.rdma.remote_addr = 0x1234567890ull,\n"
	  "\t\t.wr.rdma.rkey = 0x202,\n"
	  "\t\t.next = &(struct ibv_send_wr){\n"
	  "\t\t\t.wr_id = 2,\n"
	  "\t\t\t.opcode = IBV_WR_SEND_WITH_IMM,\n"
	  "\t\t\t.imm_data = htonl(7)\n"
	  "\t\t}\n"
	  "\t}, NULL);" },
	{ "rdma_connect",
	  { 0x1000, ARG(&param) },
	  "o1 {private_data a\\x20\\x22\\x7b\\x7d\\x5c\\x0a}",
	  "\"id\":\"o1\",\"conn_param\":{\"private_data\":\"a \\\"{}\\\\\\u000a\"}",
	  "(void)rdma_connect(o1, &(struct rdma_conn_param){\n"
	  "\t\t.private_data = \"a \\\"{}\\\\\\012\",\n"
	  "\t\t.private_data_len = 7\n\t});" },
	{ "rdma_resolve_addr",
	  { 0x1000, 0, ARG(&to), 2000 },
	  "o1 NULL {127.0.0.1 7471} 2000",
	  "\"id\":\"o1\",\"src_addr\":null,\"dst_addr\":{\"host\":\"127.0.0.1\",\"port\":7471},"
	  "\"timeout_ms\":2000",
	  NULL },
	{ "rdma_bind_addr",
	  { 0x1000, ARG(&to6) },
	  "o1 {::1 7471}",
	  "\"id\":\"o1\",\"addr\":{\"host\":\"::1\",\"port\":7471}",
	  NULL },
	{ "ibv_alloc_td",
	  { 0x1000, ARG(&(struct ibv_td_init_attr){ 0 }) },
	  "o1 {}",
	  "\"context\":\"o1\",\"init_attr\":{}",
	  "(void)ibv_alloc_td(o1, &(struct ibv_td_init_attr){ 0 });" },
	{ "ibv_query_pkey",
	  { 0x1000, 1, 0 },
	  "o1 1 0",
	  "\"context\":\"o1\",\"port_num\":1,\"index\":0",
	  NULL },
};

static const char *object_name(const struct call_names *n, const struct record *r,
			       const struct call_value *v, uint64_t address)
{
	(void)n, (void)r, (void)v, (void)address;
	return "cq0";
}

/* The line of a trace about a completion: SEND is 0, and is shown. */
static void check_completion(enum ibv_wc_opcode opcode, const char *name)
{
	struct ibv_wc wc = { .wr_id = 3, .opcode = opcode, .byte_len = 5, .qp_num = 9 };
	const uint64_t args[] = { 0x3000, 1, ARG(&wc) };
	const struct record r = { .fn = call_find("ibv_poll_cq"),
				  .ended = true,
				  .result = 1,
				  .args = args,
				  .after = args,
				  .nargs = 3 };
	const struct call_names names = { .object = object_name };
	char expected[128], *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	call_text_result(f, &names, &r);
	fclose(f);
	snprintf(expected, sizeof expected,
		 "1 {{wr_id 3 status SUCCESS opcode %s byte_len 5 qp_num 9}}", name);
	if (strcmp(text, expected) != 0) {
		fprintf(stderr, "ibv_poll_cq:\n%s\n%s\n", text, expected);
		failures++;
	}
	free(text);
}

int main(int argc, char **argv)
{
	bool c = argc > 1 && strcmp(argv[1], "--c") == 0;

	make_values();
	if (c)
		printf("#include <arpa/inet.h>\n#include <stddef.h>\n#include "
		       "<infiniband/verbs.h>\n#include <rdma/rdma_cma.h>\n"
		       "void all(void *o1, void *o2);\nvoid all(void *o1, void *o2)\n{\n");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (c)
			print_c(cases[i].name, cases[i].args, NULL);
		else
			check(cases[i].name, cases[i].args, cases[i].words, cases[i].json);
		if (!c && cases[i].c)
			print_c(cases[i].name, cases[i].args, cases[i].c);
	}
	check_completion(IBV_WC_SEND, "SEND");
	check_completion(IBV_WC_RDMA_WRITE, "RDMA_WRITE");
	if (c)
		printf("\t(void)o2;\n}\n");
	return failures != 0;
}
