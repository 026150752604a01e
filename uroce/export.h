/* SPDX-License-Identifier: MIT */
/* The symbols that a program sees of liburoce.so: everything else is hidden. */
#ifndef UROCE_EXPORT_H
#define UROCE_EXPORT_H

/* In front of the definition of a public function; preload/exports.map has its version. */
#define EXPORT __attribute__((visibility("default")))

#endif
