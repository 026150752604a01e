/* SPDX-License-Identifier: MIT */
#include "export/export_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "command/cmd.h"
#include "export/program.h"
#include "session.h"
#include "alloc.h"

/* It becomes the name of the target, too. */
int export_check_name(struct session *s, const char *path, const char *end)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(name), ends = strlen(end);

	if (len <= ends || strcmp(name + len - ends, end))
		return fail(s, "export", "EINVAL", "'%s': the name ends with %s", path, end);
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
			return fail(s, "export", "EINVAL",
				    "'%s': the name has letters, digits, '_', '-' and '.'", path);
	return 0;
}

void export_tell(const struct program *p, struct out *o)
{
	const char *line = Tcl_DStringValue(&p->warnings), *end;

	out_list(o, "warnings");
	for (; (end = strchr(line, '\n')); line = end + 1) {
		char *one = xasprintf("%.*s", (int)(end - line), line);

		out_str(o, NULL, one, "  note: %s\n", one);
		free(one);
	}
	out_end(o);
}
