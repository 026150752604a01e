/* SPDX-License-Identifier: MIT */
/* Values as text: as words of the command call, as C, as JSON. */
#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "call_format.h"

static bool is_hex(const struct call_value *v)
{
	return v->kind == CALL_KEY || v->kind == CALL_ADDRESS || v->kind == CALL_IOVA ||
	       v->kind == CALL_REMOTE;
}

static void plain_number(FILE *to, const struct call_value *v, uint64_t n)
{
	if ((v->kind == CALL_INT || v->kind == CALL_ENUM || v->kind == CALL_FD) && (int64_t)n < 0)
		fprintf(to, "%" PRId64, (int64_t)n);
	else
		fprintf(to, is_hex(v) && n ? "0x%" PRIx64 : "%" PRIu64, n);
}

static void write_flags(FILE *to, const struct call_enum *e, uint64_t bits, const char *between,
			bool full)
{
	const char *before = "";

	for (const struct call_word *w = e->words; w->name; w++) {
		uint64_t bit = (uint64_t)w->value;

		if (!bit || (bits & bit) != bit)
			continue;
		bits &= ~bit;
		fprintf(to, "%s%s", before, full ? w->name : call_word_name(e, w->value));
		before = between;
	}
	if (bits)
		fprintf(to, "%s0x%" PRIx64, before, bits);
	else if (!*before)
		fputs("0", to);
}

void call_write_flags(FILE *to, const struct call_enum *e, uint64_t bits)
{
	write_flags(to, e, bits, ",", false);
}

void call_write_c_flags(FILE *to, const struct call_enum *e, uint64_t bits)
{
	write_flags(to, e, bits, " |\v", true);
}

static const struct call_word *word_of(const struct call_enum *e, uint64_t n)
{
	for (const struct call_word *w = e->words; w->name; w++)
		if (w->value == (int64_t)n)
			return w;
	return NULL;
}

static const char *host_of(const struct sockaddr *sa, char text[INET6_ADDRSTRLEN], unsigned *port)
{
	const struct sockaddr_in6 *six = (const void *)sa;
	const struct sockaddr_in *four = (const void *)sa;

	*port = ntohs(sa->sa_family == AF_INET6 ? six->sin6_port : four->sin_port);
	if (sa->sa_family == AF_INET6)
		return inet_ntop(AF_INET6, &six->sin6_addr, text, INET6_ADDRSTRLEN);
	return sa->sa_family == AF_INET
		       ? inet_ntop(AF_INET, &four->sin_addr, text, INET6_ADDRSTRLEN)
		       : "NULL";
}

static void write_words(struct call_sink *k, uint64_t n)
{
	const bool is_flags = k->v->kind == CALL_FLAGS;
	const char *name = is_flags ? "" : call_word_name(k->v->words, (int64_t)n);

	if (!name) {
		plain_number(k->to, k->v, n);
		return;
	}
	fprintf(k->to, "%s%s", k->quote, name);
	if (is_flags)
		call_write_flags(k->to, k->v->words, n);
	fputs(k->quote, k->to);
}

static void write_object(struct call_sink *k, const void *object)
{
	fprintf(k->to, "%s%p%s", k->quote, object, k->quote);
}

static void write_gid(struct call_sink *k, const union ibv_gid *gid)
{
	char text[INET6_ADDRSTRLEN];

	fprintf(k->to, "%s%s%s", k->quote, inet_ntop(AF_INET6, gid, text, sizeof text), k->quote);
}

static void write_nothing(struct call_sink *k)
{
	fputs(k->null, k->to);
}

/* ------------------------------------------------------------------ words of call -- */

static void words_start(struct call_sink *k)
{
	if (k->index)
		fputc(' ', k->to);
	if (k->key && k->nesting)
		fprintf(k->to, "%s ", k->key);
}

static void words_number(struct call_sink *k, uint64_t n)
{
	plain_number(k->to, k->v, n);
}

/* A word of Tcl, in a list as well. */
static void words_bytes(struct call_sink *k, const void *data, size_t n)
{
	const unsigned char *c = data;

	if (!n)
		fputs("{}", k->to);
	for (size_t i = 0; i < n; i++)
		if (c[i] < 0x80 && (isalnum(c[i]) || (c[i] && strchr("_-./:+@%,=", c[i]))))
			fputc(c[i], k->to);
		else
			fprintf(k->to, "\\x%02x", c[i]);
}

static void words_address(struct call_sink *k, const struct sockaddr *sa)
{
	char text[INET6_ADDRSTRLEN];
	unsigned port;
	const char *host = host_of(sa, text, &port);

	if (port)
		fprintf(k->to, "{%s %u}", host, port);
	else
		fputs(host, k->to);
}

static void words_open(struct call_sink *k, enum call_group group)
{
	(void)group;
	fputc('{', k->to);
	k->nesting++;
}

static void words_close(struct call_sink *k, enum call_group group)
{
	(void)group;
	k->nesting--;
	fputc('}', k->to);
}

struct call_sink call_words_sink(FILE *to)
{
	return (struct call_sink){ .start = words_start,
				   .number = words_number,
				   .words = write_words,
				   .object = write_object,
				   .bytes = words_bytes,
				   .gid = write_gid,
				   .address = words_address,
				   .nothing = write_nothing,
				   .begin = words_open,
				   .end = words_close,
				   .to = to,
				   .quote = "",
				   .null = "NULL" };
}

/* --------------------------------------------------------------------------- JSON -- */

static void json_start(struct call_sink *k)
{
	if (k->index)
		fputc(',', k->to);
	if (k->key)
		fprintf(k->to, "\"%s\":", k->key);
}

static void json_number(struct call_sink *k, uint64_t n)
{
	struct call_value decimal = { .kind = k->v->kind == CALL_INT ? CALL_INT : CALL_UINT };

	plain_number(k->to, &decimal, n);
}

static void json_bytes(struct call_sink *k, const void *data, size_t n)
{
	const unsigned char *c = data;

	fputc('"', k->to);
	for (size_t i = 0; i < n; i++)
		if (c[i] == '"' || c[i] == '\\')
			fprintf(k->to, "\\%c", c[i]);
		else if (c[i] >= ' ' && c[i] < 0x7f)
			fputc(c[i], k->to);
		else
			fprintf(k->to, "\\u%04x", c[i]);
	fputc('"', k->to);
}

static void json_address(struct call_sink *k, const struct sockaddr *sa)
{
	char text[INET6_ADDRSTRLEN];
	unsigned port;
	const char *host = host_of(sa, text, &port);

	fprintf(k->to, "{\"host\":\"%s\",\"port\":%u}", host, port);
}

static void json_open(struct call_sink *k, enum call_group group)
{
	fputc(group == CALL_A_LIST ? '[' : '{', k->to);
}

static void json_close(struct call_sink *k, enum call_group group)
{
	fputc(group == CALL_A_LIST ? ']' : '}', k->to);
}

struct call_sink call_json_sink(FILE *to)
{
	return (struct call_sink){ .start = json_start,
				   .number = json_number,
				   .words = write_words,
				   .object = write_object,
				   .bytes = json_bytes,
				   .gid = write_gid,
				   .address = json_address,
				   .nothing = write_nothing,
				   .begin = json_open,
				   .end = json_close,
				   .to = to,
				   .quote = "\"",
				   .null = "null" };
}

/* ------------------------------------------------------------------------------ C -- */

/* Where a line may end: at a newline in braces if they do not fit on one, at a \v if it is too
 * long. call_lay_out() decides. */
static void c_start(struct call_sink *k)
{
	if (k->index)
		fputs(k->nesting ? ",\n" : ",\v", k->to);
	if (k->key)
		fprintf(k->to, ".%s = ", k->key);
}

static void c_number(struct call_sink *k, uint64_t n)
{
	const struct call_value *v = k->v;

	if (v->is_context)
		fputs("(void *)", k->to);
	if (v->pointer) /* an out-parameter */
		fprintf(k->to, "&(%sint%u_t){ 0 }", v->kind == CALL_INT ? "" : "u", 8u * v->size);
	else if (v->kind == CALL_BE)
		fprintf(k->to, "%s(%" PRIu64 ")",
			v->size == 8   ? "htobe64"
			: v->size == 4 ? "htonl"
				       : "htons",
			n);
	else if (v->kind == CALL_INT || v->kind == CALL_FD || n <= 9999)
		plain_number(k->to, &(struct call_value){ .kind = v->kind }, n);
	else
		fprintf(k->to, n <= UINT32_MAX ? "0x%" PRIx64 "u" : "0x%" PRIx64 "ull", n);
}

static void c_words(struct call_sink *k, uint64_t n)
{
	const struct call_value *v = k->v;
	const struct call_word *w = v->kind == CALL_ENUM ? word_of(v->words, n) : NULL;

	if (v->kind == CALL_FLAGS)
		call_write_c_flags(k->to, v->words, n);
	else if (w)
		fputs(w->name, k->to);
	else
		plain_number(k->to, v, n);
}

static void c_object(struct call_sink *k, const void *object)
{
	fprintf(k->to, "(void *)%p", object);
}

void call_write_c_string(FILE *to, const void *data, size_t n)
{
	const unsigned char *c = data;
	unsigned column = 0;

	fputc('"', to);
	for (size_t i = 0; i < n; i++) {
		bool trigraph = c[i] == '?' && i && c[i - 1] == '?';

		if (column > 60) {
			fputs("\"\v\"", to);
			column = 0;
		}
		column += (unsigned)(c[i] < 0x80 && isprint(c[i])
					     ? fprintf(to, "%s%c",
						       c[i] == '"' || c[i] == '\\' || trigraph
							       ? "\\"
							       : "",
						       c[i])
					     : fprintf(to, "\\%03o", c[i]));
	}
	fputc('"', to);
}

static void c_numbers(FILE *to, const unsigned char *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(to, "%s%u", i ? ", " : "{ ", c[i]);
	fputs(" }", to);
}

static void c_bytes(struct call_sink *k, const void *data, size_t n)
{
	if (k->v->kind == CALL_BYTES)
		c_numbers(k->to, data, n);
	else
		call_write_c_string(k->to, data, n);
}

static void c_gid(struct call_sink *k, const union ibv_gid *gid)
{
	fputs(k->v->pointer ? "&(union ibv_gid){ .raw = " : "{ .raw = ", k->to);
	c_numbers(k->to, gid->raw, sizeof gid->raw);
	fputs(" }", k->to);
}

static void c_address(struct call_sink *k, const struct sockaddr *sa)
{
	const struct sockaddr_in6 *six = (const void *)sa;
	const struct sockaddr_in *four = (const void *)sa;

	if (sa->sa_family == AF_INET6) {
		fprintf(k->to,
			"(struct sockaddr *)&(struct sockaddr_in6){\n.sin6_family = "
			"AF_INET6,\n.sin6_port = htons(%u),\n.sin6_addr = { {",
			ntohs(six->sin6_port));
		c_numbers(k->to, six->sin6_addr.s6_addr, 16);
		fputs(" } }\n}", k->to);
	} else {
		fprintf(k->to,
			"(struct sockaddr *)&(struct sockaddr_in){\n.sin_family = "
			"AF_INET,\n.sin_port = htons(%u),\n.sin_addr = { htonl(0x%x) }\n}",
			ntohs(four->sin_port), ntohl(four->sin_addr.s_addr));
	}
}

static void c_open(struct call_sink *k, enum call_group group)
{
	const struct call_value *v = k->v;

	if (group == CALL_A_POINTER)
		fprintf(k->to, "&(struct %s)", v->of->name);
	else if (group == CALL_A_LIST && v->kind == CALL_OBJECTS)
		fprintf(k->to, "(struct %s *[])", call_objects[v->object].name);
	else if (group == CALL_A_LIST && v->of)
		fprintf(k->to, "(struct %s[])", v->of->name);
	else if (group == CALL_A_LIST)
		fprintf(k->to, "(uint%u_t[])", 8u * v->size);
	fputs("{\n", k->to);
	k->nesting++;
}

static void c_close(struct call_sink *k, enum call_group group)
{
	(void)group;
	k->nesting--;
	fputs(k->told ? "\n}" : "0\n}", k->to);
}

struct call_sink call_c_sink(FILE *to)
{
	return (struct call_sink){ .start = c_start,
				   .number = c_number,
				   .words = c_words,
				   .object = c_object,
				   .bytes = c_bytes,
				   .gid = c_gid,
				   .address = c_address,
				   .nothing = write_nothing,
				   .begin = c_open,
				   .end = c_close,
				   .to = to,
				   .null = "NULL",
				   .is_linked = true };
}

void call_begin_text(struct call_sink *k)
{
	if (k->start)
		k->start(k);
}

/* ------------------------------------------------------------------------- layout -- */

/* Behind the string that begins at p. */
static const char *past_string(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		p += *p == '\\' && p[1];
	return *p ? p + 1 : p;
}

/* Bytes of the braces that begin at p, with what follows till a line may end. */
static size_t length_of_group(const char *p)
{
	const char *at = p;
	unsigned depth = 0;

	do {
		if (*at == '"') {
			at = past_string(at);
			continue;
		}
		depth += *at == '{';
		depth -= *at == '}';
		at++;
	} while (*at && depth);
	return (size_t)(at - p) + strcspn(at, "\n\v{");
}

static void new_line(FILE *to, unsigned tabs, size_t *column)
{
	fputc('\n', to);
	for (unsigned i = 0; i < tabs; i++)
		fputc('\t', to);
	*column = 8 * (size_t)tabs;
}

void call_lay_out(FILE *to, const char *text, unsigned tabs, unsigned width)
{
	bool is_broken[64] = { false };
	unsigned depth = 0, in = tabs;
	size_t column = 8 * (size_t)tabs;

	for (const char *p = text; *p; p++) {
		const char *end = *p == '"' ? past_string(p) : p + 1;

		if (*p == '{' && depth + 1 < sizeof is_broken) {
			is_broken[++depth] = column + length_of_group(p) > width;
			in += is_broken[depth];
		}
		if (*p == '\n' && p[1] == '}' && is_broken[depth])
			new_line(to, in - 1, &column);
		else if (*p == '\n' && is_broken[depth])
			new_line(to, in, &column);
		else if (*p == '\v' && column + 1 + strcspn(p + 1, "\n\v{") > width)
			new_line(to, in + 2, &column);
		else if (*p == '\n' || *p == '\v')
			column += (size_t)fprintf(to, " ");
		else
			column += fwrite(p, 1, (size_t)(end - p), to);
		if (*p == '}' && depth) {
			in -= is_broken[depth];
			depth--;
		}
		p = end - 1;
	}
}
