#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""describe.py INCLUDE BASE > call_table.c: the table of calls.h, from the headers in INCLUDE.

INCLUDE has the newest headers that the table is held against, BASE the oldest that it is
compiled with: what BASE does not have is looked up at run time. --names INCLUDE LIBRARY...
prints the list that the tests compare with. Needs libclang (python3-clang). What the headers
cannot say stands in annotations.py.
"""
import os
import re
import subprocess
import sys

import clang.cindex as cl

from annotations import *  # noqa: F403 tables only


def parse(include):
    source = "#include <sys/socket.h>\n" + "".join(f"#include <{h}>\n" for h in HEADERS)
    gcc = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True,
                         check=True).stdout.strip()
    args = ["-x", "c", "-D_GNU_SOURCE", "-I" + gcc]
    if include != "/usr/include":
        args += ["-isystem", include]
    unit = cl.Index.create().parse("calls.c", args=args, unsaved_files=[("calls.c", source)])
    for message in unit.diagnostics:
        if message.severity >= cl.Diagnostic.Error:
            sys.exit(f"describe.py: {message}")
    return unit


class Headers:
    """What one set of headers declares, by name."""

    def __init__(self, include):
        self.functions, self.structs, self.enums, self.words = {}, {}, {}, {}
        self.include = include
        for c in parse(include).cursor.get_children():
            if c.kind == cl.CursorKind.FUNCTION_DECL:
                header = self.header(c)
                if header and c.spelling not in OWN:
                    self.functions.setdefault(c.spelling, (c, header))
            elif c.kind in (cl.CursorKind.STRUCT_DECL, cl.CursorKind.UNION_DECL) and c.is_definition():
                self.structs[c.spelling] = c
            elif c.kind == cl.CursorKind.ENUM_DECL and c.is_definition():
                words = [(w.spelling, w.enum_value) for w in c.get_children()]
                name = c.spelling if c.spelling and "(" not in c.spelling else words[0][0]
                self.enums[name] = words
                self.words.update(words)

    @staticmethod
    def header(c):
        name = str(c.location.file)
        return next((h for h in HEADERS if name.endswith("/" + h)), None)


def is_inline(c):
    return c.storage_class == cl.StorageClass.STATIC


def objects():
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "call_objects.def"), encoding="ascii") as f:
        return dict(re.findall(r"^X\((\w+), (\w+)\)$", f.read(), re.M))


def record_name(t):
    """The name of the struct or union that the type is, or None."""
    t = t.get_canonical()
    m = re.match(r"(?:const )?(?:struct|union) (\w+)$", t.spelling)
    return m.group(1) if m else None


class Writer:
    def __init__(self, new, base):
        self.new, self.base = new, base
        self.objects = objects()
        self.enums, self.structs = {}, {}  # used ones, in order
        self.out = []

    # ------------------------------------------------------------------- words --

    def use_enum(self, name):
        if name != "-":
            self.enums.setdefault(name)
        return f"&{self.enum_id(name)}" if name != "-" else "NULL"

    @staticmethod
    def enum_id(name):
        return "words_" + name.lower().rstrip("_")

    def enum_words(self, name):
        if name in MACROS:
            return [(w, None) for w in MACROS[name]]
        return [w for w in self.new.enums[name]
                if not w[0].endswith("_RESERVED") and not w[0].endswith("FLAGS_SUPPORTED")]

    def word_value(self, enum, short):
        prefix = self.prefix(enum)
        return dict(self.new.enums[enum])[prefix + short]

    def prefix(self, name):
        words = [w for w, _ in self.enum_words(name)]
        common = os.path.commonprefix(words) if len(words) > 1 else words[0]
        common = common[:common.rindex("_") + 1]
        if len(words) == 1:
            common = "_".join(words[0].split("_")[:2]) + "_"
        return {"ibv_wc_opcode": "IBV_WC_", "ibv_wr_opcode": "IBV_WR_",
                "ibv_values_mask": "IBV_VALUES_MASK_", "ibv_cq_attr_mask": "IBV_CQ_ATTR_",
                "ibv_odp_general_caps": "IBV_ODP_", "ibv_tm_cap_flags": "IBV_TM_CAP_",
                "ibv_mtu": "IBV_MTU_", "ibv_rx_hash_function_flags": "IBV_RX_HASH_FUNC_",
                "ibv_wq_init_attr_mask": "IBV_WQ_INIT_ATTR_",
                "ibv_read_counters_flags": "IBV_READ_COUNTERS_ATTR_",
                "ibv_ops_wr_opcode": "IBV_WR_", "ibv_rereg_mr_flags": "IBV_REREG_MR_",
                "ibv_wq_type": "IBV_WQT_"}.get(name, common)

    def write_enum(self, name):
        self.out.append(f"static const struct call_word {self.enum_id(name)}_v[] = {{")
        for word, value in self.enum_words(name):
            known = word in self.base.words or value is None
            renamed = word
            for old, new in RENAMED.items():
                renamed = renamed.replace(old, new)
            self.out.append(f'\t{{ "{renamed}", {word if known else value} }},')
        shown = name
        prefix = self.prefix(name)
        for old, new in RENAMED.items():
            shown, prefix = shown.replace(old, new), prefix.replace(old, new)
        self.out.append("\t{ 0 }\n};")
        self.out.append(f'static const struct call_enum {self.enum_id(name)} = {{ "{shown.rstrip("_")}",'
                        f' "{prefix}", {self.enum_id(name)}_v }};\n')

    # ------------------------------------------------------------------ values --

    def scalar(self, t, spelling):
        """Kind and attributes of a number."""
        c = t.get_canonical()
        if any(b in spelling.split() for b in BE):
            return "CALL_BE", {}
        if c.kind == cl.TypeKind.ENUM:
            decl = c.get_declaration()
            name = decl.spelling
            return "CALL_ENUM", {"words": self.use_enum(name)}
        signed = c.kind in (cl.TypeKind.INT, cl.TypeKind.LONG, cl.TypeKind.SHORT, cl.TypeKind.SCHAR,
                            cl.TypeKind.LONGLONG)
        return ("CALL_INT" if signed else "CALL_UINT"), {}

    def value(self, t, note, names, where):
        """(kind, attributes) of a field or an argument, from its type and its annotation."""
        words = note.split()
        attrs, kind = {}, None
        for old in ("optional", "out", "made", "found"):
            if old in words:
                words.remove(old)
                attrs["optional" if old == "optional" else "role"] = \
                    "true" if old == "optional" else "CALL_" + old.upper()
        if "of" in words:
            i = words.index("of")
            bits = 0
            for q in words[i + 1:]:
                bits |= 1 << dict(self.new.enums["ibv_qp_type"])["IBV_QPT_" + q]
            attrs["qp_types"] = f"0x{bits:x}"
            words = words[:i]
        if "when" in words:
            i = words.index("when")
            attrs["when"] = names.index(words[i + 1]) + 1
            attrs["_when"] = words[i + 2:]
            words = words[:i]
        if words and words[0] in ("list", "data", "address", "iova", "sockaddr", "mask") and len(words) > 1:
            if words[1].isdigit():
                attrs["fixed"] = words[1]
            else:
                attrs["with"] = names.index(words[1].lstrip(".")) + 1
                attrs["_log"] = words[1].startswith(".")
        c = t.get_canonical()
        first = words[0] if words else ""
        if first == "bit":
            attrs["bit"] = words[1]
            first = words[2] if len(words) > 2 else ""
        if first in ("enum", "flags"):
            kind = "CALL_" + first.upper()
            attrs["words"] = self.use_enum(words[1])
            if words[1] == "-":
                kind = "CALL_UINT"
                del attrs["words"]
        elif first == "mask":
            kind = "CALL_FLAGS"
            attrs["words"] = self.use_enum(words[2])
            attrs["_mask"] = words[1]
        elif first in ("data", "address", "iova", "remote", "cookie", "fd", "key", "qpn", "sockaddr"):
            kind = "CALL_" + first.upper()
        elif first == "u64":
            kind = "CALL_UINT"
            if c.kind == cl.TypeKind.POINTER:
                attrs["is_context"] = "true"
        elif first == "counts":
            kind = "CALL_UINT"
            attrs["counts"] = names.index(words[1]) + 1
        elif c.kind == cl.TypeKind.POINTER:
            kind = self.pointer(c.get_pointee(), attrs, first == "list", where)
        elif c.kind in (cl.TypeKind.CONSTANTARRAY, cl.TypeKind.INCOMPLETEARRAY):
            kind = "CALL_CHARS" if c.element_type.kind in (cl.TypeKind.CHAR_S, cl.TypeKind.SCHAR) \
                else "CALL_BYTES"
        elif record_name(t) == "ibv_gid":
            kind = "CALL_GID"
        elif record_name(t):
            kind = "CALL_STRUCT"
            attrs["of"] = self.use_struct(record_name(t))
        else:
            kind, more = self.scalar(t, t.spelling)
            attrs.update(more)
        return kind, attrs

    def pointer(self, to, attrs, is_list, where):
        c = to.get_canonical()
        name = record_name(to)
        if c.kind == cl.TypeKind.POINTER:
            inner = record_name(c.get_pointee())
            if is_list:
                attrs["object"] = "OBJECT_" + self.objects[inner]
                return "CALL_OBJECTS"
            if where.split(".")[-1] in ("bad_wr", "bad_recv_wr", "bad_op"):
                return "CALL_BAD"
            if inner in self.objects:
                if where.split(".")[-1] in ("list", ""):
                    attrs["object"] = "OBJECT_" + self.objects[inner] + "_LIST"
                else:
                    attrs["object"] = "OBJECT_" + self.objects[inner]
                    attrs.setdefault("role", "CALL_MADE")
                return "CALL_OBJECT"
            return "CALL_COOKIE"
        if c.kind in (cl.TypeKind.FUNCTIONPROTO, cl.TypeKind.FUNCTIONNOPROTO):
            return "CALL_CALLBACK"
        if name == "ibv_gid":
            attrs["pointer"] = "true"
            return "CALL_GID"
        if name == "sockaddr":
            return "CALL_SOCKADDR"
        if name in self.objects and not (name == "rdma_addrinfo" and to.is_const_qualified()):
            attrs["object"] = "OBJECT_" + self.objects[name]
            return "CALL_OBJECT"
        if name == "_compat_ibv_port_attr":
            name = "ibv_port_attr"
        if name in CHAINED:
            attrs["of"] = self.use_struct(name)
            return "CALL_CHAIN"
        if name and name in self.new.structs:
            attrs["of"] = self.use_struct(name)
            if is_list:
                return "CALL_LIST"
            attrs["pointer"] = "true"
            return "CALL_STRUCT"
        if c.kind in (cl.TypeKind.CHAR_S, cl.TypeKind.SCHAR):
            return "CALL_STRING"
        if is_list:
            return "CALL_LIST"
        if c.kind == cl.TypeKind.VOID or name:
            return "CALL_COOKIE"
        kind, more = self.scalar(to, to.spelling)
        attrs.update(more)
        attrs["pointer"] = "true"
        attrs["_size"] = to.get_size()
        return kind

    @staticmethod
    def finish(rows, enums_of):
        """Turns words of conditions into bits, and links counts with what they count."""
        for name, kind, attrs in rows:
            if "_when" in attrs:
                other = rows[attrs["when"] - 1]
                attrs["when_any"] = enums_of(other, attrs.pop("_when"))
            w = attrs.get("with")
            if w and kind != "CALL_FLAGS":
                rows[w - 1][2].setdefault("counts", [n for n, _, _ in rows].index(name) + 1)
                if rows[w - 1][0].startswith("log_"):
                    rows[w - 1][2]["is_log"] = "true"
            if kind == "CALL_KEY" and "lkey" in name:
                attrs["is_local"] = "true"
            attrs.pop("_log", None)
            if "_mask" in attrs:
                of = [n for n, _, _ in rows].index(attrs.pop("_mask"))
                rows[of][2]["with"] = [n for n, _, _ in rows].index(name) + 1
                attrs.pop("with", None)

    def condition(self, other, words):
        enum = other[2]["_enum"] if "_enum" in other[2] else None
        enum = enum or next(e for e in self.enums if f"&{self.enum_id(e)}" == other[2]["words"])
        bits = 0
        for w in words:
            value = self.word_value(enum, w)
            bits |= value if other[1] == "CALL_FLAGS" else (1 << value if value < 64 else 0)
        return f"0x{bits:x}"

    # ----------------------------------------------------------------- structs --

    def use_struct(self, name):
        if name not in self.structs:
            self.structs[name] = None
            self.structs[name] = self.describe_struct(name)
        return f"&struct_{name}"

    def leaves(self, decl, path=""):
        """Fields, those of members whose type has no name too: (path, cursor)."""
        for c in decl.get_children():
            if c.kind != cl.CursorKind.FIELD_DECL:
                if c.kind in (cl.CursorKind.STRUCT_DECL, cl.CursorKind.UNION_DECL) and c.is_anonymous() \
                        and not any(f.kind == cl.CursorKind.FIELD_DECL and
                                    f.type.get_canonical().get_declaration() == c
                                    for f in decl.get_children()):
                    yield from self.leaves(c, path)
                continue
            inner = c.type.get_canonical().get_declaration()
            if c.type.get_canonical().kind == cl.TypeKind.RECORD and not record_name(c.type):
                yield from self.leaves(inner, path + c.spelling + ".")
            else:
                yield path + c.spelling, c

    def note_of(self, struct, path):
        for key in (f"{struct}.{path}", path.split(".")[-1]):
            if key in FIELDS:
                return FIELDS[key]
        if struct == "ibv_qp_attr" and path.split(".")[0] in QP_BITS or struct == "ibv_qp_attr":
            bit = QP_BITS.get(path, path.upper())
            return f"bit IBV_QP_{bit}" if bit else ""
        return ""

    def describe_struct(self, name):
        base = self.base.structs.get(name)
        old = {p for p, _ in self.leaves(base)} if base else set()
        skip = {"next", "mutex", "cond", "memcpy_to_dm", "memcpy_from_dm", "post_recv", "context"}
        fields = [(p, c) for p, c in self.leaves(self.new.structs[name])
                  if not {p.split(".")[0], p.split(".")[-1]} & skip and not p.startswith("_")]
        if name == "rdma_cm_event":
            fields = [(p, c) for p, c in fields if p != "param.ud"]
        fields.sort(key=lambda f: f[0] not in old)  # newer ones last: indices hold without them
        names = [p for p, _ in fields]
        if name == "ibv_flow_attr":
            names.append("specs")
        rows = []
        for path, c in fields:
            note = self.note_of(name, path)
            extra = ""
            if name == "ibv_qp_attr" and path == "qp_access_flags":
                extra = " bit"
            kind, attrs = self.value(c.type, note, names, f"{name}.{path}")
            if extra:
                attrs["bit"] = "IBV_QP_ACCESS_FLAGS"
            rows.append((path, kind, attrs))
        if name == "ibv_flow_attr":
            rows.append(("specs", "CALL_TRAIL", {"of": self.use_struct("ibv_flow_spec")}))
        self.finish(rows, self.condition)
        return rows, old

    @staticmethod
    def attr_text(attrs):
        return "".join(f", .{k} = {v}" for k, v in attrs.items() if not k.startswith("_"))

    def write_struct(self, name):
        rows, old = self.structs[name]
        tag = "union" if self.new.structs[name].kind == cl.CursorKind.UNION_DECL else "struct"
        self.out.append(f"static const struct call_value fields_{name}[] = {{")
        newer = False
        for path, kind, attrs in rows:
            if path not in old and path != "specs" and not newer:
                self.out.append(f"#if CALLS_RDMA_CORE >= {RELEASE}")
                newer = True
            if kind == "CALL_TRAIL":
                at = f".offset = sizeof({tag} {name})"
            else:
                at = f"AT({tag} {name}, {path})"
            self.out.append(f'\t{{ "{path}", {kind}, {at}{self.attr_text(attrs)} }},')
        if newer:
            self.out.append("#endif")
        self.out.append("\t{ 0 }\n};")
        linked = name in CHAINED
        link = f", offsetof({tag} {name}, next)" if linked else ", 0"
        self.out.append(f'static const struct call_struct struct_{name} = {{ "{name}", '
                        f"sizeof({tag} {name}), fields_{name}{link} }};\n")

    # --------------------------------------------------------------- functions --

    def describe_function(self, name, c, header):
        args = list(c.get_arguments())
        names = [a.spelling for a in args]
        rows = []
        for a in args:
            note = ""
            short = os.path.basename(header)[:-2]
            for key in (f"{name}.{a.spelling}", f"{short}.{a.spelling}", a.spelling):
                if key in ARGS:
                    note = ARGS[key]
                    break
            pointee = record_name(a.type.get_canonical().get_pointee()) \
                if a.type.get_canonical().kind == cl.TypeKind.POINTER else None
            if pointee in self.objects and f"{name}.{a.spelling}" not in ARGS \
                    and note in ("cookie", "address length") or \
                    note == "address length" and pointee is not None:
                note = ""
            kind, attrs = self.value(a.type, note, names, f"{name}.{a.spelling}")
            key = f"{name}.{a.spelling}"
            if key in OUT:
                attrs["role"] = "CALL_OUT"
            if key in INOUT:
                attrs["role"] = "CALL_OUT"
                attrs["optional"] = "true"
            gone = GONE.get(name, names[0] if GONE_RE.match(name) and names else None)
            if kind == "CALL_OBJECT" and a.spelling == gone:
                attrs["role"] = "CALL_GONE"
            if kind == "CALL_ADDRESS" and "with" not in attrs and "fixed" not in attrs:
                attrs["fixed"] = "1"
            attrs.setdefault("size", attrs.get("_size", self.arg_size(a.type, kind)))
            rows.append((a.spelling, kind, attrs))
        self.finish(rows, self.condition)
        return rows

    @staticmethod
    def arg_size(t, kind):
        c = t.get_canonical()
        if kind == "CALL_LIST":
            return c.get_pointee().get_size()
        if kind == "CALL_BYTES":
            return c.get_size() if c.kind == cl.TypeKind.CONSTANTARRAY else 6
        return c.get_size()

    def result(self, name, c):
        t = c.result_type
        k = t.get_canonical().kind
        kind, attrs = "CALL_VOID", {}
        if k == cl.TypeKind.VOID:
            return "RESULT_NOTHING", kind, attrs
        kind, attrs = self.value(t, "", [], name + ".")
        attrs["size"] = t.get_size()
        if name in COUNT:
            return "RESULT_COUNT", "CALL_INT", {"size": attrs["size"]}
        if name == "ibv_query_qp_data_in_order":
            attrs["words"] = self.use_enum("ibv_query_qp_data_in_order_caps")
            return "RESULT_VALUE", "CALL_FLAGS", attrs
        if name == "ibv_wc_read_wc_flags":
            attrs["words"] = self.use_enum("ibv_wc_flags")
            return "RESULT_VALUE", "CALL_FLAGS", attrs
        if VALUE.match(name):
            return "RESULT_VALUE", kind, attrs
        if kind == "CALL_OBJECT":
            attrs["role"] = "CALL_FOUND" if name in FOUND else "CALL_MADE"
            return "RESULT_POINTER", kind, attrs
        return "RESULT_STATUS", "CALL_INT", {"size": attrs["size"]}

    @staticmethod
    def cast(i, t):
        c = t.get_canonical()
        if c.kind in (cl.TypeKind.CONSTANTARRAY, cl.TypeKind.INCOMPLETEARRAY):
            return f"(void *)(uintptr_t)a[{i}]"
        if c.kind == cl.TypeKind.POINTER:
            return f"(void *)(uintptr_t)a[{i}]"
        return f"({t.spelling})a[{i}]"

    def write_function(self, name, c, header):
        args = list(c.get_arguments())
        values = ", ".join(self.cast(i, a.type) for i, a in enumerate(args))
        call = f"{name}({values})"
        self.out.append(f"static uint64_t do_{name}(const uint64_t *a)\n{{")
        if not args:
            self.out.append("\t(void)a;")
        k = c.result_type.get_canonical().kind
        if k == cl.TypeKind.VOID:
            self.out.append(f"\t{call};\n\treturn 0;\n}}\n")
        elif k == cl.TypeKind.POINTER:
            self.out.append(f"\treturn (uintptr_t){call};\n}}\n")
        else:
            self.out.append(f"\treturn (uint64_t)(int64_t){call};\n}}\n" if k in
                            (cl.TypeKind.INT, cl.TypeKind.LONG) else f"\treturn {call};\n}}\n")

    def marks(self, name, rows):
        """What annotations.py says of a function."""
        more = ""
        if name in STEP:
            more += f", .step = CALL_{STEP[name]}"
        if name in RULE:
            more += f", .rule = RULE_{RULE[name]}"
        needs = [f"NEED_{n}" for n, names in NEEDS.items() if name.removeprefix("rdma_") in names.split()
                 and name.startswith("rdma_")]
        if needs:
            more += f", .needs = {' | '.join(needs)}"
        if ASKS.match(name):
            more += ", .asks = true"
        if name in FETCHES:
            more += ", .fetches = true"
        if name in TIES:
            more += ", .ties = true"
        if name in SERVES:
            more += ", .serves = true"
        if name in ENDED_ELSE:
            more += f', .ended_by = "{ENDED_ELSE[name]}"'
        first = rows[0][2].get("object") if rows else None
        if first in ("OBJECT_QP_EX", "OBJECT_CQ_EX"):
            struct = "ibv_qp_ex" if first == "OBJECT_QP_EX" else "ibv_cq_ex"
            member = name.removeprefix("ibv_").removeprefix("wc_")
            member = {"read_invalidated_rkey": "read_imm_data"}.get(member, member)
            inner = {p for p, _ in self.leaves(self.base.structs[struct])}
            if member in inner:
                more += f", .member = offsetof(struct {struct}, {member})"
            elif name == "ibv_wr_flush":
                more += ", .member = WR_FLUSH_AT"
        return more

    def write_row(self, name, c, header, rows):
        says, kind, attrs = self.result(name, c)
        path = "CALL_DATAPATH" if DATAPATH.match(name) else \
            "CALL_PREPARE" if PREPARE.match(name) else "CALL_SETUP"
        args = f"args_{name}" if rows else "no_args"
        proto = f"{c.result_type.spelling} {name}(" + \
            ", ".join(f"{a.type.spelling} {a.spelling}" for a in c.get_arguments()) + ")"
        proto = proto.replace("* ", "*").replace("_compat_", "").replace("uint8_t[6] eth_mac", "uint8_t eth_mac[6]")
        for old, new in RENAMED.items():
            proto = proto.replace(old, new)
        more = ""
        if is_inline(c):
            more += ", .is_inline = true"
        if header.startswith("rdma/"):
            more += ", .is_cm = true"
        if name in WAITS:
            more += ", .waits = true"
        if name not in self.base.functions:
            more += f", .since = {RELEASE}"
        more += self.marks(name, rows)
        if name in WHY:
            more += f', .why = "{WHY[name]}"'
        else:
            more += f", .invoke = do_{name}"
        self.out.append(f'\t{{ "{name}", "{header}", {path}, {says}, .args = {args}, '
                        f'.result = {{ .name = "{name}", .kind = {kind}{self.attr_text(attrs)} }}, '
                        f'.prototype = "{proto}"{more} }},')

    def write(self):
        described = [(n, c, h, self.describe_function(n, c, h))
                     for n, (c, h) in sorted(self.new.functions.items())]
        for n, c, h, rows in described:
            self.result(n, c)
        told = sorted(HANDLES_TOLD)
        for name in told:
            self.use_struct(name)
        print("/* SPDX-License-Identifier: MIT */")
        print("/* Written by describe.py from the headers of rdma-core; not to be edited. */")
        print("/* clang-format off */")
        print('#include <arpa/inet.h>\n#include <fcntl.h>\n#include <sys/socket.h>\n')
        print('#include "calls.h"\n#include "recorded.h"\n')
        print("#define AT(type, field) .size = sizeof(((type *)0)->field), .offset = offsetof(type, field)\n")
        for name in sorted(self.enums):
            self.write_enum(name)
        for name in self.structs:
            print(f"static const struct call_struct struct_{name};")
        print()
        for name in self.structs:
            self.write_struct(name)
        for n, c, h, rows in described:
            if n not in WHY:
                self.write_function(n, c, h)
        self.out.append("static const struct call_value no_args[] = { { 0 } };\n")
        for n, c, h, rows in described:
            if not rows:
                continue
            self.out.append(f"static const struct call_value args_{n}[] = {{")
            for name, kind, attrs in rows:
                self.out.append(f'\t{{ "{name}", {kind}{self.attr_text(attrs)} }},')
            self.out.append("\t{ 0 }\n};\n")
        self.out.append("const struct call_fn call_table[] = {")
        for n, c, h, rows in described:
            self.write_row(n, c, h, rows)
        self.out.append("\t{ 0 }\n};\n")
        self.out.append("const unsigned call_count = sizeof call_table / sizeof *call_table - 1;\n")
        self.out.append("const struct call_object_type call_objects[OBJECT_KINDS] = {")
        for name, word in self.objects.items():
            of = f"&struct_{name}" if name in told else "NULL"
            by = ENDED_BY.get(name)
            by = f'"{by}"' if by else "NULL"
            self.out.append(f'\t[OBJECT_{word}] = {{ "{name}", "{word.lower()}", {of}, {by} }},')
        self.out.append("};")
        print("\n".join(self.out))


def names(include, libraries):
    """A line a function: name, header or '-', "inline" or the version of the symbol."""
    found = {n: (h, "inline") for n, (c, h) in Headers(include).functions.items() if is_inline(c)}
    declared = {n: h for n, (c, h) in Headers(include).functions.items()}
    for library in libraries:
        text = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                              check=True).stdout
        for symbol, version in re.findall(r" [TWi] (\w+)@@(\w+[0-9.]+)", text):
            if declared.get(symbol) or not version.startswith("IBVERBS_PRIVATE"):
                found[symbol] = (declared.get(symbol, "-"), version)
    for name in sorted(found):
        print(name, *found[name])


if __name__ == "__main__":
    if sys.argv[1] == "--names":
        names(sys.argv[2], sys.argv[3:])
    else:
        Writer(Headers(sys.argv[1]), Headers(sys.argv[2])).write()
