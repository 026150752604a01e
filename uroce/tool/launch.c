/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "launch.h"
#include "uroce.h"

bool launch_loaded(void)
{
	return dlsym(RTLD_DEFAULT, "uroce_tap") != NULL;
}

const char *launch_devices(void)
{
	const char *devices = getenv("UROCE_DEVICES");

	if (!devices || !*devices)
		devices = getenv("UROCE_NAME"); /* until release 0.4 */
	return devices && *devices ? devices : UROCE_DEVICE;
}

const char *launch_device_name(void)
{
	static char name[64];
	const char *devices = launch_devices();

	snprintf(name, sizeof name, "%.*s", (int)strcspn(devices, ",:"), devices);
	return name;
}

bool launch_has_device(const char *name)
{
	const size_t n = strlen(name);

	for (const char *devices = launch_devices(); devices;
	     devices = strchr(devices, ',') ? strchr(devices, ',') + 1 : NULL)
		if (strcspn(devices, ",:") == n && strncmp(devices, name, n) == 0)
			return true;
	return false;
}

/* Relative to the folder of the program: in the build tree, then installed. */
static const char *const places[] = { "uroce", "../uroce", "vtrace/hooks", "../vtrace/hooks",
				      UROCE_BIN_TO_LIB };

int launch_find(const char *library, char *path, size_t size)
{
	char self[PATH_MAX], *dir;
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n < 0)
		return -1;
	self[n] = 0;
	dir = dirname(self);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if ((size_t)snprintf(path, size, "%s/%s/%s", dir, places[i], library) >= size) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (access(path, R_OK) == 0)
			return 0;
	}
	errno = ENOENT;
	return -1;
}

const char *launch_remedy(void)
{
	return access("/proc/self/exe", F_OK)
		       ? "/proc is not mounted here: mount -t proc proc /proc"
		       : "in a source tree 'cmake --build build' builds it; otherwise reinstall "
			 "the package";
}

/* A sanitizer's library must stay the first one. Returns its name if this program has one. */
static const char *find_sanitizer(void)
{
	static const char *const marks[] = { "__asan_init", "__tsan_init" };
	Dl_info lib, program;

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		void *mark = dlsym(RTLD_DEFAULT, marks[i]);

		if (mark && dladdr(mark, &lib) && dladdr((void *)launch_library, &program) &&
		    lib.dli_fbase != program.dli_fbase)
			return lib.dli_fname;
	}
	return NULL;
}

int launch_library(char *path, size_t size)
{
	return launch_find("liburoce.so", path, size);
}

/* The order in which libraries must be loaded: a sanitizer's, then those of vtrace, which must see
 * the calls before anybody answers them, then all others. */
static const char *const order[] = { "libasan.so",  "libtsan.so",   "libubsan.so",
				     "libclang_rt", "libvtrace.so", "libvtrace-memory.so",
				     NULL };

/* The place of a word of n bytes in that order. */
static unsigned load_order(const char *word, size_t n)
{
	const char *base = word;
	unsigned i = 0;

	for (size_t at = 0; at < n; at++)
		if (word[at] == '/')
			base = word + at + 1;
	while (order[i] && (strlen(order[i]) > (size_t)(word + n - base) ||
			    strncmp(base, order[i], strlen(order[i])) != 0))
		i++;
	return i;
}

/* Puts the word into a list of the environment, before everything that must be loaded after it. */
static int put_first(const char *variable, const char *word)
{
	const char *old = getenv(variable) ? getenv(variable) : "", *at = old;
	char *list;
	size_t n;
	int rc;

	while (*at) {
		n = strcspn(at, ": ");
		if (load_order(at, n) >= load_order(word, strlen(word)))
			break;
		at += n + (at[n] != '\0');
	}
	if (asprintf(&list, "%.*s%s%s%s%s", (int)(at - old), old,
		     at > old && at[-1] != ':' && at[-1] != ' ' ? ":" : "", word, *at ? ":" : "",
		     at) < 0)
		return -1;
	rc = setenv(variable, list, 1);
	free(list);
	return rc;
}

/* A program that is built with gcc's AddressSanitizer has that as a library, which wants to be the
 * first one. It need not be: those functions here that it takes over, of libvtrace-memory.so, go on
 * to it. Children, which may be programs of other kinds, get the same environment. */
static int allow_sanitizer(void)
{
	static const char word[] = "verify_asan_link_order=0";
	const char *old = getenv("ASAN_OPTIONS");
	char *list;
	int rc;

	if (old && strstr(old, "verify_asan_link_order"))
		return 0;
	if (asprintf(&list, "%s%s%s", word, old && *old ? ":" : "", old ? old : "") < 0)
		return -1;
	rc = setenv("ASAN_OPTIONS", list, 1);
	free(list);
	return rc;
}

/* ld.so splits LD_PRELOAD at blanks and colons, LD_LIBRARY_PATH at colons and semicolons. */
int launch_preload(const char *library)
{
	const char *first = find_sanitizer();
	char path[PATH_MAX];

	if (launch_find(library, path, sizeof path))
		return -1;
	if (strpbrk(path, ":;")) {
		errno = EINVAL;
		return -1;
	}
	if (strchr(path, ' ')) {
		if (put_first("LD_LIBRARY_PATH", dirname(path)))
			return -1;
		snprintf(path, sizeof path, "%s", library);
	}
	if (put_first("LD_PRELOAD", path) || allow_sanitizer())
		return -1;
	return first ? put_first("LD_PRELOAD", first) : 0;
}

int launch_prepare(void)
{
	return launch_preload("liburoce.so");
}

/* Opens the file that execvp(3) would run; -1: there is none. */
static int open_program(const char *program)
{
	const char *list = getenv("PATH"), *end;
	char path[PATH_MAX];

	if (strchr(program, '/'))
		return open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	for (; list; list = *end ? end + 1 : NULL) {
		end = strchrnul(list, ':');
		snprintf(path, sizeof path, "%.*s%s%s", (int)(end - list), list,
			 end == list ? "" : "/", program);
		if (access(path, X_OK) == 0)
			return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	return -1;
}

/* Is it a 64-bit program that the kernel loads without an interpreter? */
static bool is_static(int fd)
{
	Elf64_Phdr p;
	Elf64_Ehdr e;

	if (read(fd, &e, sizeof e) != sizeof e || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
	    e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_phentsize != sizeof p)
		return false;
	for (unsigned i = 0; i < e.e_phnum; i++)
		if (pread(fd, &p, sizeof p, (off_t)(e.e_phoff + i * sizeof p)) != sizeof p ||
		    p.p_type == PT_INTERP)
			return false;
	return true;
}

const char *launch_hindrance(const char *program)
{
	const int fd = open_program(program); /* it may be a FIFO */
	const char *why = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && ((st.st_mode & S_ISUID && st.st_uid != getuid()) ||
				    (st.st_mode & S_ISGID && st.st_gid != getgid())))
		why = "setuid, and the system loads nothing before it";
	else if (getuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		why = "a file with capabilities, and the system loads nothing before it";
	else if (is_static(fd))
		why = "statically linked, and loads no library";
	close(fd);
	return why;
}
