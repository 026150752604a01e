/* SPDX-License-Identifier: MIT */
/* How the devices of several makers differ. A device is recognized by the vendor ID that it
 * reports, whatever its name. */
#include <string.h>

#include "alloc.h"
#include "calls.h"
#include "explain/explain.h"
#include "live_context.h"
#include "objects.h"
#include "out.h"
#include "session.h"

static void out_difference(const struct difference *d, bool with_call, struct out *o)
{
	const char *call = call_table[d->row].name;

	out_dict(o, NULL);
	out_str(o, "call", call, with_call ? "  %s\n" : NULL, call);
	out_str(o, "text", d->text, "                  %s\n", d->text);
	out_str(o, "source", d->source, "                  (%s)\n", d->source);
	out_end(o);
}

/* The differences of one function; NULL: all. */
static void out_differences(const struct provider *p, const struct call_fn *fn, struct out *o)
{
	out_list(o, "rows");
	for (const struct difference *d = p->rows; d->source; d++)
		if (!fn || fn == &call_table[d->row])
			out_difference(d, !fn, o);
	out_end(o);
}

static void out_provider(const struct provider *p, struct out *o)
{
	out_dict(o, NULL);
	out_paint(o, PAINT_STRONG);
	out_str(o, "name", p->name, "%s", p->name);
	out_paint(o, PAINT_NONE);
	out_str(o, "title", p->title, "  %s\n", p->title);
	out_u64(o, "vendor_id", p->vendor, "                  vendor_id 0x%06x", p->vendor);
	out_str(o, "vendor_source", p->vendor_source, "  (%s)\n", p->vendor_source);
	out_differences(p, NULL, o);
	out_end(o);
}

static bool has_differences(const struct provider *p, const struct call_fn *fn)
{
	for (const struct difference *d = p->rows; d->source; d++)
		if (fn == &call_table[d->row])
			return true;
	return false;
}

/* key: NULL in a list. */
static void out_of_provider(const struct provider *p, const struct call_fn *fn, const char *key,
			    struct out *o)
{
	out_dict(o, key);
	out_str(o, "name", p->name, "  of %s\n", p->name);
	out_differences(p, fn, o);
	out_end(o);
}

/* The providers in which a function differs. false: there is none. */
static bool out_providers_of(const struct call_fn *fn, struct out *o)
{
	bool any = false;

	for (size_t i = 0; providers[i].name; i++) {
		if (!has_differences(&providers[i], fn))
			continue;
		if (!any) {
			out_str(o, "call", fn->name, "%s differs by provider\n", fn->name);
			out_list(o, "providers");
		}
		any = true;
		out_of_provider(&providers[i], fn, NULL, o);
	}
	if (any)
		out_end(o);
	return any;
}

bool explain_provider(const char *name, struct out *o)
{
	if (strcmp(name, "providers") == 0) {
		out_list(o, NULL);
		for (size_t i = 0; providers[i].name; i++)
			out_provider(&providers[i], o);
		out_end(o);
		return true;
	}
	for (size_t i = 0; providers[i].name; i++)
		if (strcmp(name, providers[i].name) == 0) {
			out_provider(&providers[i], o);
			return true;
		}
	return call_find(name) && out_providers_of(call_find(name), o);
}

void explain_provider_names(Tcl_Obj *words)
{
	for (size_t i = 0; providers[i].name; i++) {
		value_append(words, providers[i].name);
		for (const struct difference *d = providers[i].rows; d->source; d++)
			value_append(words, call_table[d->row].name);
	}
	value_append(words, "providers");
}

static const struct provider *provider_of(const struct dev *dev)
{
	const struct ibv_device_attr *a = &dev->attr.orig_attr;

	for (size_t i = 0; providers[i].name; i++)
		if (a->vendor_id == providers[i].vendor &&
		    a->vendor_part_id >= providers[i].first_part)
			return &providers[i];
	return NULL;
}

void explain_here(struct session *s, const struct call_fn *fn, struct out *o)
{
	const struct dev *dev = s->ctx->qp ? s->ctx->qp->pd->dev : obj_first(s, &dev_class);
	const struct provider *p = dev ? provider_of(dev) : NULL;

	if (p && has_differences(p, fn))
		out_of_provider(p, fn, "provider", o);
}
