/* SPDX-License-Identifier: MIT */
/* Debug information, read by libdw in a process of its own: what a traced program, or who can write
 * its files, has put into them may crash libdw, or keep it for ever. */
#include "check_source.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#define TEXT_MAX    4096
#define PATIENCE_MS 5000 /* with the files of a large program on a slow disk */

/* The place in the source where the code at pc was written: of what was inlined from a header,
 * where that was called. */
struct source {
	const char *file, *function;
	int line;
};

/* Is it of the headers of a library, which are in the code of the program? */
static bool is_of_header(const struct source *s)
{
	const char *f = s->function;

	return (s->file && strncmp(s->file, "/usr/", 5) == 0) ||
	       (f && (strncmp(f, "ibv_", 4) == 0 || strncmp(f, "rdma_", 5) == 0 ||
		      strncmp(f, "_ibv_", 5) == 0 || strncmp(f, "__ibv_", 6) == 0));
}

static Dwfl *begin_dwfl(char *text, size_t size)
{
	static char *debuginfo_path;
	static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_linux_proc_find_elf,
						  .find_debuginfo = dwfl_standard_find_debuginfo,
						  .debuginfo_path = &debuginfo_path };
	FILE *maps = fmemopen(text, size, "r");
	Dwfl *dwfl = maps ? dwfl_begin(&callbacks) : NULL;

	if (dwfl) {
		dwfl_report_begin(dwfl);
		dwfl_linux_proc_maps_report(dwfl, maps);
		dwfl_report_end(dwfl, NULL, NULL);
	}
	if (maps)
		fclose(maps);
	return dwfl;
}

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
		if (tag == DW_TAG_subprogram || !is_of_header(s))
			break;
		if (dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attr), &line) == 0) {
			s->file = file_of_call(cu, &scopes[i]);
			s->line = (int)line;
		}
	}
	free(scopes);
}

/* The unit of an address. libdw finds it by .debug_aranges, which clang does not write: then each
 * unit is asked. */
static Dwarf_Die *unit_at(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *cu = dwfl_module_addrdie(module, address, bias);

	if (cu)
		return cu;
	while ((cu = dwfl_module_nextcu(module, cu, bias)))
		if (dwarf_haspc(cu, address - *bias) > 0)
			break;
	return cu;
}

/* false: there is no debug information. */
static bool find_source(Dwfl *dwfl, uint64_t address, struct source *s)
{
	Dwfl_Module *module;
	Dwarf_Addr bias;
	Dwarf_Line *line;
	Dwarf_Die *cu;

	/* the address behind the call may be that of the next line */
	module = dwfl_addrmodule(dwfl, address - 1);
	if (!module)
		return false;
	cu = unit_at(module, address - 1, &bias);
	line = cu ? dwarf_getsrc_die(cu, address - 1 - bias) : NULL;
	if (line) {
		s->file = dwarf_linesrc(line, NULL, NULL);
		dwarf_lineno(line, &s->line);
		leave_headers(cu, address - 1 - bias, s);
	}
	if (!s->function)
		s->function = dwfl_module_addrname(module, address - 1);
	return s->file;
}

/* main() and the first function of a thread are called by libc. */
static bool is_of_one_module(Dwfl *dwfl, struct record_from from)
{
	return from.above &&
	       dwfl_addrmodule(dwfl, from.at - 1) == dwfl_addrmodule(dwfl, from.above - 1);
}

static const char *text_of(const struct source *s)
{
	return temp_text("%s:%d%s%s%s", s->file, s->line, s->function ? " in " : "",
			 s->function ? s->function : "", s->function ? "()" : "");
}

/* "ring.c:29 in post_write(), called at ring.c:41 in main()"; "" if there is none. */
static const char *source_text(Dwfl *dwfl, struct record_from from)
{
	struct source s = { 0 }, above = { 0 };

	if (!find_source(dwfl, from.at, &s))
		return "";
	if (!is_of_one_module(dwfl, from) || !find_source(dwfl, from.above, &above))
		return text_of(&s);
	return is_of_header(&s) ? text_of(&above)
				: temp_text("%s, called at %s", text_of(&s), text_of(&above));
}

/* ---------------------------------------------------------------- in a process of its own -- */

static _Noreturn void answer(int fd, char *maps, size_t size)
{
	static const int ignored[] = {
		SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM
	};
	struct record_from from;
	const char *text;
	Dwfl *dwfl;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN); /* those of the terminal are for the program */
	dwfl = begin_dwfl(maps, size);
	while (recv(fd, &from, sizeof from, 0) == sizeof from) {
		text = dwfl ? source_text(dwfl, from) : "";
		send(fd, text, strnlen(text, TEXT_MAX - 1) + 1, MSG_NOSIGNAL);
	}
	_exit(0);
}

static void begin(struct source_reader *s, char *maps, size_t size)
{
	int fds[2];

	*s = (struct source_reader){ .fd = -1, .is_begun = true };
	if (!maps || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return;
	s->pid = fork();
	if (s->pid == 0) {
		close(fds[0]);
		answer(fds[1], maps, size);
	}
	close(fds[1]);
	s->fd = fds[0];
}

void check_source_end(struct source_reader *s)
{
	if (s->is_begun && s->fd >= 0)
		close(s->fd);
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*s = (struct source_reader){ 0 };
}

const char *check_source_find(struct source_reader *s, char *maps, size_t size,
			      struct record_from from)
{
	struct pollfd ready = { .fd = s->fd, .events = POLLIN };
	char text[TEXT_MAX];
	ssize_t n = -1;
	int rc;

	if (!s->is_begun)
		begin(s, maps, size);
	if (s->fd < 0)
		return NULL;
	if (send(s->fd, &from, sizeof from, MSG_NOSIGNAL) == sizeof from) {
		do
			rc = poll(&ready, 1, PATIENCE_MS);
		while (rc < 0 && errno == EINTR);
		n = rc > 0 ? recv(s->fd, text, sizeof text, 0) : -1;
	}
	if (n <= 0) {
		check_source_end(s);
		*s = (struct source_reader){ .fd = -1, .is_begun = true };
		return NULL;
	}
	text[n - 1] = '\0';
	return *text ? temp_text("%s", text) : NULL;
}

#else
void check_source_end(struct source_reader *s)
{
	(void)s;
}

const char *check_source_find(struct source_reader *s, char *maps, size_t size,
			      struct record_from from)
{
	(void)s, (void)maps, (void)size, (void)from;
	return NULL;
}
#endif
