/* SPDX-License-Identifier: MIT */
/*
 * The journal as a Python program on pyverbs. Its connection manager is a synchronous one and
 * makes PD and QP by itself: what the journal has of one cannot be played again call by call.
 * So this is for QPs that are connected by hand.
 */
#include <arpa/inet.h>
#include <string.h>

#include "program.h"
#include "qp_attrs.h"
#include "session.h"
#include "words.h"
#include "xmem.h"

/* Words of Python that are none of C. */
static const char *const keywords[] = { "and",	   "as",     "assert",	 "async",  "await",
					"class",   "def",    "del",	 "elif",   "except",
					"finally", "from",   "global",	 "import", "in",
					"is",	   "lambda", "nonlocal", "not",	   "or",
					"pass",	   "raise",  "try",	 "with",   "yield" };

static void rename_keywords(struct program *p)
{
	for (unsigned i = 0; i < p->nvars; i++)
		for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++)
			if (strcmp(p->vars[i].name, keywords[k]) == 0)
				strcat(p->vars[i].name, "_"); /* names have 32, this 48 */
}

static void note(struct program *p, const char *what, const char *name)
{
	xappendf(&p->warnings, "%s of %s is not in the program\n", what, name);
	p->nwarnings++;
	put(p, "# %s of %s is not in the program", what, name);
}

static const char *hex(uint64_t v)
{
	return v <= 9999 ? text("%u", (unsigned)v) : text("0x%llx", (unsigned long long)v);
}

static const char *addr_expr(struct program *p, uint64_t addr)
{
	const struct var *v = region_of(p, addr);

	return v ? text("s.%s.buf + %llu", v->name, (unsigned long long)(addr - v->made->mr.addr))
		 : hex(addr);
}

static const char *rkey_expr(struct program *p, uint32_t key, uint64_t addr)
{
	const struct var *v = keyed(p, key, addr);

	return v ? text("s.%s.rkey", v->name) : hex(key);
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

/* ------------------------------------------------------------ made, changed -- */

static void make(struct program *p, const struct var *v, const char *call)
{
	put(p, "s.%s = stack.enter_context(%s)", v->name, call);
}

static void make_qp(struct program *p, const struct var *v)
{
	const struct made_note *m = v->made;
	const struct ibv_qp_cap *c = &m->qp.cap;

	put(p, "init = QPInitAttr(qp_type=e.IBV_QPT_%s, scq=%s, rcq=%s, sq_sig_all=%d,",
	    word_name(qp_type_words, m->qp.type), ref(p, m->of[1]), ref(p, m->of[2]),
	    m->qp.sq_sig_all);
	put(p, "                  cap=QPCap(max_send_wr=%u, max_recv_wr=%u, max_send_sge=%u,",
	    c->max_send_wr, c->max_recv_wr, c->max_send_sge);
	put(p, "                            max_recv_sge=%u, max_inline_data=%u))", c->max_recv_sge,
	    c->max_inline_data);
	make(p, v, text("QP(%s, init)", ref(p, m->of[0])));
}

static void write_made_py(struct program *p, const struct var *v)
{
	const struct made_note *m = v->made;
	const struct obj_class *class = m->class;

	for (unsigned i = 0; i < MADE_OF; i++)
		if (m->of[i] && !var_of(p, m->of[i]))
			return;
	if (class == &dev_class) {
		make(p, v, text("Context(name='%s')", m->name));
	} else if (class == &pd_class) {
		make(p, v, text("PD(%s)", ref(p, m->of[0])));
	} else if (class == &cc_class) {
		make(p, v, text("CompChannel(%s)", ref(p, m->of[0])));
	} else if (class == &cq_class) {
		make(p, v,
		     text("CQ(%s, %d, None, %s, 0)", ref(p, m->of[0]), m->cqe,
			  m->of[1] ? ref(p, m->of[1]) : "None"));
	} else if (class == &mr_class) {
		make(p, v,
		     text("MR(%s, %llu, %s)", ref(p, m->of[0]), (unsigned long long)m->mr.len,
			  flags_expr(mr_access_words, "e.IBV_ACCESS_", m->mr.access)));
		put(p, "s.%s.write(bytes(%llu), %llu)", v->name, (unsigned long long)m->mr.len,
		    (unsigned long long)m->mr.len);
	} else if (class == &qp_class && !m->of[3]) {
		make_qp(p, v);
	} else if (class == &qp_class || class == &srq_class || class == &ah_class ||
		   class == &mw_class) {
		note(p, class->title, m->name);
	}
}

static int own_index(struct program *p, const struct ibv_ah_attr *a, const struct dev **dev)
{
	union ibv_gid gid;
	struct obj *o;

	obj_foreach(o, p->s)
		for (int i = 0; o->class == &dev_class && i < 256; i++) {
			*dev = (struct dev *)o;
			if (ibv_query_gid((*dev)->v, a->port_num, i, &gid) == 0 &&
			    memcmp(&gid, &a->grh.dgid, sizeof gid) == 0)
				return i;
		}
	return -1;
}

static void write_av(struct program *p, const struct ibv_ah_attr *a)
{
	const struct dev *dev = NULL;
	int index = a->is_global ? own_index(p, a, &dev) : -1;
	char dgid[INET6_ADDRSTRLEN] = "::";

	if (!a->is_global) {
		put(p, "attr.ah_attr = AHAttr(dlid=%u, port_num=%u)", a->dlid, a->port_num);
		return;
	}
	inet_ntop(AF_INET6, &a->grh.dgid, dgid, sizeof dgid);
	if (index >= 0)
		put(p, "dgid = %s.query_gid(%u, %d)", ref(p, dev->o.serial), a->port_num, index);
	else
		put(p, "dgid = GID('%s')", dgid);
	put(p, "attr.ah_attr = AHAttr(port_num=%u, is_global=1, gr=GlobalRoute(", a->port_num);
	put(p, "    dgid=dgid, sgid_index=%u, hop_limit=%u))", a->grh.sgid_index, a->grh.hop_limit);
}

/* What class QPAttr has. */
#define QP_ATTR_PY                                                                                 \
	(IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT | \
	 IBV_QP_QKEY | IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |    \
	 IBV_QP_RQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER | IBV_QP_SQ_PSN |          \
	 IBV_QP_MAX_DEST_RD_ATOMIC)

static const char *field_value(const struct ibv_qp_attr *a, const struct qp_attr_def *d)
{
	if (d->bit == IBV_QP_STATE)
		return text("e.IBV_QPS_%s", word_name(qp_state_words, a->qp_state));
	if (d->bit == IBV_QP_ACCESS_FLAGS)
		return flags_expr(qp_access_words, "e.IBV_ACCESS_", a->qp_access_flags);
	if (d->bit == IBV_QP_PATH_MTU)
		return text("e.IBV_MTU_%s", word_name(mtu_words, a->path_mtu));
	return hex(qp_attr_get(a, d));
}

static void write_modify_py(struct program *p, const struct note *n, const struct var *v)
{
	const struct modify_note *m = n->data;
	unsigned rest = m->mask & ~(unsigned)(IBV_QP_AV | IBV_QP_DEST_QPN);
	const struct var *peer = qp_numbered(p, m->a.dest_qp_num);

	put(p, "attr = QPAttr()");
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++)
		if (m->mask & d->bit & QP_ATTR_PY)
			put(p, "attr.%s = %s", d->member, field_value(&m->a, d));
	rest &= ~(unsigned)QP_ATTR_PY;
	if (m->mask & IBV_QP_DEST_QPN)
		put(p, "attr.dest_qp_num = %s",
		    peer ? text("s.%s.qp_num", peer->name) : hex(m->a.dest_qp_num));
	if (m->mask & IBV_QP_DEST_QPN && !peer)
		note(p, "the peer", v->made->name);
	if (m->mask & IBV_QP_AV)
		write_av(p, &m->a.ah_attr);
	if (rest)
		note(p, "an attribute", v->made->name);
	put(p, "s.%s.modify(attr, %s)", v->name,
	    flags_expr(qp_attr_words, "e.IBV_QP_", m->mask & ~rest));
}

/* --------------------------------------------------------------- data path -- */

static bool remote_py(struct program *p, const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
		put(p, "wr.set_wr_rdma(%s, %s)",
		    rkey_expr(p, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr),
		    addr_expr(p, wr->wr.rdma.remote_addr));
		return true;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		put(p, "wr.set_wr_atomic(%s, %s, %s, %s)",
		    rkey_expr(p, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr),
		    addr_expr(p, wr->wr.atomic.remote_addr), hex(wr->wr.atomic.compare_add),
		    hex(wr->wr.atomic.swap));
		return true;
	default:
		return wr->opcode == IBV_WR_SEND || wr->opcode == IBV_WR_SEND_WITH_IMM;
	}
}

static void write_item_py(struct program *p, const struct var *v, const struct post_item *it,
			  bool recv)
{
	bool imm = it->wr.opcode == IBV_WR_SEND_WITH_IMM ||
		   it->wr.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;

	put(p, "sg = [%s", it->wr.num_sge ? "" : "SGE(0, 0, 0)]  # pyverbs wants one");
	for (int k = 0; k < it->wr.num_sge; k++) {
		const struct var *mr = region_of(p, it->sge[k].addr);

		put(p, "    SGE(%s, %u, %s),", addr_expr(p, it->sge[k].addr), it->sge[k].length,
		    mr && mr->lkey == it->sge[k].lkey ? text("s.%s.lkey", mr->name)
						      : hex(it->sge[k].lkey));
	}
	if (it->wr.num_sge)
		put(p, "]");
	if (recv) {
		put(p, "wr = RecvWR(wr_id=%s, num_sge=len(sg), sg=sg)", hex(it->wr.wr_id));
	} else {
		put(p, "wr = SendWR(wr_id=%s, num_sge=len(sg), sg=sg, opcode=e.IBV_WR_%s,",
		    hex(it->wr.wr_id), word_name(wr_opcode_words, it->wr.opcode));
		put(p, "            send_flags=%s, imm_data=%s)",
		    flags_expr(send_flag_words, "e.IBV_SEND_", it->wr.send_flags),
		    imm ? text("htonl(%s)", hex(ntohl(it->wr.imm_data))) : "0");
	}
	if (!it->wr.num_sge)
		put(p, "wr.num_sge = 0");
	if (recv)
		put(p, "s.%s.post_recv(wr)", v->name);
	else if (remote_py(p, &it->wr))
		put(p, "s.%s.post_send(wr)", v->name);
	else
		note(p, word_name(wr_opcode_words, it->wr.opcode), v->made->name);
}

static void write_data_py(struct program *p, const struct note *n, const struct var *v)
{
	const struct post_note *post = n->data;
	unsigned long long off = n->mem.off, len = n->mem.len;

	switch (n->kind) {
	case NOTE_POST:
		for (unsigned i = 0; v->made->class == &qp_class && i < post->n; i++)
			write_item_py(p, v, &post->item[i], post->recv);
		break;
	case NOTE_WC:
		put(p, "complete(s.%s, %s, e.IBV_WC_%s)", v->name, hex(n->wc.wr_id),
		    word_name(wc_status_words, n->wc.status));
		break;
	case NOTE_ARM:
		put(p, "s.%s.req_notify(%s)", v->name, n->num ? "True" : "False");
		break;
	case NOTE_CQ_EVENT:
		put(p, "%s.get_cq_event(s.%s)", ref(p, v->made->of[1]), v->name);
		put(p, "s.%s.ack_events(1)", v->name);
		break;
	case NOTE_PUT:
		if (n->mem.kept && len == n->mem.kept)
			put(p, "s.%s.write(%s, %llu, %llu)", v->name, bytes_expr(n->data, len), len,
			    off);
		else if (n->mem.kept && len)
			put(p, "s.%s.write((%s * %llu)[:%llu], %llu, %llu)", v->name,
			    bytes_expr(n->data, n->mem.kept), len / n->mem.kept + 1, len, len, off);
		break;
	default:
		put(p, "print('%s+%llu:', s.%s.read(%llu, %llu))", v->made->name, off, v->name, len,
		    off);
		break;
	}
}

/* --------------------------------------------------------------------- all -- */

static const char *const imports =
	"import contextlib\n"
	"import time\n"
	"import types\n"
	"from socket import htonl\n"
	"\n"
	"import pyverbs.enums as e\n"
	"from pyverbs.addr import AHAttr, GID, GlobalRoute\n"
	"from pyverbs.cq import CompChannel, CQ\n"
	"from pyverbs.device import Context\n"
	"from pyverbs.mr import MR\n"
	"from pyverbs.pd import PD\n"
	"from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr\n"
	"from pyverbs.wr import RecvWR, SendWR, SGE\n"
	"\n"
	"PATIENCE = 30  # seconds\n"
	"s = types.SimpleNamespace()  # the objects of the session\n"
	"kept = []  # completions that nobody has asked for yet\n"
	"\n"
	"\n"
	"def complete(cq, wr_id, status):\n"
	"    \"\"\"The completion of that work request must come, with that status.\"\"\"\n"
	"    end = time.monotonic() + PATIENCE\n"
	"    while time.monotonic() < end:\n"
	"        for i, (at, wc) in enumerate(kept):\n"
	"            if at is cq and wc.wr_id == wr_id:\n"
	"                del kept[i]\n"
	"                print(f'wr_id {wr_id}: status {wc.status}')\n"
	"                assert wc.status == status, f'the session had {status}'\n"
	"                return\n"
	"        kept.extend((cq, wc) for wc in cq.poll()[1])\n"
	"    raise TimeoutError(f'no completion of wr_id {wr_id}')\n"
	"\n"
	"\n"
	"def session(stack):\n";

static int write_note_py(struct program *p, const struct note *n, struct var *v)
{
	if (v->made->class == &id_class || v->made->class == &ec_class) {
		fail(p->s, "export", "EOPNOTSUPP",
		     "%s was made by the connection manager: pyverbs has none that goes step by "
		     "step, so only QPs that are connected by hand can be exported to it",
		     v->made->name);
		return fail_next(p->s, "export c FILE.c");
	}
	keep_track(n, v);
	if (n->kind == NOTE_MADE)
		write_made_py(p, v);
	else if (n->kind == NOTE_GONE && v->made->class != &dev_class)
		put(p, "s.%s.close()", v->name);
	else if (n->kind == NOTE_MODIFY_QP)
		write_modify_py(p, n, v);
	else if (n->kind >= NOTE_DATA)
		write_data_py(p, n, v);
	else if (n->kind == NOTE_OTHER)
		note(p, n->call, v->made->name);
	return 0;
}

/* Each line of the body with blanks for its tab. */
static void indent(const char *body, Tcl_DString *text)
{
	for (; *body; body++)
		Tcl_DStringAppend(text, *body == '\t' ? "    " : body, *body == '\t' ? 4 : 1);
}

int python_write(struct program *p, const char *file, Tcl_DString *text)
{
	uint64_t lost[2];

	program_read(p, lost);
	rename_keywords(p);
	if (lost[0] + lost[1])
		return fail(p->s, "export", "ENOSPC", "the journal has lost the beginning");
	for (p->at = 0; p->at < p->n; p->at++) {
		struct var *v = var_of(p, p->notes[p->at]->obj);

		if (v && type_of(v) && write_note_py(p, p->notes[p->at], v))
			return -1;
	}
	if (!p->n)
		return fail(p->s, "export", "ENOENT", "the session has made no calls yet");
	p->nphases = 1;
	xappendf(text, "%s: what the session did, call by call.\n\n    python3 %s\n\"\"\"\n",
		 PYTHON_MARK, file);
	Tcl_DStringAppend(text, imports, -1);
	indent(Tcl_DStringValue(&p->body), text);
	Tcl_DStringAppend(text,
			  "\n\nwith contextlib.ExitStack() as all_of_it:  # closes what was made "
			  "last first\n    session(all_of_it)\n",
			  -1);
	return 0;
}
