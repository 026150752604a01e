/* SPDX-License-Identifier: MIT */
/* The messages of rpc.proto, packed and read by libprotobuf-c. */
#ifndef CMDS_RPC_MESSAGE_H
#define CMDS_RPC_MESSAGE_H

#include <tcl.h>

#include "rpc.pb-c.h"

#define RPC_NAME_MAX 64 /* characters of a method's name */
#define RPC_ARGS_MAX 64 /* arguments of a call */

/* What is packed is the caller's to free; *len: its bytes. Values and arguments travel as UTF-8,
 * so that binary ones come back as they were. */
uint8_t *rpc_request_pack(uint64_t id, uint64_t answered, const char *method, Tcl_Obj *const args[],
			  size_t n, size_t *len);
uint8_t *rpc_value_pack(uint64_t id, Tcl_Obj *value, size_t *len);
/* code: a list, as -errorcode is. */
uint8_t *rpc_failure_pack(uint64_t id, const char *text, Tcl_Obj *code, size_t *len);

/* Reads what someone has sent: NULL when it is no message that either end may send. To be freed
 * by rpc_message_free(). */
Rpc__Message *rpc_message_read(const uint8_t *data, size_t n);
void rpc_message_free(Rpc__Message *m);

/* The value of bytes as they travel: a new object, reference count 0. */
Tcl_Obj *rpc_value_read(ProtobufCBinaryData bytes);
/* The text of an error from elsewhere, without control characters. */
Tcl_Obj *rpc_text_read(const char *text);

#endif
