/* SPDX-License-Identifier: MIT */
/* A library that only the RUNPATH of dlopen_test leads to. */
__attribute__((visibility("default"))) int only_by_runpath(void);

int only_by_runpath(void)
{
	return 1;
}
