/* SPDX-License-Identifier: MIT */
/* Access to Tcl dicts from untrusted sources: NULL for a missing key or a value that is not a dict.
 */
#ifndef SHELL_DICT_H
#define SHELL_DICT_H

#include <tcl.h>

/* The value of key, borrowed from the dict. */
static inline Tcl_Obj *dict_get(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *name = Tcl_NewStringObj(key, -1), *value = NULL;

	Tcl_IncrRefCount(name);
	if (Tcl_DictObjGet(NULL, dict, name, &value) != TCL_OK)
		value = NULL;
	Tcl_DecrRefCount(name);
	return value;
}

#endif
