/* SPDX-License-Identifier: MIT */
/* Lines of the source: from addresses in the code of a process, with its map of memory, which is
 * read while it lives. Debug information is read from the files by libdw, where vtrace is built
 * with it. */
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "heap.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#endif

struct module {
	uint64_t begin, end, offset;
	char *path;
};

struct places {
	int pid;
	struct module *v;
	unsigned n;
	char *maps; /* as it was read */
	size_t size;
#ifdef HAVE_LIBDW
	Dwfl *dwfl; /* NULL: not begun */
#endif
};

/* ---------------------------------------------------------------------- the modules -- */

static void forget_modules(struct places *p)
{
#ifdef HAVE_LIBDW
	if (p->dwfl)
		dwfl_end(p->dwfl);
	p->dwfl = NULL;
#endif
	for (unsigned i = 0; i < p->n; i++)
		free(p->v[i].path);
	free(p->v);
	free(p->maps);
	p->v = NULL;
	p->maps = NULL;
	p->n = 0;
}

static void add_module(struct places *p, const char *line)
{
	struct module m;
	char rights[5], path[4096] = "";

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %4095[^\n]", &m.begin,
		   &m.end, rights, &m.offset, path) < 4 ||
	    rights[2] != 'x' || *path != '/')
		return;
	m.path = xstrdup(path);
	p->v = xgrow(p->v, p->n, sizeof *p->v);
	p->v[p->n++] = m;
}

/* Reads the map anew. What was known stays if the process has ended. */
static void read_modules(struct places *p)
{
	char path[64], *maps = NULL, line[4352];
	size_t size;
	FILE *from, *to;

	snprintf(path, sizeof path, "/proc/%d/maps", p->pid);
	from = fopen(path, "re");
	if (!from)
		return;
	to = xmemstream(&maps, &size);
	while (fgets(line, sizeof line, from))
		fputs(line, to);
	fclose(from);
	fclose(to);
	if (!size) { /* it is ending */
		free(maps);
		return;
	}
	forget_modules(p);
	p->maps = maps;
	p->size = size;
	for (const char *at = maps; *at; at += strcspn(at, "\n") + 1)
		add_module(p, at);
}

struct places *places_new(int pid)
{
	struct places *p = xcalloc(1, sizeof *p);

	p->pid = pid;
	read_modules(p);
	return p;
}

void places_free(struct places *p)
{
	if (!p)
		return;
	forget_modules(p);
	free(p);
}

static const struct module *find_module(const struct places *p, uint64_t address)
{
	for (unsigned i = 0; i < p->n; i++)
		if (address >= p->v[i].begin && address < p->v[i].end)
			return &p->v[i];
	return NULL;
}

void places_learn(struct places *p, struct record_from from)
{
	if (from.at && !find_module(p, from.at))
		read_modules(p);
}

/* ------------------------------------------------------------------- debug information -- */

#ifdef HAVE_LIBDW
/* Is it a function of the headers of the libraries, which is in the code of the program? */
static bool is_of_header(const char *function)
{
	return function &&
	       (strncmp(function, "ibv_", 4) == 0 || strncmp(function, "rdma_", 5) == 0 ||
		strncmp(function, "_ibv_", 5) == 0 || strncmp(function, "__ibv_", 6) == 0);
}

static void begin_dwfl(struct places *p)
{
	static char *debuginfo_path;
	static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_linux_proc_find_elf,
						  .find_debuginfo = dwfl_standard_find_debuginfo,
						  .debuginfo_path = &debuginfo_path };
	FILE *maps = p->maps ? fmemopen(p->maps, p->size, "r") : NULL;

	if (!maps)
		return;
	p->dwfl = dwfl_begin(&callbacks);
	if (p->dwfl) {
		dwfl_report_begin(p->dwfl);
		dwfl_linux_proc_maps_report(p->dwfl, maps);
		dwfl_report_end(p->dwfl, NULL, NULL);
	}
	fclose(maps);
}

/* The place in the source where the code at pc was written: of what was inlined from a header,
 * where that was called. */
struct source {
	const char *file, *function;
	int line;
};

static const char *file_of_call(Dwarf_Die *cu, Dwarf_Die *scope)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t n;

	if (dwarf_getsrcfiles(cu, &files, &n) ||
	    dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attr), &number))
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* The scopes around the innermost at pc, as they lie in the code. To be freed. */
static int scopes_at(Dwarf_Die *cu, Dwarf_Addr pc, Dwarf_Die **scopes)
{
	Dwarf_Die *found = NULL;
	int n = dwarf_getscopes(cu, pc, &found);

	/* behind an inlined function these are the scopes in which it is written */
	n = n > 0 ? dwarf_getscopes_die(&found[0], scopes) : 0;
	free(found);
	return n;
}

static void leave_headers(Dwarf_Die *cu, Dwarf_Addr pc, struct source *s)
{
	Dwarf_Die *scopes = NULL;
	Dwarf_Attribute attr;
	Dwarf_Word line;
	const int n = scopes_at(cu, pc, &scopes);

	s->function = NULL;
	for (int i = 0; i < n; i++) {
		const int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		s->function = dwarf_diename(&scopes[i]);
		if (tag == DW_TAG_subprogram || !is_of_header(s->function))
			break;
		if (dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attr), &line) == 0) {
			s->file = file_of_call(cu, &scopes[i]);
			s->line = (int)line;
		}
	}
	free(scopes);
}

/* false: there is no debug information. */
static bool find_source(struct places *p, uint64_t address, struct source *s)
{
	Dwfl_Module *module;
	Dwarf_Addr bias;
	Dwfl_Line *line;
	Dwarf_Die *cu;

	if (!p->dwfl)
		begin_dwfl(p);
	/* the address behind the call may be that of the next line */
	module = p->dwfl ? dwfl_addrmodule(p->dwfl, address - 1) : NULL;
	if (!module)
		return false;
	line = dwfl_module_getsrc(module, address - 1);
	s->file = line ? dwfl_lineinfo(line, NULL, &s->line, NULL, NULL, NULL) : NULL;
	cu = dwfl_module_addrdie(module, address - 1, &bias);
	if (cu)
		leave_headers(cu, address - 1 - bias, s);
	if (!s->function)
		s->function = dwfl_module_addrname(module, address - 1);
	return s->file;
}

static const char *source_text(struct places *p, struct record_from from)
{
	struct source s = { 0 }, above = { 0 };

	if (!find_source(p, from.at, &s))
		return NULL;
	if (is_of_header(s.function) && from.above && find_source(p, from.above, &above))
		s = above;
	return temp_text("%s:%d%s%s%s", s.file, s.line, s.function ? " in " : "",
			 s.function ? s.function : "", s.function ? "()" : "");
}
#else
static const char *source_text(struct places *p, struct record_from from)
{
	(void)p, (void)from;
	return NULL;
}
#endif

const char *places_text(struct places *p, struct record_from from)
{
	const struct module *m;
	const char *source, *name;

	if (!from.at)
		return "";
	places_learn(p, from);
	source = source_text(p, from);
	m = find_module(p, from.at);
	if (source || !m)
		return source ? source : temp_text("0x%" PRIx64, from.at);
	name = strrchr(m->path, '/') + 1;
	return temp_text("%s+0x%" PRIx64, name, from.at - 1 - m->begin + m->offset);
}
