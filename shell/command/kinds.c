/* SPDX-License-Identifier: MIT */
/* The kinds of arguments that are not specific to verbs: numbers, sizes, times, words, flags, text.
 * Numbers are decimal or begin with 0x, and all 64 unsigned bits are exact. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "alloc.h"
#include "command/cmd.h"
#include "session.h"

/* A century: in nanoseconds it fits in 64 bits. */
#define MS_MAX (UINT64_C(100) * 366 * 86400 * 1000)

/* Parses the number at the start of text; *end points after it. False: there is none. */
static bool scan_number(const char *text, const char **end, uint64_t *v, bool *fits)
{
	const char *digits = text + (*text == '-' || *text == '+');
	const bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	char *at;

	*end = text;
	if (!(is_hex ? isxdigit((unsigned char)digits[2]) : isdigit((unsigned char)*digits)))
		return false; /* strtoull(3) takes blanks and signs */
	errno = 0;
	*v = strtoull(digits, &at, is_hex ? 16 : 10);
	*fits = !errno && (*text != '-' || !*v);
	*end = at;
	return true;
}

bool args_number(const char *text, uint64_t *v, bool *fits)
{
	const char *end;

	return scan_number(text, &end, v, fits) && !*end;
}

/* Checks the range of a number. fits: it has 64 bits at most; bits: of its field, 0: it has a unit.
 */
static int check_range(struct session *s, const struct arg *a, const char *text, uint64_t v,
		       bool fits, unsigned bits)
{
	const bool is_negative = !fits && *text == '-';
	const uint64_t largest = a->max ? a->max : UINT64_MAX >> (bits ? 64 - bits : 0);
	const unsigned long long min = a->min, max = a->max;

	if (fits && v >= min && v <= largest)
		return 0;
	if (max)
		return args_bad(s, a, "%s is %snot between %llu and %llu", text,
				is_negative ? "negative, " : "", min, max);
	if (is_negative || (fits && v < min))
		return args_bad(s, a, min ? "%s is %s: at least %llu" : "%s is %s", text,
				is_negative ? "negative" : "too small", min);
	return bits ? args_bad(s, a, "%s does not fit in %u bits", text, bits)
		    : args_bad(s, a, "%s is too large", text);
}

static int parse_integer(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	struct num *num = dst;
	bool fits;

	if (!args_number(Tcl_GetString(word), &num->v, &fits))
		return args_bad(s, a, "'%s' is not a number", Tcl_GetString(word));
	num->set = true;
	return check_range(s, a, Tcl_GetString(word), num->v, fits, a->kind->bits);
}

static int parse_port(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	struct num *num = dst;
	bool fits;

	if (!args_number(Tcl_GetString(word), &num->v, &fits))
		return args_bad(s, a, "'%s' is not a port number", Tcl_GetString(word));
	if (!fits || num->v > UINT16_MAX)
		return args_bad(s, a, "%s is not a port: ports are 0 to 65535",
				Tcl_GetString(word));
	num->set = true;
	return 0;
}

/* The factor of a unit in the table; 0 if it is not there. */
static uint64_t unit_factor(const struct word *units, const char *unit)
{
	while (units->name && strcasecmp(units->name, unit) != 0)
		units++;
	return units->name ? units->value : 0;
}

/* Parses a number; a decimal number may have a unit from the table. */
static int parse_unit(struct session *s, const struct arg *a, Tcl_Obj *word, struct num *num,
		      const struct word *units, const char *what)
{
	const char *text = Tcl_GetString(word), *unit;
	bool fits, ok = scan_number(text, &unit, &num->v, &fits);
	uint64_t factor = 1;

	if (*unit)
		factor = strchr(text, 'x') || strchr(text, 'X') ? 0 : unit_factor(units, unit);
	if (!ok || !factor)
		return args_bad(s, a, "'%s' is not %s", text, what);
	fits = fits && !__builtin_mul_overflow(num->v, factor, &num->v);
	num->set = true;
	return check_range(s, a, text, num->v, fits, 0);
}

static int parse_size(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	static const struct word units[] = {
		{ "k", 1 << 10, NULL }, { "m", 1 << 20, NULL }, { "g", 1 << 30, NULL }, { 0 }
	};

	return parse_unit(s, a, word, dst, units, "a size such as 4096, 0x1000, 4K, 1M or 2G");
}

int args_size(struct session *s, const struct arg *a, const char *text, size_t len, uint64_t *v)
{
	const struct arg size = { .name = a->name, .kind = &kind_size };
	SCOPED_VALUE(word, Tcl_NewStringObj(text, (int)len));
	struct num num = { 0 };
	int rc = parse_size(s, &size, word, &num);

	*v = num.v;
	return rc;
}

static int parse_size_range(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	const char *text = Tcl_GetString(word), *dots = strstr(text, "..");
	struct size_range *range = dst;

	range->is_range = dots;
	if (args_size(s, a, text, dots ? (size_t)(dots - text) : strlen(text), &range->first))
		return -1;
	range->last = range->first;
	if (dots && args_size(s, a, dots + 2, strlen(dots + 2), &range->last))
		return -1;
	if (range->last < range->first || (dots && !range->first))
		return args_bad(s, a,
				"'%s': FIRST..LAST begins with 1 at least, and LAST is not less",
				text);
	return 0;
}

static int parse_ms(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	static const struct word units[] = { { "ms", 1, NULL }, { "s", 1000, NULL }, { 0 } };

	struct num *num = dst;

	if (parse_unit(s, a, word, dst, units, "a time such as 500, 500ms or 2s"))
		return -1;
	return num->v > MS_MAX ? args_bad(s, a, "%s is too large", Tcl_GetString(word)) : 0;
}

static int parse_switch(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	(void)s, (void)a, (void)word;
	*(bool *)dst = true;
	return 0;
}

int args_parse_str(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	Tcl_Size len;
	const char *text = Tcl_GetStringFromObj(word, &len);

	(void)a;
	*(const char **)dst = arena_copy0(&s->arena, text, (size_t)len);
	return 0;
}

/* Replaces Tcl's two-byte form of NUL (0xc0 0x80) by a zero byte. Returns the new length. */
static size_t restore_zeros(unsigned char *text, size_t len)
{
	size_t to = 0;

	for (size_t i = 0; i < len; i++) {
		text[to] = text[i];
		if (text[i] == 0xc0 && i + 1 < len && text[i + 1] == 0x80) {
			text[to] = 0;
			i++;
		}
		to++;
	}
	return to;
}

/* A copy: scripts that the command runs may change the value's internal representation. */
static int parse_bytes(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	struct bytes *b = dst;
	const unsigned char *data;
	bool text = false;
	unsigned char *copy;
	Tcl_Size len;

	(void)a;
	if (value_has_type(word, "bytearray")) {
		data = Tcl_GetByteArrayFromObj(word, &len);
	} else { /* text is sent as UTF-8 */
		data = (const unsigned char *)Tcl_GetStringFromObj(word, &len);
		text = true;
	}
	copy = arena_copy(&s->arena, data, (size_t)len);
	b->data = copy;
	b->len = text ? restore_zeros(copy, (size_t)len) : (size_t)len;
	return 0;
}

int args_parse_obj(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	(void)s, (void)a;
	*(Tcl_Obj **)dst = word;
	return 0;
}

/* Compares a name in the table with what a person types: "rdma-write" is RDMA_WRITE. */
static int fail_unknown_word(struct session *s, const struct arg *a, const char *typed)
{
	SCOPED_LIST(names);

	for (const struct word *w = a->data; w->name; w++)
		value_append(names, w->name);
	args_bad(s, a, "'%s' is not known%s", typed,
		 mistake_did_you_mean(cmd_suggest(typed, names)));
	return fail_row(s, "one of", "%s", Tcl_GetString(names));
}

int args_parse_enum(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	const struct word *w = word_find(a->data, Tcl_GetString(word));
	struct num *num = dst;

	if (!w)
		return fail_unknown_word(s, a, Tcl_GetString(word));
	num->v = w->value;
	num->set = true;
	return 0;
}

static int parse_flags(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	char *list = arena_copy0(&s->arena, Tcl_GetString(word), strlen(Tcl_GetString(word)));
	struct num *num = dst;
	char *save = NULL;

	num->v = 0;
	for (char *name = strtok_r(list, ",| ", &save); name; name = strtok_r(NULL, ",| ", &save)) {
		const struct word *w = word_find(a->data, name);

		if (!w)
			return fail_unknown_word(s, a, name);
		num->v |= w->value;
	}
	num->set = true;
	return 0;
}

static void complete_word_table(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s;
	for (const struct word *w = a->data; w->name; w++) {
		Tcl_Obj *name = Tcl_NewObj();

		for (const char *p = w->name; *p; p++) {
			char c = *p == '_' ? '-' : (char)tolower((unsigned char)*p);

			Tcl_AppendToObj(name, &c, 1);
		}
		Tcl_ListObjAppendElement(NULL, words, name);
	}
}

/* Not every file system tells the type; and of a link it is the target's that counts. */
static bool is_folder(DIR *in, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN && e->d_type != DT_LNK)
		return e->d_type == DT_DIR;
	return fstatat(dirfd(in), e->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

/* Completes names of files and directories, except names that would need quotes. */
static void complete_path(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	const char *typed = s->typed ? s->typed : "", *slash = strrchr(typed, '/');
	int head = slash ? (int)(slash - typed) + 1 : 0;
	char *dir = head ? xasprintf("%.*s", head, typed) : xstrdup(".");
	DIR *d = opendir(dir);

	(void)a;
	free(dir);
	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		if (e->d_name[0] == '.' && typed[head] != '.')
			continue;
		if (!strpbrk(e->d_name, " \t\n\"\\;$[]{}"))
			Tcl_ListObjAppendElement(NULL, words,
						 Tcl_ObjPrintf("%.*s%s%s", head, typed, e->d_name,
							       is_folder(d, e) ? "/" : ""));
	}
	if (d)
		closedir(d);
}

/* Completes the addresses of this machine, and the names in its /etc/hosts. */
static void complete_host(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	struct ifaddrs *all = NULL;
	char text[NI_MAXHOST];

	(void)s, (void)a;
	if (getifaddrs(&all) == 0)
		for (struct ifaddrs *i = all; i; i = i->ifa_next) {
			const sa_family_t family = i->ifa_addr ? i->ifa_addr->sa_family : AF_UNSPEC;
			const socklen_t len = family == AF_INET	   ? sizeof(struct sockaddr_in)
					      : family == AF_INET6 ? sizeof(struct sockaddr_in6)
								   : 0;

			if (len && getnameinfo(i->ifa_addr, len, text, sizeof text, NULL, 0,
					       NI_NUMERICHOST) == 0)
				value_append(words, text);
		}
	freeifaddrs(all);
	for (struct hostent *h = gethostent(); h; h = gethostent())
		value_append(words, h->h_name);
	endhostent();
}

static bool number_matches(struct session *s, const struct arg *a, Tcl_Obj *word)
{
	uint64_t v;
	bool fits;

	(void)s, (void)a;
	return args_number(Tcl_GetString(word), &v, &fits);
}

static bool size_matches(struct session *s, const struct arg *a, Tcl_Obj *word)
{
	(void)s, (void)a;
	return isdigit((unsigned char)*Tcl_GetString(word));
}

#define NUMBER(kind, word_, parse_, matches_, ...)                 \
	const struct arg_kind kind = { .word = word_,              \
				       .size = sizeof(struct num), \
				       .parse = parse_,            \
				       .matches = matches_,        \
				       .is_static = true,          \
				       __VA_ARGS__ }

NUMBER(kind_u8, "n", parse_integer, number_matches, .bits = 8);
NUMBER(kind_u16, "n", parse_integer, number_matches, .bits = 16);
NUMBER(kind_u32, "n", parse_integer, number_matches, .bits = 32);
NUMBER(kind_u64, "n", parse_integer, number_matches, .bits = 64);
NUMBER(kind_port, "port", parse_port, number_matches);
NUMBER(kind_size, "size", parse_size, size_matches);
NUMBER(kind_ms, "ms", parse_ms, size_matches);

const struct arg_kind kind_size_range = { .word = "n[..n]",
					  .size = sizeof(struct size_range),
					  .parse = parse_size_range,
					  .is_static = true };

static void complete_command(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	for (const struct cmd *const *c = cmd_table; *c; c++)
		Tcl_ListObjAppendElement(
			NULL, words, Tcl_NewStringObj((*c)->name, (int)strcspn((*c)->name, " ")));
}

const struct arg_kind kind_switch = { .word = "", .size = sizeof(bool), .parse = parse_switch };
const struct arg_kind kind_str = { .word = "text",
				   .size = sizeof(char *),
				   .parse = args_parse_str };
const struct arg_kind kind_path = { .word = "file",
				    .size = sizeof(char *),
				    .parse = args_parse_str,
				    .complete = complete_path };
const struct arg_kind kind_host = { .word = "host",
				    .size = sizeof(char *),
				    .parse = args_parse_str,
				    .complete = complete_host };
const struct arg_kind kind_bytes = { .word = "bytes",
				     .size = sizeof(struct bytes),
				     .parse = parse_bytes };
const struct arg_kind kind_obj = { .word = "value",
				   .size = sizeof(Tcl_Obj *),
				   .parse = args_parse_obj };
const struct arg_kind kind_command = { .word = "command",
				       .size = sizeof(Tcl_Obj *),
				       .parse = args_parse_obj,
				       .complete = complete_command };
const struct arg_kind kind_script = { .word = "script",
				      .size = sizeof(Tcl_Obj *),
				      .parse = args_parse_obj };
const struct arg_kind kind_expr = { .word = "condition",
				    .size = sizeof(Tcl_Obj *),
				    .parse = args_parse_obj };
const struct arg_kind kind_enum = { .word = "word",
				    .size = sizeof(struct num),
				    .parse = args_parse_enum,
				    .is_static = true,
				    .complete = complete_word_table };
const struct arg_kind kind_flags = { .word = "flag,...",
				     .size = sizeof(struct num),
				     .parse = parse_flags,
				     .is_static = true,
				     .complete = complete_word_table };
