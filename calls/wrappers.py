#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""wrappers.py INCLUDE BASE NAMES: writes wrappers.c and recorded.h, in which every function of
the table notes itself in the record. INCLUDE and BASE as for describe.py; NAMES is the list of
the newest release, which has the versions of symbols."""
import sys

import clang.cindex as cl

import describe
from describe import Headers, is_inline

NOTE = "/* Written by wrappers.py from the headers of rdma-core; not to be edited. */"

# What a macro of the header makes of a function: the arguments are other ones.
MACROS = {
    "ibv_query_port": [("struct ibv_context *", "context"), ("uint8_t", "port_num"),
                       ("struct ibv_port_attr *", "port_attr")],
    "ibv_reg_mr": [("struct ibv_pd *", "pd"), ("void *", "addr"), ("size_t", "length"),
                   ("int", "access")],
    "ibv_reg_mr_iova": [("struct ibv_pd *", "pd"), ("void *", "addr"), ("size_t", "length"),
                        ("uint64_t", "iova"), ("int", "access")],
}
# What inline functions call besides: handed on as it is.
HANDED_ON = ["_ibv_query_gid_ex", "_ibv_query_gid_table"]


def declare(kind, name):
    if kind.endswith("]"):
        return kind.replace("[", f" {name}[", 1)
    return kind + name if kind.endswith("*") else f"{kind} {name}"


class Function:
    def __init__(self, name, c, base):
        self.name, self.inline, self.newer = name, is_inline(c), name not in base.functions
        self.result = c.result_type.spelling
        self.void = c.result_type.get_canonical().kind == cl.TypeKind.VOID
        self.pointer = c.result_type.get_canonical().kind == cl.TypeKind.POINTER
        self.args = [(self.argument(a.type), a.spelling) for a in c.get_arguments()]
        self.pointers = [self.is_pointer(a.type) for a in c.get_arguments()]

    @staticmethod
    def is_pointer(t):
        return t.get_canonical().kind in (cl.TypeKind.POINTER, cl.TypeKind.CONSTANTARRAY,
                                          cl.TypeKind.INCOMPLETEARRAY)

    @staticmethod
    def argument(t):
        """As it is written; an array is a pointer."""
        c = t.get_canonical()
        if c.kind in (cl.TypeKind.CONSTANTARRAY, cl.TypeKind.INCOMPLETEARRAY):
            size = f"[{c.element_count}]" if c.kind == cl.TypeKind.CONSTANTARRAY else "[]"
            return c.element_type.spelling + size
        return t.spelling

    def parameters(self, args=None):
        return ", ".join(declare(t, n) for t, n in args or self.args) or "void"

    def body(self, row, call, args=None, pointers=None, loads=False):
        names = [n for _, n in args or self.args]
        values = ", ".join(f"(uintptr_t){n}" if p else f"(uint64_t){n}"
                           for n, p in zip(names, pointers or self.pointers))
        call = f"{call}({', '.join(names)})"
        lines = [f"\tconst uint64_t the_args[] = {{ {values or 0} }};",
                 "\tstruct record_call the_call;"]
        if not self.void:
            lines.append(f"\t{declare(self.result, 'result')};")
        lines.append("")
        if loads: # before the call begins: that may take milliseconds
            lines.append("\tbackend_need();")
        lines += [f"\trecord_begin(&the_call, ROW_{row}, the_args);",
                  f"\t{'' if self.void else 'result = '}{call};"]
        value = "0" if self.void else "(uintptr_t)result" if self.pointer else "(uint64_t)result"
        lines.append(f"\trecord_end(&the_call, {value});")
        if not self.void:
            lines.append("\treturn result;")
        return "{\n" + "\n".join(lines) + "\n}\n"

    def missing(self):
        """What a library that does not have it is taken to say."""
        lines = [f"static {declare(self.result, 'missing_' + self.name)}({self.parameters()})", "{"]
        lines += [f"\t(void){n};" for _, n in self.args]
        lines.append("\terrno = ENOSYS;")
        if self.pointer:
            lines.append("\treturn NULL;")
        elif not self.void:
            lines.append("\treturn ENOSYS;")
        return "\n".join(lines) + "\n}\n"


def rows(functions):
    return "\n".join(f"\tROW_{name}," for name in functions)


def write_source(functions, handed_on, versions, out):
    externs = [f for f in functions if not f.inline] + handed_on
    out.write("/* SPDX-License-Identifier: MIT */\n" + NOTE + "\n/* clang-format off */\n"
              '#include <errno.h>\n#include <stddef.h>\n\n#include "newer.h"\n'
              '#include "call_record.h"\n#include "backend.h"\n#include "recorded.h"\n\n')
    for name in sorted({f.name for f in functions if f.inline} | set(MACROS)):
        out.write(f"#undef {name}\n")
    out.write("\n/* The functions of the libraries. */\nstatic struct {\n")
    for f in externs:
        out.write(f"\t{declare(f.result, '(*' + f.name + ')')}({f.parameters()});\n")
    out.write("} real;\n\n")
    for f in externs:
        if f.newer:
            out.write(f.missing() + "\n")
    out.write("const struct backend_symbol backend_symbols[] = {\n")
    for f in externs:
        version = versions.get(f.name, "")
        missing = f"(void *)missing_{f.name}" if f.newer else "NULL"
        out.write(f'\t{{ "{f.name}", "{version}", &real.{f.name}, {missing} }},\n')
    out.write("\t{ 0 }\n};\n\n")
    for f in functions:
        if f.inline:
            out.write(f"{declare(f.result, 'recorded_' + f.name)}({f.parameters()})\n")
            out.write(f.body(f.name, f.name) + "\n")
            continue
        out.write(f"{declare(f.result, '(' + f.name + ')')}({f.parameters()})\n")
        out.write(f.body(f.name, f"real.{f.name}", loads=True) + "\n")
    for f in handed_on:
        names = ", ".join(n for _, n in f.args)
        out.write(f"{declare(f.result, f.name)}({f.parameters()})\n{{\n"
                  f"\tbackend_need();\n\treturn real.{f.name}({names});\n}}\n\n")
    # last, with the macros of the header, which were undone above
    for f in functions:
        if f.name in MACROS:
            args = MACROS[f.name]
            pointers = [t.endswith("*") for t, _ in args]
            inner = {"ibv_query_port": "___ibv_query_port"}.get(f.name, f.name)
            call = inner
            text = f.body(f.name, call, args, pointers)
            if inner == f.name:  # the macro asks whether access is a constant: it is not
                names = ", ".join(n for _, n in args)
                text = text.replace(f"{inner}({names})", f"__{inner}({names}, 0)")
            out.write(f"{declare(f.result, 'recorded_' + f.name)}({f.parameters(args)})\n{text}\n")


def write_header(functions, out):
    out.write("/* SPDX-License-Identifier: MIT */\n" + NOTE + "\n/* clang-format off */\n"
              "/*\n * The functions that the headers define inline, once more, so that their calls are\n"
              " * recorded. All other functions are recorded under their own names, by wrappers.c.\n */\n"
              "#ifndef CALLS_RECORDED_H\n#define CALLS_RECORDED_H\n\n#include \"newer.h\"\n\n"
              "/* The numbers of the rows of call_table. */\nenum call_row {\n")
    out.write(rows(f.name for f in functions) + "\n};\n\n")
    for f in functions:
        args = MACROS.get(f.name)
        if f.inline or args:
            out.write(f"{declare(f.result, 'recorded_' + f.name)}({f.parameters(args)});\n")
    out.write("\n")
    out.write(f"#if CALLS_RDMA_CORE < {describe.RELEASE}\n")
    for f in functions:
        if f.newer and not f.inline:
            out.write(f"{declare(f.result, f.name)}({f.parameters()});\n")
    out.write("#endif\n\n")
    for f in functions:
        if f.name in MACROS:
            out.write(f"#undef {f.name}\n")
        if f.inline or f.name in MACROS:
            out.write(f"#define {f.name}(...) recorded_{f.name}(__VA_ARGS__)\n")
    out.write("\n#endif\n")


def main():
    new, base = Headers(sys.argv[1]), Headers(sys.argv[2])
    with open(sys.argv[3], encoding="ascii") as names:
        versions = {w[0]: w[2] for w in map(str.split, names) if w[2] != "inline"}
    functions = [Function(n, c, base) for n, (c, _) in sorted(new.functions.items())]
    own = {c.spelling: c for c in describe.parse(sys.argv[1]).cursor.get_children()
           if c.kind == cl.CursorKind.FUNCTION_DECL and c.spelling in HANDED_ON}
    handed_on = [Function(n, own[n], base) for n in HANDED_ON]
    for f in handed_on:
        f.newer = False
    with open("wrappers.c", "w", encoding="ascii") as out:
        write_source(functions, handed_on, versions, out)
    with open("recorded.h", "w", encoding="ascii") as out:
        write_header(functions, out)


if __name__ == "__main__":
    main()
