/* SPDX-License-Identifier: MIT */
/*
 * The table against what is known of the headers and libraries: each NAMES file has a line for
 * each function, and each value of an enum, that is new in a release. Without files: prints the
 * names of the table's functions, for headers.sh.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

static unsigned failures;

#define CHECK(cond, ...)                                              \
	do {                                                          \
		if (!(cond)) {                                        \
			fprintf(stderr, "%d: %s: ", __LINE__, #cond); \
			fprintf(stderr, __VA_ARGS__);                 \
			fputc('\n', stderr);                          \
			failures++;                                   \
		}                                                     \
	} while (0)

/* -------------------------------------------------------------------------- names -- */

struct seen {
	bool row[512];
};

static void check_line(const char *file, const char *name, const char *header, const char *how,
		       struct seen *seen)
{
	const struct call_fn *fn = call_find(name);

	if (strcmp(header, "-") == 0) { /* of another header, or a helper */
		CHECK(!fn, "%s: %s is of no header of the table", file, name);
		return;
	}
	CHECK(fn, "%s: %s has no row", file, name);
	if (!fn)
		return;
	seen->row[fn - call_table] = true;
	CHECK(strcmp(fn->header, header) == 0, "%s: %s: %s", file, name, header);
	CHECK(fn->is_inline == (strcmp(how, "inline") == 0), "%s: %s: %s", file, name, how);
}

/* Each file adds to those before it, of older releases. */
static void check_names(const char *file, unsigned release)
{
	FILE *f = fopen(file, "re");
	char name[64], header[64], how[64];
	static struct seen seen;

	if (!f) {
		perror(file);
		exit(1);
	}
	while (fscanf(f, "%63s %63s %63s", name, header, how) == 3)
		if (strcmp(how, "enum") != 0) /* a value: see headers.sh */
			check_line(file, name, header, how, &seen);
	fclose(f);
	for (unsigned i = 0; i < call_count; i++)
		CHECK(seen.row[i] == (call_table[i].since <= release), "%s: since %u: %s", file,
		      call_table[i].since, call_table[i].name);
}

/* --------------------------------------------------------------------------- rows -- */

static unsigned count(const struct call_value *values)
{
	unsigned n = 0;

	while (values[n].name)
		n++;
	return n;
}

static void check_values(const char *of, const struct call_value *values, bool args)
{
	unsigned n = count(values);

	for (unsigned i = 0; i < n; i++) {
		const struct call_value *v = &values[i];
		bool words = v->kind == CALL_ENUM || v->kind == CALL_FLAGS;

		CHECK(v->with <= n && v->counts <= n && v->when <= n, "%s.%s", of, v->name);
		CHECK(!words || (v->words && v->words->words[0].name), "%s.%s", of, v->name);
		CHECK(v->kind != CALL_STRUCT || v->of, "%s.%s", of, v->name);
		CHECK(v->kind != CALL_OBJECT || v->object, "%s.%s", of, v->name);
		CHECK(!v->when || v->when_any, "%s.%s", of, v->name);
		CHECK(!args || v->size, "%s.%s", of, v->name);
		if (v->with && v->kind != CALL_STRUCT)
			CHECK(values[v->with - 1].counts == i + 1, "%s.%s", of, v->name);
		if (v->kind == CALL_STRUCT && !args)
			check_values(v->of->name, v->of->fields, false);
	}
}

static void check_row(const struct call_fn *fn)
{
	check_values(fn->name, fn->args, true);
	CHECK(!fn->invoke == !!fn->why, "%s: called, or not with a reason", fn->name);
	CHECK(strstr(fn->prototype, fn->name), "%s", fn->name);
	CHECK(fn == call_table || strcmp(fn[-1].name, fn->name) < 0, "%s: not sorted", fn->name);
	CHECK(call_find(fn->name) == fn, "%s", fn->name);
	for (const struct call_value *v = fn->args; v->name; v++)
		if (v->kind == CALL_STRUCT || v->kind == CALL_LIST || v->kind == CALL_CHAIN)
			if (v->of)
				check_values(v->of->name, v->of->fields, false);
}

static void check_words(void)
{
	const struct call_fn *fn = call_find("ibv_create_qp");
	const struct call_value *attr = call_value_find(fn->args, "qp_init_attr");
	const struct call_value *type = call_value_find(attr->of->fields, "qp_type");

	CHECK(call_word_find(type->words, "RC")->value == IBV_QPT_RC, "short");
	CHECK(call_word_find(type->words, "IBV_QPT_UD")->value == IBV_QPT_UD, "whole");
	CHECK(call_word_find(type->words, "xrc-send")->value == IBV_QPT_XRC_SEND, "as options");
	CHECK(!call_word_find(type->words, "IBV_QPT_"), "nothing but the prefix");
	CHECK(!call_word_find(type->words, "R"), "a part");
	CHECK(strcmp(call_word_name(type->words, IBV_QPT_UC), "UC") == 0, "name");
	CHECK(!call_word_name(type->words, 77), "no such value");
}

/* ------------------------------------------------------------------------- values -- */

static void check_numbers(void)
{
	const struct call_fn *fn = call_find("ibv_post_send");
	const struct call_struct *wr = fn->args[1].of;
	const struct call_value *imm = call_value_find(wr->fields, "imm_data");
	const struct call_value *n = call_value_find(wr->fields, "num_sge");
	struct ibv_send_wr v = { 0 };

	CHECK(call_store(imm, (char *)&v + imm->offset, 0x01020304), "big endian");
	CHECK(v.imm_data == htobe32(0x01020304), "big endian");
	CHECK(call_load(imm, (char *)&v + imm->offset) == 0x01020304, "and back");
	CHECK(!call_store(imm, (char *)&v + imm->offset, UINT64_C(1) << 32), "too large");
	CHECK(call_store(n, &v.num_sge, (uint64_t)-1) && v.num_sge == -1, "signed");
	CHECK(call_load(n, &v.num_sge) == (uint64_t)-1, "signed");
	CHECK(!call_store(n, &v.num_sge, UINT64_C(1) << 31), "signed, too large");
	CHECK(!call_store(n, &v.num_sge, (uint64_t)INT64_MIN), "signed, too small");
}

static bool is_set(const struct call_struct *of, const char *name, const void *p, uint64_t mask,
		   unsigned qp_type)
{
	return call_field_is_set(of, call_value_find(of->fields, name), p, mask, qp_type);
}

static void check_unions(void)
{
	const struct call_struct *wr = call_find("ibv_post_send")->args[1].of;
	const struct call_struct *wc = call_find("ibv_poll_cq")->args[2].of;
	const struct call_struct *attr = call_find("ibv_modify_qp")->args[1].of;
	struct ibv_send_wr v = { .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_wc c = { .status = IBV_WC_SUCCESS, .wc_flags = IBV_WC_WITH_IMM };
	struct ibv_qp_attr a = { 0 };

	CHECK(is_set(wr, "wr.rdma.rkey", &v, 0, 0), "by opcode");
	CHECK(!is_set(wr, "wr.atomic.rkey", &v, 0, 0), "by opcode");
	CHECK(!is_set(wr, "imm_data", &v, 0, 0), "by opcode");
	v.opcode = IBV_WR_SEND;
	CHECK(is_set(wr, "wr.ud.ah", &v, 0, IBV_QPT_UD), "by QP type");
	CHECK(!is_set(wr, "wr.ud.ah", &v, 0, IBV_QPT_RC), "by QP type");
	CHECK(is_set(wc, "imm_data", &c, 0, 0), "by flags");
	c.status = IBV_WC_WR_FLUSH_ERR;
	CHECK(!is_set(wc, "imm_data", &c, 0, 0), "of an error only a few are right");
	CHECK(!is_set(wc, "opcode", &c, 0, 0), "of an error only a few are right");
	CHECK(is_set(attr, "qp_state", &a, IBV_QP_STATE, 0), "by mask");
	CHECK(!is_set(attr, "qkey", &a, IBV_QP_STATE, 0), "by mask");
}

/* --------------------------------------------------------------------- invocation -- */

static void check_invoke(void)
{
	uint64_t mbps = IBV_RATE_100_GBPS, mult = 4, state = IBV_PORT_ACTIVE;

	CHECK((int)call_find("ibv_rate_to_mbps")->invoke(&mbps) == ibv_rate_to_mbps(mbps), "value");
	CHECK(call_find("mult_to_ibv_rate")->invoke(&mult) == IBV_RATE_10_GBPS, "value");
	CHECK(call_find("ibv_port_state_str")->invoke(&state) ==
		      (uintptr_t)ibv_port_state_str(state),
	      "string");
}

int main(int argc, char **argv)
{
	if (argc == 1) {
		for (unsigned i = 0; i < call_count; i++)
			puts(call_table[i].name);
		return 0;
	}
	for (int i = 1; i < argc; i++) {
		const char *dash = strrchr(argv[i], '-');

		check_names(argv[i], dash ? (unsigned)atoi(dash + 1) : 0);
	}
	for (unsigned i = 0; i < call_count; i++)
		check_row(&call_table[i]);
	check_words();
	check_numbers();
	check_unions();
	check_invoke();
	if (!failures)
		printf("%u functions\n", call_count);
	return failures != 0;
}
