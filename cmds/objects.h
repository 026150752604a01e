/* SPDX-License-Identifier: MIT */
/*
 * The live context: every verbs object of the session, with its name, the objects it uses and its
 * users. Objects are destroyed in reverse order of dependence.
 */
#ifndef CMDS_OBJECTS_H
#define CMDS_OBJECTS_H

#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <tcl.h>

#include "call_objects.h"
#include "command/cmd.h"
#include "data/posted.h"
#include "output/out.h"

struct capture;
struct cm_event;
struct wire;
struct obj;
struct out;
struct session;
struct timeline;

/* A class of objects; one const struct each, in the file of the command that creates them. */
struct obj_class {
	const char *prefix; /* of names: "mr" gives mr0, mr1 ... */
	const char *title;  /* "memory region" */
	/* A more precise title of o, such as "listener" for a connection id; or NULL. */
	const char *(*title_of)(const struct obj *o);
	const char *remedy;    /* a command that creates one: "reg 4096" */
	size_t size;	       /* of the struct that begins with struct obj */
	enum call_object kind; /* what the library calls it; OBJECT_NONE: it does not know it */
	/* What finds it. Each is optional. */
	size_t pointer; /* offset of the library's pointer to it, of that kind */
	uint64_t (*number)(const struct obj *o);	   /* QP number, lkey, rkey */
	void *(*memory)(const struct obj *o, size_t *len); /* its bytes */
	/* Its objects may depend on each other in ways that only the device knows, so they are
	 * destroyed before other users of an object, and first at the end. */
	bool clings;
	/* May be destroyed while a command waits for it; that command checks obj_gone(). */
	bool may_go;
	/* Destroys the verbs object, which has no users any more. 0, or -1 with s->fail filled;
	 * then the object stays. */
	int (*destroy)(struct session *s, struct obj *o);
	/* Writes all attributes, for show and get: keys and values, and one line of text. */
	void (*describe)(struct session *s, struct obj *o, struct out *out);
};

#define OBJ_USES 8

/* user depends on used; an entry in the list of used's users. */
struct obj_use {
	TAILQ_ENTRY(obj_use) link;
	struct obj *user, *used; /* used NULL: a free entry */
};
TAILQ_HEAD(obj_users, obj_use);

enum obj_life {
	OBJ_NEW,   /* has a name, but is not in the store yet */
	OBJ_LIVES, /* in the store */
	OBJ_GOING, /* being destroyed */
	OBJ_GONE,  /* destroyed; its memory stays while there are references */
};

#define OBJ_NAME 32 /* bytes of a name, with the zero at its end */

/* What call_rules.c remembers of a QP or a CQ that the command call works with. */
struct obj_calls {
	bool building;	  /* between ibv_wr_start() and its end */
	bool polling;	  /* between ibv_start_poll() and ibv_end_poll() */
	bool is_extended; /* a CQ of ibv_create_cq_ex() */
	unsigned events;  /* of ibv_get_cq_event(), not acknowledged */
};

struct obj {
	TAILQ_ENTRY(obj) link;	/* of all, in order of creation */
	TAILQ_ENTRY(obj) alike; /* of its class, in order of creation */
	const struct obj_class *class;
	struct obj_group *group;
	Tcl_HashEntry *entry; /* of its name */
	char name[OBJ_NAME];
	bool named; /* a command has named it: it is not destroyed automatically */
	enum obj_life life;
	unsigned refs;		       /* its memory stays: obj_ref() */
	uint64_t serial;	       /* unique, unlike addresses */
	struct obj_use uses[OBJ_USES]; /* what must outlive this one */
	struct obj_users users[2];     /* oldest first; [1]: those whose class clings */
	unsigned nusers;
	struct obj_calls calls;
};
TAILQ_HEAD(obj_list, obj);

/* The objects of one class, and the numbers in their names. */
struct obj_group {
	const struct obj_class *class;
	struct obj_list objs;
	unsigned n;
	unsigned least; /* all names with a smaller number are taken */
};

#define OBJ_CLASSES 64

struct obj_store {
	struct obj_list all;
	struct obj_group groups[OBJ_CLASSES];
	unsigned n_groups;
	Tcl_HashTable names;
	uint64_t serial; /* of the last object made */
};

/* An asynchronous event of a device, copied and acknowledged, until wait takes it. */
struct async_event {
	TAILQ_ENTRY(async_event) link;
	enum ibv_event_type type;
	char obj[32]; /* name of the affected object; for ports the device */
};
TAILQ_HEAD(async_list, async_event);

TAILQ_HEAD(id_list, id);
TAILQ_HEAD(cm_event_list, cm_event);

struct context {
	struct obj_store store;
	struct async_list asyncs; /* not yet taken by wait */
	struct handler *on_async; /* handler that takes them; or NULL */
	struct qp *qp;		  /* the current QP, the default of QP arguments */
	struct id *id;		  /* the current connection id */
	uint64_t wr_id;		  /* the last wr_id that was assigned */
	struct id_list requests;  /* connection requests that are not answered yet, oldest first */
	struct id_list over;	  /* ids whose connection is over or has failed */
	unsigned listening;	  /* number of listening ids */
	struct cm_event_list events; /* of all ids, oldest first */
	struct wire *wire;	     /* wire on, or NULL */
	struct capture *capture;     /* capture start, or NULL */
	struct timeline *timeline;   /* what it shows; NULL: it was never on */
};

/* ------------------------------------------------------------------ objects -- */

struct dev {
	struct obj o;	       /* named as the device: rxe0 */
	struct ibv_context *v; /* librdmacm's context, so that ids can use its resources */
	struct ibv_device_attr_ex attr;
	bool iwarp;	   /* node type RNIC */
	struct session *s; /* whose loop serves its asynchronous events */
};

LIST_HEAD(mr_list, mr);
LIST_HEAD(qp_list, qp);

struct pd {
	struct obj o;
	struct dev *dev;
	struct ibv_pd *v;
	struct mr_list for_texts; /* regions created by post -text */
	struct qp_list texting;	  /* QPs that have posted a text, and may not have sent it yet */
};

/* Completion channel. */
struct cc {
	struct obj o;
	struct dev *dev;
	struct ibv_comp_channel *v;
	struct session *s; /* whose loop serves its events, or NULL */
};

struct cq {
	struct obj o;
	struct dev *dev;
	struct cc *cc; /* or NULL */
	struct ibv_cq *v;
	bool armed;
	bool broken;		     /* CQ_ERR: overrun */
	unsigned events;	     /* completion events not yet taken by wait */
	void (*on_event)(void *arg); /* handler that takes its events; or NULL */
	void *on_event_arg;
	struct id *id;	     /* whose cq it is, or NULL */
	struct ibv_wc *kept; /* completions polled by a command that failed, for the next poll */
	unsigned nkept;
};

struct srq {
	struct obj o;
	struct pd *pd;
	struct ibv_srq *v;
	uint32_t max_wr, max_sge, limit;
	unsigned limit_events;
};

/* Data about the peer's QP (oob, modify-qp -peer), or about a region only (listen -share: known is
 * false), and the same data of this end for the peer. */
struct qp_peer {
	bool known;
	enum ibv_qp_type type;
	uint32_t qpn, psn, qkey;
	uint16_t lid;
	union ibv_gid gid;
	unsigned gid_index;
	enum ibv_mtu mtu;   /* 0: unknown */
	uint64_t addr, len; /* of a region; len 0: unknown */
	uint32_t rkey;	    /* 0: no region */
	unsigned access;    /* what the region lets peers do; 0: unknown */
};

struct qp {
	struct obj o;
	struct pd *pd;
	struct cq *send_cq, *recv_cq;
	struct srq *srq; /* or NULL */
	struct id *id;	 /* made by rdma_create_qp() for it, or NULL */
	struct ibv_qp *v;
	enum ibv_qp_type type;
	struct ibv_qp_cap cap;
	bool sq_sig_all;
	uint32_t psn;		 /* its initial PSN, shown by qp-info and used by modify-qp -fill */
	struct qp_peer peer;	 /* peer data for modify-qp -fill and post */
	enum ibv_qp_state state; /* the last known one: qp.h */
	bool texts_out;		 /* in the list of its PD */
	LIST_ENTRY(qp) texting;
	struct qp_read read;
};

struct mr {
	struct obj o;
	struct pd *pd;
	struct ibv_mr *v;
	void *buf; /* page-aligned mapping, or part of memory */
	size_t len;
	unsigned access;
	bool for_texts; /* made by post -text, in the list of its PD */
	LIST_ENTRY(mr) text_region;
	size_t texts;	    /* bytes that the device may still read */
	struct obj *memory; /* whose memory it is; NULL: its own */
};

/* Memory window. */
struct mw {
	struct obj o;
	struct pd *pd;
	struct mr *mr; /* bound to, or NULL */
	struct qp *qp; /* of type 2: by which QP */
	struct ibv_mw *v;
};

/* Address handle. */
struct ah {
	struct obj o;
	struct pd *pd;
	struct ibv_ah *v;
	struct ibv_ah_attr attr;
	uint32_t qpn, qkey; /* of the peer, if known; else 0 */
	struct id *id;	    /* whose ah it is, or NULL */
};

/* Event channel of the connection manager. */
struct ec {
	struct obj o;
	struct rdma_event_channel *v;
	struct session *s; /* whose loop serves its events */
};

enum id_state {
	ID_IDLE,
	ID_BOUND,
	ID_LISTENING,
	ID_ADDR_RESOLVED,
	ID_ROUTE_RESOLVED,
	ID_CONNECTING,
	ID_REQUEST, /* passive side: a request to answer */
	ID_ACCEPTING,
	ID_ESTABLISHED,
	ID_DISCONNECTED,
	ID_ERROR,
};

/* A CM event, copied: the library's own is acknowledged (unless the id holds events). */
struct cm_event {
	TAILQ_ENTRY(cm_event) link; /* of its id */
	TAILQ_ENTRY(cm_event) all;
	struct id *id; /* in whose queue it is */
	enum rdma_cm_event_type type;
	int status;
	struct rdma_conn_param conn; /* private_data points to data below */
	struct rdma_ud_param ud;     /* instead of conn for UD port spaces */
	unsigned char data[256];
	uint8_t len;
	bool held; /* to be acknowledged by 'cm ack' */
};

struct listening; /* how a listener answers requests: cm.h */

/* Connection id. */
struct id {
	struct obj o;
	struct ec *ec;
	struct rdma_cm_id *v;
	struct id *listener; /* a request came in on it, or NULL */
	unsigned adopted;    /* ids of requests that arrived on this one */
	unsigned requests;   /* requests that are not answered yet */
	struct qp *qp;
	enum id_state state;
	TAILQ_ENTRY(id) in_state; /* in ID_REQUEST, and when it is over */
	enum rdma_port_space ps;
	bool passive;	/* created for an incoming request */
	bool transient; /* accepted by listen -accept: destroyed when its peer disconnects */
	bool stepping;	/* made by 'cm create': the user answers all events */
	bool left;	/* rdma_disconnect() was called: the peer is not kept waiting */
	bool peer_left; /* the peer disconnected first */
	bool hold;	/* its events are acknowledged only by 'cm ack' */
	struct cm_event_list events; /* not yet taken by a command */
	void (*on_event)(void *arg); /* handler for new events in the queue; or NULL */
	void *on_event_arg;
	struct rdma_cm_event **held; /* the library's own, not yet acknowledged */
	unsigned unacked;	     /* how many */
	struct listening *listening; /* set by listen, or NULL */
	int backlog;
	struct ah *ah;	      /* UD: address handle of the peer, or NULL: id_own_ah() */
	struct cq *cq;	      /* made for its QP by connect or accept, or NULL: id_own_cq() */
	struct cm_event last; /* the last one with private data or connection parameters */
	unsigned char *data;  /* private data received, or NULL */
	size_t data_len;
};

extern const struct obj_class dev_class, pd_class, cc_class, cq_class, srq_class, qp_class,
	mr_class, mw_class, ah_class, ec_class, id_class, oob_class, tcp_class, tcpl_class;

/* -------------------------------------------------------------------- store -- */

void obj_store_init(struct obj_store *store);
/* To be called when all objects are destroyed. */
void obj_store_free(struct obj_store *store);

/* Creates an object called name or (NULL) its prefix and the lowest free number. It is not in the
 * store until obj_add(); a command that fails before calls obj_discard(). NULL with s->fail filled
 * if the name is taken or invalid. */
void *obj_new(struct session *s, const struct obj_class *class, const char *name);
/* Notes that o needs used (NULL: nothing). */
void obj_use(void *o, void *used);
void obj_unuse(void *o, void *used);
/* Does anything use o? */
bool obj_used(const void *o);
void obj_add(struct session *s, void *o);
void obj_discard(struct session *s, void *o);
/* Fails, naming call, if a and b are on different devices, which the library does not check. b may
 * be NULL. */
int obj_same_dev(struct session *s, const char *call, const void *a, const void *b);

/* The object called name, of that class (NULL: any), or NULL. */
void *obj_find(struct session *s, const struct obj_class *class, const char *name);
/* The library's pointer to the object, or NULL. */
void *obj_pointer(const struct obj *o);
/* The object of that class (NULL: any) that the library knows by this pointer, or NULL. */
void *obj_by_pointer(struct session *s, const struct obj_class *class, const void *v);
/* Another one, of any class, with the same pointer. */
void *obj_next_pointer(const void *o);
/* One of that class with this number, and the next one (another device may have given the same),
 * or NULL. */
void *obj_by_number(struct session *s, const struct obj_class *class, uint64_t number);
void *obj_next_number(const void *o);
/* An object of that class (NULL: any) whose memory has all of [addr, addr + len), or NULL. */
void *obj_by_address(struct session *s, const struct obj_class *class, uint64_t addr, uint64_t len);

/* The oldest of its class, or NULL. */
void *obj_first(struct session *s, const struct obj_class *class);
/* The next younger one of its class, or NULL. */
void *obj_next_alike(const void *o);
/* The only one of its class; NULL when there are none or several (*n: how many). */
void *obj_only(struct session *s, const struct obj_class *class, unsigned *n);

/*
 * Lifetime. Code that runs the event loop or a script between two uses of an object needs a
 * reference, because the object may be destroyed meanwhile. Its memory then stays valid, and
 * obj_gone() is true.
 *
 * A command also holds the objects that it works with: a command that runs on behalf of the loop,
 * such as a handler, cannot destroy them and fails with EBUSY, unless the class has may_go.
 */
void obj_ref(void *o);
/* Drops a reference; frees a destroyed object with the last one. */
void obj_unref(void *o);
/* Was it destroyed? The caller must have a reference. */
bool obj_gone(const void *o);

/* Returns the current QP (or NULL) with a reference; qp_current_back() restores it unless it was
 * destroyed meanwhile. */
struct qp *qp_current_aside(struct session *s);
void qp_current_back(struct session *s, struct qp *qp);

/* An object that a command works with; a list, the latest first. */
struct held {
	struct held *next;
	struct obj *o;
	unsigned aside; /* s->aside then */
};

/* Holds o (NULL: nothing) until obj_release(s, what s->held was before). */
void obj_hold(struct session *s, struct held *h, void *o);
/* Holds o until the running command returns, like its arguments. */
void obj_hold_arg(struct session *s, void *o);
void obj_release(struct session *s, struct held *before);

/* "memory region", "listener" */
const char *obj_title(const struct obj *o);

/* Writes an object as the result of the command that has made it. -1 if it is NULL. */
int obj_out(struct session *s, void *o, struct out *out);

/* Destroys o. With users: fails and names them, or destroys them first (cascade). Fails also
 * while a command waits that works with it, and while it is being destroyed. */
int obj_destroy(struct session *s, void *o, bool cascade);
/* Destroys o and its users after a failure, which stays the one that is reported. Returns -1. */
int obj_destroy_quietly(struct session *s, void *o);
/* Destroys everything, in reverse order; stops at an error. */
int obj_destroy_each(struct session *s);
/* Destroys everything, in reverse order, without stopping at errors: the end. */
void obj_destroy_all(struct session *s);

#define obj_foreach(o, s) TAILQ_FOREACH((o), &(s)->ctx->store.all, link)
/* Iterates over the objects of one class; o is a pointer to its struct. */
#define obj_foreach_of(o, s, class) \
	for ((o) = obj_first((s), (class)); (o); (o) = obj_next_alike(o))
/* Iterates over the users of o, of any class; u is a struct obj_use. */
#define obj_foreach_user(u, o)                             \
	for (unsigned clings_ = 0; clings_ < 2; clings_++) \
		TAILQ_FOREACH((u), &((struct obj *)(o))->users[clings_], link)
struct obj_group *obj_group(struct obj_store *store, const struct obj_class *class);

/* ---------------------------------------------------------- as an argument -- */

/* Kinds that store a pointer to the object. Left out: the current one, else the only one;
 * with none or several the command fails and says what to type. */
extern const struct arg_kind kind_dev, kind_pd, kind_cc, kind_cq, kind_srq, kind_qp, kind_mr,
	kind_mw, kind_ah, kind_ec, kind_id, kind_oob, kind_tcp, kind_tcpl;
/* Left out: NULL. */
extern const struct arg_kind kind_dev_opt, kind_pd_opt, kind_cc_opt, kind_cq_opt, kind_srq_opt,
	kind_qp_opt, kind_mr_opt, kind_mw_opt, kind_ah_opt, kind_ec_opt, kind_id_opt, kind_oob_opt,
	kind_tcp_opt, kind_tcpl_opt;
/* struct obj *, of any class; must be given. */
extern const struct arg_kind kind_any;

/* The functions of these kinds, for others whose .of is a class or NULL. The default is the current
 * object, else the only one. */
int obj_arg_parse(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst);
int obj_arg_default(struct session *s, const struct arg *a, void *dst);
void obj_arg_complete(struct session *s, const struct arg *a, Tcl_Obj *words);

/* --------------------------------------------- defaults -- */

/* The open device to use when none is named: the one of --device, else the first with an
 * active port; opened if need be. NULL with s->fail filled ("no RDMA device ..."). */
struct dev *dev_default(struct session *s);
/* The device object of a context that librdmacm opened; created if necessary. */
struct dev *dev_of(struct session *s, struct ibv_context *v);
/* The first PD of the device; created (and traced) if there is none. */
struct pd *pd_of(struct session *s, struct dev *dev);
/* The PD to use when none is named: that of the current QP, else the first of the default
 * device. NULL with s->fail filled. */
struct pd *pd_default(struct session *s);

/*
 * Creating objects from C, for commands that combine several steps (connect, accept, oob). Each
 * function traces its calls, adds the object to the store and returns it; or NULL with s->fail
 * filled and everything undone.
 */

/* name NULL: the next number. pd.c, cq.c, mr.c, ah.c, qp_create.c */
struct pd *pd_make(struct session *s, struct dev *dev, const char *name);
struct cc *cc_make(struct session *s, struct dev *dev, const char *name);
/* depth: entries; cc may be NULL. */
struct cq *cq_make(struct session *s, struct dev *dev, const char *name, uint32_t depth,
		   struct cc *cc, int vector);
/* A zeroed, page-aligned buffer of len bytes, registered. access: IBV_ACCESS_... */
struct mr *mr_make(struct session *s, struct pd *pd, const char *name, uint64_t len,
		   unsigned access);
/* A region of the PD that the device may write to and no listener shares, for what a next step
 * brings here; NULL: there is none. Borrowed. */
const struct mr *mr_to_receive(struct session *s, const struct pd *pd);
/* Adds to s->fail what made ibv_reg_mr() or ibv_rereg_mr() fail, as far as can be seen from here.
 */
void mr_explain_failure(struct session *s, uint64_t len, unsigned access);

struct qp_spec {
	const char *name;
	enum ibv_qp_type type;
	struct pd *pd;
	struct cq *send_cq, *recv_cq;
	struct srq *srq; /* or NULL */
	struct id *id;	 /* rdma_create_qp(id, ...), else NULL: ibv_create_qp */
	struct ibv_qp_cap cap;
	bool sq_sig_all;
};
/* Adds a QP that another call created; qp has its name and v. It becomes the current QP. */
void qp_adopt(struct session *s, struct qp *qp, const struct qp_spec *spec);
/* Creates a QP, which becomes the current one. A PD or CQ that is NULL is found or created. */
struct qp *qp_make(struct session *s, const struct qp_spec *spec);

/* Watches the asynchronous events of an open device (ibv_get_async_event(3)): they are copied,
 * acknowledged, shown as notices, and kept for wait. */
void async_watch(struct session *s, struct dev *dev);
void async_unwatch(struct session *s, struct dev *dev);
/* Writes an event and what it means. */
void async_event_out(const struct async_event *ev, struct out *o);

/*
 * What memory windows are bound to, as far as can be known here: from the post of a bind on
 * until its key is seen to be invalidated. A window of type 2 holds on to its QP, too: a
 * device may wait for the window when the QP is destroyed.
 */

/* mr NULL: to nothing. qp: of type 2, or NULL. */
void mw_bound(struct mw *mw, struct mr *mr, struct qp *qp);
/* A window of pd with this key is bound to nothing now. */
void mw_invalidated(struct session *s, const struct pd *pd, uint32_t rkey);

/* The memory of regions. */

/* Fails, naming call, unless all of [off, off + len) is in the region. */
int mem_check(struct session *s, const char *call, const struct mr *mr, uint64_t off, uint64_t len);
/* The bytes of a region from off on; *n is their number. len not given: up to its end. NULL with
 * s->fail filled. */
unsigned char *mem_range(struct session *s, const struct mr *mr, const struct num *off,
			 const struct num *len, size_t *n);
/* Writes the bytes as a value; the text shows them as text if they look like it, else as a hex
 * dump. */
void mem_out_bytes(struct out *o, const unsigned char *p, size_t n, uint64_t off);

#endif
