#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""members.py CALLS DIRECTORY: writes members.c and hooks.map into the directory, from
CALLS/calls.table.

members.c has a function for each pointer that inline functions of the headers call ("through" in
the table), which notes the call and hands it on. hooks.map has the versions of the public
functions, which are those of wrappers.c."""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

from generate import NOTE, Table, Value  # noqa: E402

# The structs with pointers, by whose table of hooks that is.
STRUCTS = {"context": ("ibv_context", "verbs_context"), "qp": ("ibv_qp_ex", "qp_ex_with_flush"),
           "cq": ("ibv_cq_ex",), "wq": ("ibv_wq",)}
# Steps before the call; when it has returned, before it is noted; and after that.
BEFORE = {
    "ibv_post_send": "sums_post(qp, wr), failing_posted(qp, wr)",
    "ibv_wr_start": "sums_build(qp)",
    "ibv_wr_abort": "sums_build(qp)",
    "ibv_wr_set_sge": "sums_build_sges(qp, 1, &(struct ibv_sge){ addr, length, lkey })",
    "ibv_wr_set_sge_list": "sums_build_sges(qp, num_sge, sg_list)",
    "ibv_wr_complete": "sums_built(qp)",
}
WITHIN = {
    "ibv_post_send": "sums_posted(qp, result)",
    "ibv_wr_complete": "sums_posted(&qp->qp_base, result)",
    "ibv_poll_cq": "failing_polled(cq->context, result, wc), "
                   "sums_polled(cq->context, result, wc, the_call.from)",
    "ibv_start_poll": "failing_polled_ex(result), sums_polled_ex(cq, result, the_call.from)",
    "ibv_next_poll": "sums_polled_ex(cq, result, the_call.from)",
    "ibv_wc_read_imm_data": "sums_ask_flags(cq, the_call.from)",
}
# The requests of an extended QP that send memory of the program, as they are asked for.
SENDS = {"SEND", "SEND_WITH_IMM", "SEND_WITH_INV", "RDMA_WRITE", "RDMA_WRITE_WITH_IMM"}
AFTER = {
    "ibv_poll_cq": "hold_to_look(result, wc)",
    "ibv_start_poll": "hold_to_look_ex(result, cq)",
    "ibv_next_poll": "hold_to_look_ex(result, cq)",
}


class Member:
    """A pointer to a function."""

    def __init__(self, function):
        m = re.match(r"(\w+)\.([\w.]+)(?: with (.*))?$", function.mark("through"))
        self.function, self.struct, self.path = function, m.group(1), m.group(2)
        self.more = Value(m.group(3)) if m.group(3) else None
        self.table = next(t for t, structs in STRUCTS.items() if self.struct in structs)
        self.identifier = f"{self.table}_{self.path.replace('.', '_')}".upper()

    def place(self):
        """Where it is, from the object."""
        at = f"offsetof(struct {self.struct}, {self.path})"
        if self.struct == "verbs_context":
            at += " - offsetof(struct verbs_context, context)"
        return at

    def asked(self):
        """The bit of a QP that was created with it: the others may be behind its end."""
        word, _, number = (self.function.mark("asked") or "=0").partition("=")
        return number or "IBV_QP_EX_WITH_" + word

    def hooked(self):
        f = self.function
        first = f.args[0]
        of = first.name
        if self.table == "context" and first.of != "ibv_context":
            of += "->context"
        names, parameters = f.names(), f.public_parameters()
        if self.more:
            names, parameters = f"{names}, {self.more.name}", f"{parameters}, {self.more.declare()}"
        call = f"NEXT({of}, {self.identifier}, struct {self.struct}, {self.path})({names})"
        before = dict(BEFORE)
        if f.mark("asked"):
            sends = "true" if f.mark("asked") in SENDS else "false"
            before[f.name] = f"sums_build_request({of}, {sends}), failing_built({of})"
        done = [f"\t{what[f.name]};\n" if f.name in what else ""
                for what in (before, WITHIN, AFTER)]
        return (f"static {f.result.declare('hooked_' + self.identifier.lower())}({parameters})\n" +
                f.body(call, *done) + "\n")


def write_members(table, out):
    found = {}
    for f in table.functions:
        if f.mark("through"):  # two functions may call the same
            found.setdefault(f.mark("through"), Member(f))
    out.write(NOTE + '#include "newer.h"\n#include "call_fault.h"\n#include "call_record.h"\n#include "recorded.h"\n'
              '#include "failing.h"\n#include "hold.h"\n#include "hooks.h"\n#include "sums.h"\n\n'
              "/* The function that stood in the place of the pointer before. */\n"
              "#define NEXT(object, index, type, member) \\\n"
              "\t((__typeof__(((type *)0)->member))(void *)hooked_next(object, index))\n\n")
    for name in STRUCTS:
        members = [m for m in found.values() if m.table == name]
        out.write("enum {\n" + "".join(f"\t{m.identifier},\n" for m in members) + "};\n\n")
        for m in members:
            out.write(m.hooked())
        out.write(f"const struct hook hooks_of_{name}[] = {{\n")
        for m in members:
            out.write(f"\t{{ (ptrdiff_t)({m.place()}), {m.asked()}, "
                      f"(hook_fn *)(void *)hooked_{m.identifier.lower()} }},\n")
        out.write("\t{ 0 }\n};\n\n")


def write_map(table, out):
    versions = {}
    for f in table.functions + table.helpers:
        if f.version and "PRIVATE" not in f.version:
            versions.setdefault(f.version, []).append(f.name)
    out.write(NOTE + "/* Names that are not here are hidden, but for those without a version. */\n")
    for version in sorted(versions):
        hidden = "local:\n\trecorded_*;\n\tbackend_symbols;\n" if version == "IBVERBS_1.0" else ""
        names = "".join(f"\t{n};\n" for n in sorted(versions[version]))
        out.write(f"{version} {{\nglobal:\n{names}{hidden}}};\n\n")


def main():
    table = Table(os.path.join(sys.argv[1], "calls.table"))
    for name, write in (("members.c", write_members), ("hooks.map", write_map)):
        with open(os.path.join(sys.argv[2], name), "w", encoding="ascii") as out:
            write(table, out)


if __name__ == "__main__":
    main()
