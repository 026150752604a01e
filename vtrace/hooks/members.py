#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""members.py INCLUDE BASE NAMES: writes members.c and hooks.map beside it. INCLUDE, BASE and
NAMES as for calls/wrappers.py.

members.c has a function for each pointer of a struct that the inline functions of the headers
call, which notes the call and hands it on. hooks.map has the versions of the public functions,
which calls/wrappers.c has."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = os.path.join(HERE, "..", "..", "calls")
sys.path.insert(0, CALLS)

import clang.cindex as cl  # noqa: E402

import describe  # noqa: E402
from wrappers import Function, declare  # noqa: E402

NOTE = "Written by members.py from the headers of rdma-core; not to be edited."

# The structs with pointers, where they are from the object, and whose table that is.
STRUCTS = [
    ("context", "struct ibv_context_ops", "offsetof(struct ibv_context, ops.{})"),
    ("context", "struct verbs_context",
     "offsetof(struct verbs_context, {}) - offsetof(struct verbs_context, context)"),
    ("qp", "struct ibv_qp_ex", "offsetof(struct ibv_qp_ex, {})"),
    ("cq", "struct ibv_cq_ex", "offsetof(struct ibv_cq_ex, {})"),
    ("wq", "struct ibv_wq", "offsetof(struct ibv_wq, {})"),
]
# What is not called as the member is.
NAMES = {"query_rt_values": "ibv_query_rt_values_ex", "ibv_destroy_flow": "ibv_destroy_flow",
         "ibv_create_flow": "ibv_create_flow"}
# A QP has those pointers that it was asked for; the others may be behind its end.
ASKED = {"wr_atomic_cmp_swp": "ATOMIC_CMP_AND_SWP", "wr_atomic_fetch_add": "ATOMIC_FETCH_AND_ADD",
         "wr_rdma_write_imm": "RDMA_WRITE_WITH_IMM", "wr_send_imm": "SEND_WITH_IMM",
         "wr_send_inv": "SEND_WITH_INV", "wr_send_tso": "TSO"}
# What is made has pointers itself.
THEN = {"ibv_create_qp_ex": "hook_qp(result, qp_init_attr_ex)",
        "ibv_create_cq_ex": "hook_cq(result)", "ibv_create_wq": "hook_wq(result)"}
# What is done after the call was noted.
AFTER = {
    "ibv_poll_cq": "hold_to_look(result, wc)",
    "ibv_start_poll": "hold_to_look_ex(result, object)",
    "ibv_next_poll": "hold_to_look_ex(result, object)",
}
# What the oldest headers do not have: where it is, and the struct that has it.
NEWER = {"wr_flush": ("WR_FLUSH_AT", "struct qp_ex_with_flush")}


class Member:
    """A pointer to a function."""

    def __init__(self, table, struct, place, c, known):
        self.table, self.struct, self.name = table, struct, c.spelling
        self.place = place.format(self.name)
        if self.name in NEWER:
            self.place, self.struct = NEWER[self.name]
        proto = c.type.get_canonical().get_pointee()
        self.result = proto.get_result().spelling
        self.void = proto.get_result().kind == cl.TypeKind.VOID
        self.pointer = proto.get_result().kind == cl.TypeKind.POINTER
        params = [p for p in c.get_children() if p.kind == cl.CursorKind.PARM_DECL]
        self.args = [(p.type.spelling, "object" if p.spelling == "current" else p.spelling)
                     for p in params]
        self.pointers = [Function.is_pointer(p.type) for p in params]
        self.row = next((n for n in self.candidates() if n in known), None)

    def candidates(self):
        name = self.name
        if self.table == "wq":
            return ["ibv_post_wq_recv"]
        return [NAMES.get(name, ""), "ibv_" + name, "ibv_wc_" + name]

    def asked(self):
        m = re.match(r"wr_(?!set_|start$|complete$|abort$)(\w+)$", self.name)
        if self.table != "qp" or not m:
            return "0"
        if self.name == "wr_flush":
            return "1 << 11 /* IBV_QP_EX_WITH_FLUSH */"
        return "IBV_QP_EX_WITH_" + ASKED.get(self.name, m.group(1).upper())

    def identifier(self):
        return f"{self.table}_{self.name}"

    def body(self, nargs):
        names = [n for _, n in self.args]
        first = names[0]
        context = self.table == "context" and self.args[0][0] != "struct ibv_context *"
        of = f"{first}->context" if context else first
        values = ", ".join(f"(uintptr_t){n}" if p else f"(uint64_t){n}"
                           for n, p in list(zip(names, self.pointers))[:nargs])

        call = f"NEXT({of}, {self.identifier()}, {self.struct}, {self.name})({', '.join(names)})"
        params = ", ".join(declare(t, n) for t, n in self.args)
        out = [f"static {declare(self.result, 'hooked_' + self.identifier())}({params})", "{",
               f"\tconst uint64_t the_args[] = {{ {values} }};", "\tstruct record_call the_call;"]
        if not self.void:
            out.append(f"\t{declare(self.result, 'result')};")
        out += ["", f"\trecord_begin(&the_call, ROW_{self.row}, the_args);",
                f"\t{'' if self.void else 'result = '}{call};"]
        if self.row in THEN:
            out.append(f"\t{THEN[self.row]};")
        value = "0" if self.void else "(uintptr_t)result" if self.pointer else "(uint64_t)result"
        out.append(f"\trecord_end(&the_call, {value});")
        if self.row in AFTER:
            out.append(f"\t{AFTER[self.row]};")
        if not self.void:
            out.append("\treturn result;")
        return "\n".join(out) + "\n}\n"


def members(new, base):
    known = new.functions
    for table, struct, place in STRUCTS:
        name = struct.split()[1]
        old = {f.spelling for f in base.structs[name].get_children()}
        for c in new.structs[name].get_children():
            is_function = (c.kind == cl.CursorKind.FIELD_DECL and
                           c.type.get_canonical().kind == cl.TypeKind.POINTER and
                           c.type.get_canonical().get_pointee().kind == cl.TypeKind.FUNCTIONPROTO)
            if not is_function or c.spelling.startswith(("_compat", "ABI_")):
                continue
            if c.spelling not in old and c.spelling not in NEWER:
                sys.exit(f"members.py: {struct} has {c.spelling}, which {base.include} has not")
            m = Member(table, struct, place, c, known)
            if not m.row:
                sys.exit(f"members.py: nobody calls {c.spelling} of {struct}")
            yield m


def write_members(new, base, out):
    found = list(members(new, base))
    out.write("/* SPDX-License-Identifier: MIT */\n/* " + NOTE + " */\n/* clang-format off */\n"
              '#include "newer.h"\n#include "call_record.h"\n#include "recorded.h"\n'
              '#include "hold.h"\n#include "hooks.h"\n\n'
              "enum {\n")
    for table in dict.fromkeys(m.table for m in found):
        ids = [m.identifier().upper() for m in found if m.table == table]
        out.write("".join(f"\t{n},\n" for n in ids[:1]).replace(",", " = 0,"))
        out.write("".join(f"\t{n},\n" for n in ids[1:]))
    out.write("};\n\n/* What stood in the place of the pointer before. */\n"
              "#define NEXT(object, id, type, member) \\\n"
              "\t((__typeof__(((type *)0)->member))(void *)hooked_next(object, INDEX_##id))\n")
    out.write("".join(f"#define INDEX_{m.identifier()} {m.identifier().upper()}\n" for m in found))
    out.write("\n")
    for m in found:
        function = new.functions[m.row][0]
        out.write(m.body(min(len(m.args), len(list(function.get_arguments())))) + "\n")
    for table in dict.fromkeys(m.table for m in found):
        out.write(f"const struct hook hooks_of_{table}[] = {{\n")
        for m in found:
            if m.table == table:
                out.write(f"\t{{ (ptrdiff_t)({m.place}), {m.asked()}, "
                          f"(hook_fn *)(void *)hooked_{m.identifier()} }},\n")
        out.write("\t{ 0 }\n};\n\n")


def write_map(names, functions, out):
    versions = {}
    for line in names:
        name, _, version = line.split()
        row = name if name in functions else name.removeprefix("_")
        if row in functions and re.match(r"(IBVERBS|RDMACM)_[0-9.]+$", version):
            versions.setdefault(version, []).append(name)
    out.write(f"/* {NOTE} What is not named is hidden, but for what has no version. */\n")
    for version in sorted(versions, key=lambda v: (v.split("_")[0],
                                                  [int(n) for n in v.split("_")[1].split(".")])):
        hidden = "local:\n\trecorded_*;\n\tbackend_symbols;\n" if version == "IBVERBS_1.0" else ""
        out.write(f"{version} {{\nglobal:\n" + "".join(f"\t{n};\n" for n in sorted(versions[version])) +
                  hidden + "};\n\n")


def main():
    new, base = describe.Headers(sys.argv[1]), describe.Headers(sys.argv[2])
    with open(os.path.join(HERE, "members.c"), "w", encoding="ascii") as out:
        write_members(new, base, out)
    with open(sys.argv[3], encoding="ascii") as names, \
         open(os.path.join(HERE, "hooks.map"), "w", encoding="ascii") as out:
        write_map(names, new.functions, out)


if __name__ == "__main__":
    main()
