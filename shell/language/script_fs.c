/* SPDX-License-Identifier: MIT */
/* A file system that exists for Tcl only, by which Tcl knows the name and line of what it
 * evaluates. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "alloc.h"
#include "language/interp.h"
#include "language/script.h"

#define VOLUME	  "//rdmash:/"	 /* the form that Tcl reserves for virtual file systems */
#define PATH_FORM VOLUME "%u/%u" /* number of the script's name, line */

/* ----------------------------------------------------------------------- names -- */

static Tcl_HashTable numbers; /* by name */
static const char **names;    /* its keys, by number from 1; 0: typed, without a name */
static unsigned n_names;

static unsigned intern_name(const char *name)
{
	Tcl_HashEntry *e;
	int is_new;

	if (!name)
		return 0;
	e = Tcl_CreateHashEntry(&numbers, name, &is_new);
	if (is_new) {
		names = xgrow(names, n_names + 1, sizeof *names);
		names[++n_names] = Tcl_GetHashKey(&numbers, e);
		Tcl_SetHashValue(e, (ClientData)(uintptr_t)n_names);
	}
	return (unsigned)(uintptr_t)Tcl_GetHashValue(e);
}

bool script_fs_place(const char *path, unsigned line, struct position *at)
{
	unsigned number, first;

	if (sscanf(path, PATH_FORM, &number, &first) != 2 || number > n_names || !line)
		return false;
	at->name = number ? names[number] : NULL;
	at->line = first + line - 1;
	return true;
}

/* --------------------------------------------------------------------- channel -- */

/* The text to be evaluated; Tcl reads all of it before it evaluates any. */
static struct {
	const char *part[2];
	size_t len[2];
} source_text;

static int channel_input(ClientData data, char *buf, int room, int *error)
{
	int done = 0;

	(void)data, (void)error;
	for (int i = 0; i < 2; i++) {
		size_t n = (size_t)(room - done) < source_text.len[i] ? (size_t)(room - done)
								      : source_text.len[i];

		if (!n)
			continue;
		memcpy(buf + done, source_text.part[i], n);
		source_text.part[i] += n;
		source_text.len[i] -= n;
		done += (int)n;
	}
	return done;
}

static int close_channel(ClientData data, Tcl_Interp *tcl, int flags)
{
	(void)data, (void)tcl;
	return flags ? EINVAL : 0; /* one side alone cannot be closed */
}

static void channel_watch(ClientData data, int mask)
{
	(void)data, (void)mask;
}

static int channel_handle(ClientData data, int direction, ClientData *handle)
{
	(void)data, (void)direction, (void)handle;
	return TCL_ERROR;
}

static const Tcl_ChannelType channel = { .typeName = "rdmash",
					 .version = TCL_CHANNEL_VERSION_5,
					 .closeProc = TCL_CLOSE2PROC,
					 .close2Proc = close_channel,
					 .inputProc = channel_input,
					 .watchProc = channel_watch,
					 .getHandleProc = channel_handle };

/* ----------------------------------------------------------------- file system -- */

static int path_is_ours(Tcl_Obj *path, ClientData *data)
{
	(void)data;
	return strncmp(Tcl_GetString(path), VOLUME, sizeof VOLUME - 1) == 0 ? TCL_OK : -1;
}

static int file_stat(Tcl_Obj *path, Tcl_StatBuf *st)
{
	(void)path;
	*st = (Tcl_StatBuf){ .st_mode = S_IFREG | 0400 };
	return 0;
}

static Tcl_Channel file_open_channel(Tcl_Interp *tcl, Tcl_Obj *path, int mode, int permissions)
{
	(void)tcl, (void)path, (void)mode, (void)permissions;
	return Tcl_CreateChannel(&channel, "rdmash", NULL, TCL_READABLE);
}

static Tcl_Obj *list_volumes(void)
{
	return Tcl_NewStringObj(VOLUME, -1);
}

static const Tcl_Filesystem file_system = { .typeName = "rdmash",
					    .structureLength = sizeof file_system,
					    .version = TCL_FILESYSTEM_VERSION_1,
					    .pathInFilesystemProc = path_is_ours,
					    .statProc = file_stat,
					    .openFileChannelProc = file_open_channel,
					    .listVolumesProc = list_volumes };

int script_fs_eval(Tcl_Interp *tcl, const struct position *at, const char *command, int len,
		   const char *tail)
{
	SCOPED_VALUE(path, Tcl_ObjPrintf(PATH_FORM, intern_name(at->name), at->line));

	source_text.part[0] = command;
	source_text.len[0] = (size_t)len;
	source_text.part[1] = tail;
	source_text.len[1] = tail ? strlen(tail) : 0;
	return Tcl_FSEvalFileEx(tcl, path, "utf-8");
}

void script_fs_init(void)
{
	Tcl_InitHashTable(&numbers, TCL_STRING_KEYS);
	Tcl_FSRegister(NULL, &file_system);
}

void script_fs_free(void)
{
	Tcl_FSUnregister(&file_system);
	Tcl_DeleteHashTable(&numbers);
	free(names);
	names = NULL;
	n_names = 0;
}
