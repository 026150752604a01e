/* SPDX-License-Identifier: MIT */
/*
 * The record as a Python program that uses pyverbs. The connection manager of pyverbs is
 * synchronous and creates PD and QP itself, so it cannot repeat the calls of the record. Therefore
 * only QPs that are connected by hand can be exported.
 */
#include <arpa/inet.h>
#include <string.h>

#include "export/program.h"
#include "qp/qp.h"
#include "session.h"
#include "words.h"
#include "alloc.h"

#define COLUMNS 75 /* of a line, without its indentation */

/* Keywords of Python that are not keywords of C. */
static const char *const keywords[] = { "and",	   "as",     "assert",	 "async",  "await",
					"class",   "def",    "del",	 "elif",   "except",
					"finally", "from",   "global",	 "import", "in",
					"is",	   "lambda", "nonlocal", "not",	   "or",
					"pass",	   "raise",  "try",	 "with",   "yield" };

static void rename_keywords(struct program *p)
{
	for (unsigned i = 0; i < p->nvars; i++)
		for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++)
			if (strcmp(p->vars[i]->name, keywords[k]) == 0)
				strcat(p->vars[i]->name, "_"); /* names have 32, this 48 */
}

static void add_note(struct program *p, const char *note)
{
	xappendf(&p->warnings, "%s\n", note);
	put_line(p, "# %s", note);
}

static void note_left_out(struct program *p, const char *what, const char *name)
{
	add_note(p, temp_text("%s of %s is not in the program", what, name));
}

static const char *number_text(uint64_t v)
{
	return v <= 9999 ? temp_text("%u", (unsigned)v)
			 : temp_text("0x%llx", (unsigned long long)v);
}

static const char *addr_expr(struct program *p, uint64_t addr)
{
	const struct var *v = region_of(p, addr);

	return v ? temp_text("s.%s.buf + %llu", v->name, (unsigned long long)(addr - v->memory))
		 : number_text(addr);
}

static const char *rkey_expr(struct program *p, uint32_t key, uint64_t addr)
{
	const struct var *v = key_holder(p, key, addr);

	return v ? temp_text("s.%s.rkey", v->name) : number_text(key);
}

static const char *bytes_expr(const void *data, size_t n)
{
	const unsigned char *c = data;
	static Tcl_DString d;

	Tcl_DStringFree(&d);
	Tcl_DStringInit(&d);
	Tcl_DStringAppend(&d, "b'", 2);
	for (size_t i = 0; i < n; i++)
		if (c[i] >= ' ' && c[i] < 0x7f && c[i] != '\'' && c[i] != '\\')
			xappendf(&d, "%c", c[i]);
		else
			xappendf(&d, "\\x%02x", c[i]);
	Tcl_DStringAppend(&d, "'", 1);
	return Tcl_DStringValue(&d);
}

/* "e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_READ", or "0". */
static const char *flags_py(const struct call_enum *e, uint64_t bits)
{
	char all[480] = "0";
	size_t at = 0;

	for (const struct call_word *w = e->words; w->name; w++)
		if (w->value && (bits & (uint64_t)w->value) == (uint64_t)w->value &&
		    at < sizeof all)
			at += (size_t)snprintf(all + at, sizeof all - at, "%se.%s", at ? " | " : "",
					       w->name);
	return temp_text("%s", all);
}

/* ------------------------------------------------------------ made, changed -- */

#define ARG(p, i) ((const void *)(uintptr_t)(p)->r->args[i])

static void put_made(struct program *p, const struct var *v, const char *call)
{
	put_line(p, "s.%s = stack.enter_context(%s)", v->name, call);
}

/* The expression of an argument that is an object. */
static const char *arg_expr(struct program *p, unsigned i)
{
	return var_expr(p, var_of(p, p->r->args[i]), p->r->fn->args[i].object);
}

static void write_make_qp(struct program *p, const struct var *v)
{
	const struct ibv_qp_init_attr *init = ARG(p, 1);
	const struct ibv_qp_cap *c = &init->cap;

	put_line(p, "init = QPInitAttr(qp_type=e.IBV_QPT_%s, scq=%s, rcq=%s, sq_sig_all=%d,",
		 word_name(qp_type_words, init->qp_type),
		 var_expr(p, var_of(p, (uintptr_t)init->send_cq), OBJECT_CQ),
		 var_expr(p, var_of(p, (uintptr_t)init->recv_cq), OBJECT_CQ), init->sq_sig_all);
	put_line(p, "                  cap=QPCap(max_send_wr=%u, max_recv_wr=%u, max_send_sge=%u,",
		 c->max_send_wr, c->max_recv_wr, c->max_send_sge);
	put_line(p, "                            max_recv_sge=%u, max_inline_data=%u))",
		 c->max_recv_sge, c->max_inline_data);
	put_made(p, v, temp_text("QP(%s, init)", arg_expr(p, 0)));
}

/* A device is opened where it is first needed. */
static void open_device_py(struct program *p)
{
	struct var *v = p->r->nargs && p->r->fn->args[0].object == OBJECT_CONTEXT
				? var_of(p, p->r->args[0])
				: NULL;

	if (!v || v->written)
		return;
	put_made(p, v, temp_text("Context(name='%s')", v->called));
	v->written = true;
}

/* Writes the creation of an object. False: it cannot be written for pyverbs. */
static bool write_made_py(struct program *p, struct var *v)
{
	const uint64_t *a = p->r->args;

	switch (row_of(p->r)) {
	case ROW_ibv_alloc_pd:
		put_made(p, v, temp_text("PD(%s)", arg_expr(p, 0)));
		break;
	case ROW_ibv_create_comp_channel:
		put_made(p, v, temp_text("CompChannel(%s)", arg_expr(p, 0)));
		break;
	case ROW_ibv_create_cq:
		put_made(p, v,
			 temp_text("CQ(%s, %d, None, %s, 0)", arg_expr(p, 0), (int)a[1],
				   a[3] ? arg_expr(p, 3) : "None"));
		break;
	case ROW_ibv_reg_mr:
		put_made(p, v,
			 temp_text("MR(%s, %llu, %s)", arg_expr(p, 0), (unsigned long long)a[2],
				   flags_py(p->r->fn->args[3].words, a[3])));
		put_line(p, "s.%s.write(bytes(%llu), %llu)", v->name, (unsigned long long)a[2],
			 (unsigned long long)a[2]);
		break;
	case ROW_ibv_create_qp:
		if (((const struct ibv_qp_init_attr *)ARG(p, 1))->srq)
			return false;
		write_make_qp(p, v);
		break;
	default:
		return false;
	}
	v->written = true;
	return true;
}

static void write_av(struct program *p, const struct ibv_ah_attr *a)
{
	struct var *dev = NULL;
	int index = a->is_global ? own_gid(p, &a->grh.dgid, &dev) : -1;
	char dgid[INET6_ADDRSTRLEN] = "::";

	if (!a->is_global) {
		put_line(p, "attr.ah_attr = AHAttr(dlid=%u, port_num=%u)", a->dlid, a->port_num);
		return;
	}
	inet_ntop(AF_INET6, &a->grh.dgid, dgid, sizeof dgid);
	if (index >= 0)
		put_line(p, "dgid = %s.query_gid(%u, %d)", var_expr(p, dev, OBJECT_CONTEXT),
			 a->port_num, index);
	else
		put_line(p, "dgid = GID('%s')", dgid);
	put_line(p, "attr.ah_attr = AHAttr(port_num=%u, is_global=1, gr=GlobalRoute(", a->port_num);
	put_line(p, "    dgid=dgid, sgid_index=%u, hop_limit=%u))", a->grh.sgid_index,
		 a->grh.hop_limit);
}

/* The attributes of class QPAttr. */
#define QP_ATTR_PY                                                                                 \
	(IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT | \
	 IBV_QP_QKEY | IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |    \
	 IBV_QP_RQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER | IBV_QP_SQ_PSN |          \
	 IBV_QP_MAX_DEST_RD_ATOMIC)

static const char *field_value(const struct ibv_qp_attr *a, const struct qp_attr_def *d)
{
	if (d->bit == IBV_QP_STATE)
		return temp_text("e.IBV_QPS_%s", word_name(qp_state_words, a->qp_state));
	if (d->bit == IBV_QP_ACCESS_FLAGS)
		return flags_py(qp_attr_member(d)->words, a->qp_access_flags);
	if (d->bit == IBV_QP_PATH_MTU)
		return temp_text("e.IBV_MTU_%s", word_name(mtu_words, a->path_mtu));
	return number_text(qp_attr_get(a, d));
}

static void write_modify_py(struct program *p, const struct var *v)
{
	const struct ibv_qp_attr *attr = ARG(p, 1);
	unsigned mask = (unsigned)p->r->args[2],
		 rest = mask & ~(unsigned)(IBV_QP_AV | IBV_QP_DEST_QPN);
	const struct ibv_ah_attr *to = mask & IBV_QP_AV ? &attr->ah_attr : NULL;
	const struct var *peer = leads_here(p, to) ? qp_numbered(p, attr->dest_qp_num) : NULL;

	put_line(p, "attr = QPAttr()");
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++)
		if (mask & d->bit & QP_ATTR_PY)
			put_line(p, "attr.%s = %s", qp_attr_member(d)->name, field_value(attr, d));
	rest &= ~(unsigned)QP_ATTR_PY;
	if (mask & IBV_QP_DEST_QPN)
		put_line(p, "attr.dest_qp_num = %s",
			 peer ? temp_text("s.%s.qp_num", peer->name)
			      : number_text(attr->dest_qp_num));
	if (mask & IBV_QP_DEST_QPN && !peer)
		note_left_out(p, "the peer", v->called);
	if (mask & IBV_QP_AV)
		write_av(p, &attr->ah_attr);
	if (rest)
		note_left_out(p, "an attribute", v->called);
	put_line(p, "s.%s.modify(attr, %s)", v->name,
		 flags_py(p->r->fn->args[2].words, mask & ~rest));
}

/* --------------------------------------------------------------- data path -- */

static bool remote_py(struct program *p, const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
		put_line(p, "wr.set_wr_rdma(%s, %s)",
			 rkey_expr(p, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr),
			 addr_expr(p, wr->wr.rdma.remote_addr));
		return true;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		put_line(p, "wr.set_wr_atomic(%s, %s, %s, %s)",
			 rkey_expr(p, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr),
			 addr_expr(p, wr->wr.atomic.remote_addr),
			 number_text(wr->wr.atomic.compare_add), number_text(wr->wr.atomic.swap));
		return true;
	default:
		return wr->opcode == IBV_WR_SEND || wr->opcode == IBV_WR_SEND_WITH_IMM;
	}
}

static void write_sges_py(struct program *p, const struct ibv_sge *sge, int n)
{
	put_line(p, "sg = [%s", n ? "" : "SGE(0, 0, 0)]  # pyverbs wants one");
	for (int k = 0; k < n; k++) {
		const struct var *mr = region_of(p, sge[k].addr);

		put_line(p, "    SGE(%s, %u, %s),", addr_expr(p, sge[k].addr), sge[k].length,
			 mr && mr->lkey == sge[k].lkey ? temp_text("s.%s.lkey", mr->name)
						       : number_text(sge[k].lkey));
	}
	if (n)
		put_line(p, "]");
}

static void write_send_py(struct program *p, const struct var *v)
{
	for (const struct ibv_send_wr *wr = ARG(p, 1); wr; wr = wr->next) {
		bool imm = wr->opcode == IBV_WR_SEND_WITH_IMM ||
			   wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;

		write_sges_py(p, wr->sg_list, wr->num_sge);
		put_line(p, "wr = SendWR(wr_id=%s, num_sge=len(sg), sg=sg, opcode=e.IBV_WR_%s,",
			 number_text(wr->wr_id), word_name(wr_opcode_words, wr->opcode));
		put_line(
			p, "            send_flags=%s, imm_data=%s)",
			flags_py(call_value_find(p->r->fn->args[1].of->fields, "send_flags")->words,
				 wr->send_flags),
			imm ? temp_text("htonl(%s)", number_text(ntohl(wr->imm_data))) : "0");
		if (!wr->num_sge)
			put_line(p, "wr.num_sge = 0");
		if (remote_py(p, wr))
			put_line(p, "s.%s.post_send(wr)", v->name);
		else
			note_left_out(p, word_name(wr_opcode_words, wr->opcode), v->called);
	}
}

static void write_recv_py(struct program *p, const struct var *v)
{
	for (const struct ibv_recv_wr *wr = ARG(p, 1); wr; wr = wr->next) {
		write_sges_py(p, wr->sg_list, wr->num_sge);
		put_line(p, "wr = RecvWR(wr_id=%s, num_sge=len(sg), sg=sg)",
			 number_text(wr->wr_id));
		if (!wr->num_sge)
			put_line(p, "wr.num_sge = 0");
		put_line(p, "s.%s.post_recv(wr)", v->name);
	}
}

static void write_completions_py(struct program *p, const struct var *v)
{
	const struct ibv_wc *wc = (const void *)(uintptr_t)p->r->after[2];

	for (uint64_t i = 0; wc && i < p->r->result; i++)
		put_line(p, "complete(s.%s, %s, e.IBV_WC_%s)", v->name, number_text(wc[i].wr_id),
			 word_name(wc_status_words, wc[i].status));
}

static void write_put_py(struct program *p, const struct var *v)
{
	unsigned long long off = p->r->args[1], len = p->r->args[2], n = p->r->args[4];

	if (n && len == n)
		put_line(p, "s.%s.write(%s, %llu, %llu)", v->name, bytes_expr(ARG(p, 3), n), len,
			 off);
	else if (n && len)
		put_line(p, "s.%s.write((%s * %llu)[:%llu], %llu, %llu)", v->name,
			 bytes_expr(ARG(p, 3), n), len / n + 1, len, len, off);
}

/* --------------------------------------------------------------------- all -- */

static void write_cq_event_py(struct program *p, const struct var *channel)
{
	const uint64_t *place = (const void *)(uintptr_t)p->r->after[1];
	const struct var *cq = place ? var_of(p, *place) : NULL;

	if (!cq)
		return;
	put_line(p, "s.%s.get_cq_event(s.%s)", channel->name, cq->name);
	put_line(p, "s.%s.ack_events(1)", cq->name);
}

static int refuse_cm(struct program *p, const struct var *v)
{
	fail(p->s, "export", "EOPNOTSUPP",
	     "%s was made by the connection manager, whose steps pyverbs cannot repeat: only QPs "
	     "that are connected by hand can be exported",
	     v->called);
	return fail_next(p->s, "export c FILE.c");
}

static void write_call_py(struct program *p, struct var *v)
{
	switch (row_of(p->r)) {
	case ROW_ibv_modify_qp:
		write_modify_py(p, v);
		break;
	case ROW_ibv_post_send:
		write_send_py(p, v);
		break;
	case ROW_ibv_post_recv:
		write_recv_py(p, v);
		break;
	case ROW_ibv_poll_cq:
		write_completions_py(p, v);
		break;
	case ROW_ibv_req_notify_cq:
		put_line(p, "s.%s.req_notify(%s)", v->name, p->r->args[1] ? "True" : "False");
		break;
	case ROW_ibv_get_cq_event:
		write_cq_event_py(p, v);
		break;
	case OWN_OOB: /* write_modify_py() has the peer's number */
		break;
	case OWN_MEM_PUT:
		write_put_py(p, v);
		break;
	case OWN_MEM_GET:
		put_line(p, "print('%s+%llu:', s.%s.read(%llu, %llu))", v->called,
			 (unsigned long long)p->r->args[1], v->name,
			 (unsigned long long)p->r->args[2], (unsigned long long)p->r->args[1]);
		break;
	default:
		note_left_out(p, p->r->fn->name, v->called);
	}
}

static int write_record_py(struct program *p)
{
	enum call_object kind;
	uint64_t made = record_made(p->r, &kind);
	struct var *v = made	      ? var_at(p, made, p->r->end)
			: p->r->nargs ? var_of(p, p->r->args[0])
				      : NULL;

	if (v && (v->kind == OBJECT_CM_ID || v->kind == OBJECT_EVENT_CHANNEL))
		return refuse_cm(p, v);
	if (!v || (!p->r->fn->name))
		return 0;
	open_device_py(p);
	keep_track(p, p->r);
	if (made) {
		if (!write_made_py(p, v))
			note_left_out(p, call_objects[v->kind].name, v->called);
	} else if (p->r->fn->args[0].role == CALL_GONE && v->written) {
		put_line(p, "s.%s.close()", v->name);
	} else if (v->written || row_of(p->r) >= OWN_FIRST) {
		write_call_py(p, v);
	}
	return 0;
}

/* The length of the first part of a line of n bytes. A long line is broken after a flag within
 * parentheses; *open is the number of open ones. */
static size_t part_of(const char *rest, size_t n, unsigned *open)
{
	size_t part = n;

	for (size_t i = 0; i < n && (i < COLUMNS || part == n); i++) {
		*open += (rest[i] == '(') - (rest[i] == ')');
		if (n > COLUMNS && *open && i && rest[i] == '|')
			part = i + 1;
	}
	return part;
}

/* Appends the lines of the body, with blanks for tabs, and breaks long ones. */
static void append_indented(const char *body, Tcl_DString *text)
{
	for (const char *end; (end = strchr(body, '\n')); body = end + 1) {
		const char *margin = *body == '\t' ? "    " : "";
		unsigned open = 0;
		size_t part = 0;

		for (body += *body == '\t'; body < end; body += part) {
			body += *body == ' ' && open;
			part = part_of(body, (size_t)(end - body), &open);
			xappendf(text, "%s%.*s\n", margin, (int)part, body);
			margin = "        ";
		}
		if (part == 0)
			Tcl_DStringAppend(text, "\n", 1);
	}
}

int python_write(struct program *p, const char *file, Tcl_DString *text)
{
	static const char mark[] = "@session@\n";
	const char *session = strstr(exported_py, mark), *refusal;

	program_read(p);
	rename_keywords(p);
	if (p->list->lost[0] + p->list->lost[1])
		return fail(p->s, "export", "ENOSPC", "the record has lost the beginning");
	for (p->at = 0; p->at < p->list->n; p->at++) {
		p->r = &p->list->v[p->at];
		refusal = refusal_of(p);
		if (refusal)
			add_note(p, refusal);
		else if (is_in_program(p->r) && write_record_py(p))
			return -1;
	}
	if (!p->nvars)
		return fail(p->s, "export", "ENOENT", "the session has made no calls yet");
	p->nphases = 1;
	xappendf(text, "%s: what the session did, call by call.\n\n    python3 %s\n\"\"\"\n",
		 PYTHON_MARK, file);
	Tcl_DStringAppend(text, exported_py, (int)(session - exported_py));
	append_indented(Tcl_DStringValue(&p->body), text);
	Tcl_DStringAppend(text, session + strlen(mark), -1);
	return 0;
}
