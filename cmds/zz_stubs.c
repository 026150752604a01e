#include "objects.h"
#include "cq_events.h"
#define S(x,t,p) __attribute__((weak)) const struct obj_class x##_class={.prefix=p,.title=t,.size=sizeof(struct x)};
S(srq,"SRQ","srq") S(qp,"QP","qp") S(mw,"memory window","mw") S(ah,"address handle","ah") S(ec,"event channel","ec") S(id,"connection id","id")
__attribute__((weak)) void cc_watch(struct session *s, struct cc *cc){(void)s,(void)cc;} __attribute__((weak)) void cc_unwatch(struct session *s, struct cc *cc){(void)s,(void)cc;}
#include "make.h"
__attribute__((weak)) const struct ibv_qp_cap qp_default_cap = { 32, 32, 4, 4, 64 };
__attribute__((weak)) struct qp *qp_make(struct session *s, const struct qp_spec *spec) { (void)s, (void)spec; return NULL; }
