/* SPDX-License-Identifier: MIT */
/* Bounds, hex digits and hexdumps: common to the mem commands. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "memory/mem.h"
#include "output/visible.h"
#include "session.h"

#define VALUE_MAX (16u << 20) /* bytes; each is kept several times on its way */

unsigned char *mem_at(struct session *s, const struct mr *mr, uint64_t off, uint64_t len)
{
	if (off <= mr->len && len <= mr->len - off)
		return (unsigned char *)mr->buf + off;
	if (off > mr->len)
		fail(s, "mem", "ERANGE", "%s has %zu bytes: offset %llu is past its end",
		     mr->o.name, mr->len, (unsigned long long)off);
	else
		fail(s, "mem", "ERANGE", "%s has %zu bytes: %llu at offset %llu end %llu past it",
		     mr->o.name, mr->len, (unsigned long long)len, (unsigned long long)off,
		     (unsigned long long)(len - (mr->len - off)));
	if (off < mr->len)
		fail_row(s, "fits", "%llu at offset %llu", (unsigned long long)(mr->len - off),
			 (unsigned long long)off);
	return NULL;
}

unsigned char *mem_range(struct session *s, const struct mr *mr, const struct num *off,
			 const struct num *len, size_t *n)
{
	*n = len->set ? len->v : off->v < mr->len ? mr->len - off->v : 0;
	return mem_at(s, mr, off->v, *n);
}

unsigned char *mem_value(struct session *s, const struct mr *mr, const struct num *off,
			 const struct num *len, size_t *n)
{
	unsigned char *p = mem_range(s, mr, off, len, n);

	if (!p || *n <= VALUE_MAX)
		return p;
	fail(s, "mem", "E2BIG", "%zu bytes are too many for a value: at most %u MiB at a time", *n,
	     VALUE_MAX >> 20);
	fail_next(s, "mem save %s FILE", mr->o.name);
	return NULL;
}

static int digit(unsigned char c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

int mem_hex(struct session *s, const struct bytes *text, struct bytes *out)
{
	unsigned char *p = arena_alloc(&s->arena, (text->len / 2 + 1));
	size_t i = 0, n = 0;

	while (i < text->len) {
		if (isspace(text->data[i])) {
			i++;
			continue;
		}
		if (i + 1 >= text->len || digit(text->data[i]) < 0 || digit(text->data[i + 1]) < 0)
			return fail(s, "mem", "EINVAL", "-hex: two digits make a byte, not '%.*s'",
				    (int)(text->len - i < 4 ? text->len - i : 4), text->data + i);
		p[n++] = (unsigned char)(digit(text->data[i]) << 4 | digit(text->data[i + 1]));
		i += 2;
	}
	*out = (struct bytes){ p, n };
	return 0;
}

void mem_out_hex(struct session *s, struct out *o, const unsigned char *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *text = arena_alloc(&s->arena, (2 * n + 1));

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[p[i] >> 4];
		text[2 * i + 1] = digits[p[i] & 15];
	}
	text[2 * n] = 0;
	out_str(o, NULL, text, "%s\n", text);
}

void mem_out_bytes(struct out *o, const unsigned char *p, size_t n, uint64_t off)
{
	out_bytes(o, NULL, p, n);
	if (n && !memchr(p, 0, n) && n < 256)
		out_text(o, "%.*s\n", (int)n, (const char *)p);
	else
		mem_hexdump(o, p, n, off);
}

void mem_hexdump(struct out *o, const unsigned char *p, size_t n, uint64_t off)
{
	Tcl_DString d;

	Tcl_DStringInit(&d);
	visible_hexdump(&d, p, n, off);
	out_text(o, "%s", Tcl_DStringValue(&d));
	Tcl_DStringFree(&d);
}
