#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""generate.py TABLE DIRECTORY: writes call_table.c, call_objects.h, newer_structs.h, wrappers.c and
recorded.h into the directory. README.md has the grammar of the table."""
import os
import re
import sys

NOTE = """/* SPDX-License-Identifier: MIT */
/* Written by generate.py from calls.table. */
"""
SIGNED = {"int", "long", "ssize_t"}
UNSIGNED = {"unsigned int", "size_t", "socklen_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
            "__u8", "__u16", "__u32", "__u64"}
BIG_ENDIAN = {"__be16", "__be32", "__be64"}
ROLES = {"out", "made", "found", "gone"}
# Kinds that a note may name, and how many words belong to each.
KINDS = {"remote": 0, "cookie": 0, "fd": 0, "key": 0, "qpn": 0, "bad": 0, "trail": 0, "u64": 0,
         "lkey": 0, "struct": 0, "list": 1, "data": 1, "address": 1, "iova": 1, "sockaddr": 1,
         "flags": 1, "enum": 1, "counts": 1, "object": 1, "mask": 2}
MARKS = {"inline", "since", "prepare", "datapath", "count", "value", "found", "makes", "waits", "step",
         "rule", "need", "asks", "fetches", "ties", "serves", "ended-by", "why", "through", "asked",
         "macro", "helper", "fails", "errors", "stands-for"}


class Mistake(Exception):
    """Something in the table that cannot be."""


class Value:
    """TYPE NAME[: NOTE], an argument or a field."""

    def __init__(self, text):
        declaration, _, note = text.partition(":")
        m = re.match(r"(.*?[ *])([\w.]+)(\[\d+\])?$", declaration.strip())
        if not m:
            raise Mistake(f"'{declaration}' is no declaration")
        self.type, self.name, self.array = m.group(1).strip(), m.group(2), m.group(3) or ""
        self.pointers = self.type.count("*")
        self.pointee = re.sub(r"\bconst\b|\*", "", self.type).strip()
        self.tag, _, self.of = self.pointee.rpartition(" ")
        self.attrs = {}
        self.note(note.split())

    def note(self, words):
        self.role = self.note_kind = self.bit = self.since = None
        self.optional, self.words, self.when, self.qp_types = False, [], [], []
        while words:
            word = words.pop(0)
            if word in ROLES:
                self.role = word
            elif word == "optional":
                self.optional = True
            elif word == "bit":
                self.bit = words.pop(0)
            elif word == "since":
                self.since = words.pop(0)
            elif word == "of":
                self.qp_types, words = words, []
            elif word == "when":
                end = words.index("of") if "of" in words else len(words)
                self.when, words = words[:end], words[end:]
            elif word in KINDS:
                self.note_kind = word
                n = KINDS[word]
                if word == "address" and (not words or words[0] in ("optional", "when")):
                    n = 0
                self.words, words = words[:n], words[n:]
            else:
                raise Mistake(f"{self.name}: '{word}' is no word of a note")

    def declare(self, name=None, type=None):
        type = type or self.type
        return type + ("" if type.endswith("*") else " ") + (name or self.name) + self.array

    def is_pointer(self):
        return self.pointers > 0 or self.array != ""


def type_kind(value, table):
    """The kind and the attributes that a value has by its type alone."""
    record = value.of if value.tag in ("struct", "union") else None
    if value.type == "callback":
        return "CALLBACK", {}
    if value.array:
        return ("CHARS" if value.pointee == "char" else "BYTES"), {}
    if record == "ibv_gid":
        return "GID", {"pointer": "true"} if value.pointers else {}
    if value.pointers and record == "sockaddr":
        return "SOCKADDR", {}
    if value.pointers and record in table.objects:
        return "OBJECT", {"object": "OBJECT_" + table.objects[record]["word"]}
    record = record and record.removeprefix("_compat_")
    if record in table.structs:
        of = {"of": f"&struct_{record}"}
        if value.pointers and table.structs[record]["linked"]:
            return "CHAIN", of
        return "STRUCT", {**of, "pointer": "true"} if value.pointers else of
    if value.pointers and value.pointee == "char":
        return "STRING", {}
    if value.pointers > 1 or value.pointee in ("void", "pthread_cond_t"):
        return "COOKIE", {}
    pointer = {"pointer": "true"} if value.pointers else {}
    if value.tag == "enum":
        return "ENUM", {"words": table.use_enum(value.of), **pointer}
    for kind, types in (("INT", SIGNED), ("UINT", UNSIGNED), ("BE", BIG_ENDIAN)):
        if value.pointee in types:
            return kind, pointer
    raise Mistake(f"{value.name}: no kind for the type '{value.type}'")


def describe(value, siblings, table):
    """The kind of a value, and the other members of its struct call_value."""
    names = [s.name for s in siblings]

    def sibling(name):
        if name not in names:
            raise Mistake(f"{value.name}: there is no '{name}' beside it")
        return names.index(name) + 1

    if value.role:
        value.attrs["role"] = "CALL_" + value.role.upper()
    if value.optional:
        value.attrs["optional"] = "true"
    if value.bit:
        value.attrs["bit"] = value.bit
    if value.qp_types:
        value.attrs["qp_types"] = " | ".join(f"BIT(IBV_QPT_{q})" for q in value.qp_types)
    kind, words = value.note_kind, value.words
    if kind in ("list", "data", "address", "iova", "sockaddr"):
        if not words or words[0].isdigit():
            value.attrs["fixed"] = words[0] if words else "1"
        else:
            value.attrs["with"] = sibling(words[0])
    if kind == "list":
        value.kind, attrs = type_kind(value, table)
        value.kind = "OBJECTS" if value.kind == "OBJECT" else "LIST"
        if "of" in attrs or "object" in attrs:
            value.attrs.update((k, v) for k, v in attrs.items() if k in ("of", "object"))
    elif kind in ("enum", "flags", "mask"):
        value.kind = "ENUM" if kind == "enum" else "FLAGS"
        value.attrs["words"] = table.use_enum(words[-1])
    elif kind == "u64":
        value.kind = "UINT"
        if value.pointers:
            value.attrs["is_context"] = "true"
    elif kind == "lkey":
        value.kind = "KEY"
        value.attrs["is_local"] = "true"
    elif kind == "counts":
        value.kind = "UINT"
        value.attrs["counts"] = sibling(words[0])
    elif kind == "object":
        value.kind = "OBJECT"
        value.attrs["object"] = "OBJECT_" + words[0]
    elif kind == "trail":
        value.kind = "TRAIL"
        value.attrs["of"] = f"&struct_{value.of}"
    elif kind == "struct":
        value.kind = "STRUCT"
        value.attrs.update({"of": f"&struct_{value.of}", "pointer": "true"})
    elif kind:
        value.kind = kind.upper()
    else:
        value.kind, attrs = type_kind(value, table)
        value.attrs.update(attrs)


def link(values, table):
    """Adds facts that need all values: conditions, and which value counts which."""
    for i, value in enumerate(values):
        by = value.attrs.get("with")
        if by:
            values[by - 1].attrs.setdefault("counts", i + 1)
            if values[by - 1].name.startswith("log_"):
                values[by - 1].attrs["is_log"] = "true"
        if value.note_kind == "mask":
            of = next(v for v in values if v.name == value.words[0])
            of.attrs["with"] = i + 1
        if value.when:
            by = next(n for n, v in enumerate(values) if v.name == value.when[0])
            value.attrs["when"] = by + 1
            value.attrs["when_any"] = " | ".join(
                table.condition(values[by], word) for word in value.when[1:])


class Function:
    """RESULT NAME(VALUE, ...), and its marks."""

    def __init__(self, text, header):
        m = re.match(r"(.*?[ *])(\w+)\((.*?)\) (.*)$", text)
        if not m:
            raise Mistake(f"'{text}' is no function")
        self.name, self.header = m.group(2), header
        self.result = Value(m.group(1) + self.name)
        self.args = [Value(a) for a in m.group(3).split(", ") if a]
        self.marks = {}
        for mark in re.split(r", (?![^(]*\))", m.group(4)):
            word, _, rest = mark.partition(" ")
            if word not in MARKS and not re.match("(IBVERBS|RDMACM)_", word):
                raise Mistake(f"{self.name}: '{word}' is no mark")
            if word == "need":
                rest = " | ".join(filter(None, [self.marks.get(word), "NEED_" + rest]))
            self.marks[word] = rest or True
        self.version = next((w for w in self.marks if re.match("(IBVERBS|RDMACM)_", w)), None)
        self.inline = "inline" in self.marks
        self.since = self.marks.get("since")
        self.void = self.result.type == "void"
        if not self.inline and not self.version:
            raise Mistake(f"{self.name} is neither inline nor of a version")

    def mark(self, word):
        return self.marks.get(word)

    def parameters(self):
        return ", ".join(a.declare() for a in self.args) or "void"

    def public_parameters(self):
        """Those of a function that the header hides behind a macro."""
        return self.parameters().replace("_compat_", "")

    def names(self):
        return ", ".join(a.name for a in self.args)

    def body(self, call, before="", within="", after=""):
        """Of a function that notes the call."""
        values = ", ".join(f"({'uintptr_t' if a.is_pointer() else 'uint64_t'}){a.name}"
                           for a in self.args)
        result = "" if self.void else f"\t{self.result.declare('result')};\n"
        value = "0" if self.void else \
            f"({'uintptr_t' if self.result.pointers else 'uint64_t'})result"
        row = f"ROW_{self.mark('helper') or self.name}"
        make = f"\t{call};\n" if self.void else (
            f"\tif (call_fault_hits(&the_call, {row}))\n"
            f"\t\tresult = ({self.result.type})the_call.result;\n"
            f"\telse\n\t\tresult = {call};\n")
        if self.void:
            make = f"\tcall_fault_hits(&the_call, {row});\n" + make
        return (f"{{\n\tconst uint64_t the_args[] = {{ {values or 0} }};\n"
                f"\tstruct record_call the_call;\n{result}\n"
                f"{before}\trecord_begin(&the_call, {row}, the_args,\n"
                f"\t\t     record_from(__builtin_return_address(0), __builtin_frame_address(0)));\n"
                f"{make}{within}"
                f"\trecord_end(&the_call, {value});\n{after}"
                f"{'' if self.void else chr(9) + 'return result;' + chr(10)}}}\n")


class Table:
    def __init__(self, path):
        self.release, self.objects, self.enums, self.structs = None, {}, {}, {}
        self.functions, self.helpers, self.header = [], [], None
        self.errors = {}
        self.used_enums = set()
        for number, entry in self.entries(path):
            try:
                self.add(entry)
            except (Mistake, IndexError) as e:
                sys.exit(f"{path}:{number}: {e}")
        self.functions.sort(key=lambda f: f.name)
        try:
            self.describe()
        except Mistake as e:
            sys.exit(f"{path}: {e}")

    @staticmethod
    def entries(path):
        """(number of the first line, [first line, the others]): others begin with a tab, and go
        on where there are two."""
        entry = None
        with open(path, encoding="ascii") as f:
            for number, line in enumerate(f, 1):
                line = line.rstrip()
                if not line or line.startswith("#"):
                    continue
                if line.startswith("\t\t"):
                    entry[1][-1] += " " + line.strip()
                elif line.startswith("\t"):
                    entry[1].append(line.strip())
                else:
                    if entry:
                        yield entry
                    entry = (number, [line])
        yield entry

    def add(self, lines):
        words = lines[0].split()
        if words[0] == "release":
            self.release = words[1]
        elif words[0] == "object":
            after = dict(zip(words, words[1:]))
            self.objects[words[1]] = {
                "word": words[2], "told": "told" in words, "public": "public" in words,
                "until": after.get("until"), "ended_by": after.get("ended-by"),
                "called": after.get("called", words[2].lower())}
        elif words[0] == "enum" and "(" not in lines[0]:
            self.enums[words[1]] = {"prefix": words[2], "words": " ".join(lines[1:]).split()}
        elif words[0] in ("struct", "union") and "(" not in lines[0]:
            self.structs[words[1]] = {"tag": words[0], "linked": "linked" in words,
                                      "since": words[3] if "since" in words else None,
                                      "fields": [Value(v) for v in lines[1:]]}
        elif words[0] == "errors":
            self.errors[words[1]] = words[2:]
        elif words[0] == "header":
            self.header = words[1]
        else:
            function = Function(" ".join(lines), self.header)
            (self.helpers if function.mark("helper") else self.functions).append(function)

    def describe(self):
        fields = [s["fields"] for s in self.structs.values()]
        for values in fields + [f.args for f in self.functions]:
            for value in values:
                describe(value, values, self)
            link(values, self)
        for function in self.functions:
            self.describe_result(function)

    def describe_result(self, f):
        f.says, f.result.kind = "NOTHING", "VOID"
        if f.void:
            return
        describe(f.result, [], self)
        if f.mark("count"):
            f.says = "COUNT"
        elif f.mark("value"):
            f.says = "VALUE"
            if f.mark("value") is not True:
                f.result.kind = "FLAGS"
                f.result.attrs = {"words": self.use_enum(f.mark("value").removeprefix("flags "))}
        elif f.result.kind == "OBJECT":
            f.says = "POINTER"
            f.result.attrs["role"] = "CALL_FOUND" if f.mark("found") else "CALL_MADE"
            if f.mark("makes"):
                f.result.attrs["object"] = "OBJECT_" + f.mark("makes")
        else:
            f.says = "POINTER" if f.result.type == "void *" else "STATUS"

    def errnos(self, f):
        """Those that the function gives when it fails; empty: it cannot fail."""
        roles = {a.role for a in f.args} | {f.result.attrs.get("role", "").lower()[5:]}
        if f.says in ("NOTHING", "VALUE") or f.mark("fails") == "never":
            return []
        by = next(by for by, holds in (
            ("waiting", f.mark("waits")),
            ("polling", f.mark("step") in ("first", "next") or
             (f.mark("datapath") and f.says == "COUNT")),
            ("posting", f.mark("datapath")), ("making", "made" in roles),
            ("ending", "gone" in roles), ("asking", f.mark("asks")), ("changing", True)) if holds)
        return self.errors[by] + [e for e in (f.mark("errors") or "").split()
                                  if e not in self.errors[by]]

    def fails(self, f):
        """How the result says that, as its man page has it."""
        if not self.errnos(f):
            return "NOT"
        if f.says == "POINTER":
            return "NULL"
        if f.mark("fails"):
            return f.mark("fails").upper().replace("-", "_")
        return "MINUS_ONE" if f.says == "COUNT" or f.header.startswith("rdma/") else "ERRNO"

    def hidden(self):
        """Functions that the headers define, as inline functions or macros: their calls are recorded
        under other names. Those of an inline function that has a helper are recorded there."""
        by_helper = [h.mark("helper") for h in self.helpers]
        return [f for f in self.functions
                if f.mark("macro") or (f.inline and f.name not in by_helper)]

    def use_enum(self, name):
        if name not in self.enums:
            raise Mistake(f"there is no enum {name}")
        return "&words_" + name.lower().rstrip("_")

    def condition(self, by, short):
        value = self.word_value(
            next(e for e in self.enums if self.use_enum(e) == by.attrs["words"]), short)
        return value if by.kind == "FLAGS" else f"BIT({value})"

    def word_value(self, enum, short):
        """In C: its name, or its number where not all releases have it."""
        prefix = self.enums[enum]["prefix"]
        for word in self.enums[enum]["words"]:
            name, _, number = word.partition("=")
            if name == prefix + short:
                return number or name
        raise Mistake(f"{short} is no word of {enum}")


# ---------------------------------------------------------------------- call_table.c --


def attributes(value):
    return "".join(f", .{k} = {v}" for k, v in value.attrs.items())


def size_of(value):
    """Of an argument or a result."""
    if value.array:
        return value.array.strip("[]")
    if value.kind == "LIST" or (value.pointers == 1 and value.kind in ("INT", "UINT", "BE", "ENUM")
                                and "is_context" not in value.attrs):
        return f"sizeof({value.pointee})"
    return f"sizeof({value.type})"


def write_enums(table, out):
    for name, enum in table.enums.items():
        words = [w.partition("=") for w in enum["words"]]
        rows = "".join(f'\t{{ "{word}", {number or word} }},\n' for word, _, number in words)
        own = "words_" + name.lower().rstrip("_")
        out.write(f"static const struct call_word {own}_v[] = {{\n{rows}\t{{ 0 }}\n}};\n"
                  f'static const struct call_enum {own} = {{ "{name.rstrip("_")}", '
                  f'"{enum["prefix"]}", {own}_v }};\n\n')


def write_structs(table, out):
    for name in table.structs:
        out.write(f"static const struct call_struct struct_{name};\n")
    for name, struct in table.structs.items():
        tag = f"{struct['tag']} {name}"
        out.write(f"\nstatic const struct call_value fields_{name}[] = {{\n")
        newer = False
        for f in struct["fields"]:
            if f.since and not newer:
                out.write(f"#if CALLS_RDMA_CORE >= {f.since}\n")
                newer = True
            at = f".offset = sizeof({tag})" if f.kind == "TRAIL" else f"AT({tag}, {f.name})"
            out.write(f'\t{{ "{f.name}", CALL_{f.kind}, {at}{attributes(f)} }},\n')
        link_at = f"offsetof({tag}, next)" if struct["linked"] else "0"
        out.write(("#endif\n" if newer else "") + "\t{ 0 }\n};\n"
                  f'static const struct call_struct struct_{name} = {{ "{name}", sizeof({tag}), '
                  f"fields_{name}, {link_at} }};\n")


def write_invoke(f, out):
    """The function that makes the call with numbers."""
    values = ", ".join(f"({'void *)(uintptr_t' if a.is_pointer() else a.type})a[{i}]"
                       for i, a in enumerate(f.args))
    call = f"{f.name}({values})"
    cast = "(uintptr_t)" if f.result.pointers else \
        "(uint64_t)(int64_t)" if f.result.type in SIGNED else ""
    body = f"\t{call};\n\treturn 0;\n" if f.void else f"\treturn {cast}{call};\n"
    out.write(f"\nstatic uint64_t do_{f.name}(const uint64_t *a)\n{{\n"
              f"{'' if f.args else chr(9) + '(void)a;' + chr(10)}{body}}}\n")


def row_marks(f, table):
    yield "is_inline", f.inline
    yield "is_cm", f.header.startswith("rdma/")
    for word in ("waits", "asks", "fetches", "ties", "serves"):
        yield word, f.mark(word)
    yield "since", f.since
    yield "step", f.mark("step") and "CALL_" + f.mark("step").upper()
    yield "rule", f.mark("rule") and "RULE_" + f.mark("rule")
    yield "needs", f.mark("need")
    yield "ended_by", f.mark("ended-by") and f'"{f.mark("ended-by")}"'
    struct, _, member = (f.mark("through") or "").partition(".")
    if struct in ("ibv_qp_ex", "ibv_cq_ex", "qp_ex_with_flush"):
        yield "member", f"offsetof(struct {struct}, {member})"
    asked, _, number = (f.mark("asked") or "").partition("=")
    yield "adds", asked and table.word_value("ibv_wr_opcode", asked) + " + 1"
    yield "asked", asked and (number or "IBV_QP_EX_WITH_" + asked)
    yield "why", f.mark("why") and f'"{f.mark("why")}"'
    yield "fails", "FAILS_" + table.fails(f)
    if table.errnos(f):
        yield "errnos", "(const uint8_t[]){ " + ", ".join(table.errnos(f)) + ", 0 }"
    for number, name in enumerate((f.mark("stands-for") or "").split()):
        yield f"stands_for[{number}]", f'"{name}"'
    yield "invoke", not f.mark("why") and "do_" + f.name


def write_row(f, table, out):
    path = "DATAPATH" if f.mark("datapath") else "PREPARE" if f.mark("prepare") else "SETUP"
    result = f'.name = "{f.name}", .kind = CALL_{f.result.kind}{attributes(f.result)}'
    if not f.void:
        result += f", .size = {size_of(f.result)}"
    prototype = f.result.declare(f.name) + "(" + ", ".join(a.declare() for a in f.args) + ")"
    marks = "".join(f", .{name} = {'true' if mark is True else mark}"
                    for name, mark in row_marks(f, table) if mark)
    out.write(f'\t{{ "{f.name}", "{f.header}", CALL_{path}, RESULT_{f.says}, .args = args_{f.name}, '
              f".result = {{ {result} }}, "
              f'.prototype = "{prototype.replace("_compat_", "")}"{marks} }},\n')


def write_table(table, out):
    out.write(NOTE + "#include <arpa/inet.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <sys/socket.h>\n\n"
              '#include "calls.h"\n#include "recorded.h"\n\n'
              "#define AT(type, field) \\\n"
              "\t.size = sizeof(((type *)0)->field), .offset = offsetof(type, field)\n"
              "/* Words from 64 on have no bit. */\n"
              "#define BIT(word) ((word) < 64 ? 1ull << ((word) & 63) : 0)\n\n")
    write_enums(table, out)
    write_structs(table, out)
    for f in table.functions:
        if not f.mark("why"):
            write_invoke(f, out)
        rows = "".join(f'\t{{ "{a.name}", CALL_{a.kind}{attributes(a)}, .size = {size_of(a)} }},\n'
                       for a in f.args)
        out.write(f"\nstatic const struct call_value args_{f.name}[] = {{\n{rows}\t{{ 0 }}\n}};\n")
    out.write("\nconst struct call_fn call_table[] = {\n")
    for f in table.functions:
        write_row(f, table, out)
    out.write("\t{ 0 }\n};\n\n"
              "const unsigned call_count = sizeof call_table / sizeof *call_table - 1;\n\n"
              "const struct call_object_type call_objects[OBJECT_KINDS] = {\n")
    for name, o in table.objects.items():
        of = f"&struct_{name}" if o["told"] else "NULL"
        by = f'"{o["ended_by"]}"' if o["ended_by"] else "NULL"
        size = f"offsetof(struct {name}, {o['until']})" if o["until"] else \
            f"sizeof(struct {name})" if o["public"] else "0"
        out.write(f'\t[OBJECT_{o["word"]}] = {{ "{name}", "{o["word"].lower()}", "{o["called"]}", '
                  f"{of}, {by}, {size} }},\n")
    out.write("};\n")


def write_objects(table, out):
    words = "".join(f"\tOBJECT_{o['word']},\n" for o in table.objects.values())
    out.write(NOTE + "#ifndef CALLS_CALL_OBJECTS_H\n#define CALLS_CALL_OBJECTS_H\n\n"
              "/* Types of objects that pointers refer to, in the order of call_objects[]. */\n"
              f"enum call_object {{\n\tOBJECT_NONE,\n{words}\tOBJECT_KINDS\n}};\n\n#endif\n")


def write_newer_structs(table, out):
    """Those that older headers do not have, with numbers in place of enums that these lack, too."""
    out.write(NOTE + "#include <infiniband/verbs.h>\n\n")
    for name in table.objects:
        out.write(f"struct {name};\n")
    for name, struct in table.structs.items():
        if struct["since"]:
            fields = "".join(f"\t{f.declare(type='uint32_t' if f.tag == 'enum' else None)};\n"
                             for f in struct["fields"])
            out.write(f"\n#if CALLS_RDMA_CORE < {struct['since']}\n"
                      f"struct {name} {{\n{fields}}};\n#endif\n")


# ------------------------------------------------------------ wrappers.c, recorded.h --


def missing(f):
    """The function in place of one that the library does not have."""
    says = "" if f.void else "\treturn NULL;\n" if f.result.pointers else "\treturn ENOSYS;\n"
    return (f"static {f.result.declare('missing_' + f.name)}({f.parameters()})\n{{\n" +
            "".join(f"\t(void){a.name};\n" for a in f.args) + f"\terrno = ENOSYS;\n{says}}}\n\n")


def write_wrappers(table, out):
    loaded = [f for f in table.functions if not f.inline] + table.helpers
    out.write(NOTE + '#include <errno.h>\n#include <stddef.h>\n\n#include "newer.h"\n'
              '#include "call_fault.h"\n#include "call_record.h"\n#include "backend.h"\n#include "recorded.h"\n\n')
    for f in table.hidden():
        out.write(f"#undef {f.name}\n")
    out.write("\n/* The functions of the libraries. */\nstatic struct {\n")
    for f in loaded:
        out.write(f"\t{f.result.declare('(*' + f.name + ')')}({f.parameters()});\n")
    out.write("} real;\n\n")
    for f in loaded:
        if f.since:
            out.write(missing(f))
    out.write("const struct backend_symbol backend_symbols[] = {\n")
    for f in loaded:
        instead = f"(void *)missing_{f.name}" if f.since else "NULL"
        out.write(f'\t{{ "{f.name}", "{f.version}", &real.{f.name}, {instead} }},\n')
    out.write("\t{ 0 }\n};\n")
    for f in table.hidden():
        out.write(f"\n{f.result.declare('recorded_' + f.name)}({f.public_parameters()})\n")
        out.write(f.body(f.mark("macro") or f"{f.name}({f.names()})"))
    for f in loaded: # the library is loaded before the call begins: that may take milliseconds
        out.write(f"\n{f.result.declare('(' + f.name + ')')}({f.parameters()})\n")
        out.write(f.body(f"real.{f.name}({f.names()})", before="\tbackend_need();\n"))


def write_recorded(table, out):
    out.write(NOTE + "/*\n"
              " * The functions that the headers define inline, once more, so that their calls are\n"
              " * recorded. All other functions are recorded under their own names, by wrappers.c.\n"
              " */\n"
              "#ifndef CALLS_RECORDED_H\n#define CALLS_RECORDED_H\n\n#include \"newer.h\"\n\n"
              "/* The numbers of the rows of call_table. */\nenum call_row {\n")
    out.write("".join(f"\tROW_{f.name},\n" for f in table.functions) + "};\n\n")
    hidden = table.hidden()
    for f in hidden:
        out.write(f"{f.result.declare('recorded_' + f.name)}({f.public_parameters()});\n")
    for f in table.functions:
        if f.since and not f.inline:
            out.write(f"\n#if CALLS_RDMA_CORE < {f.since}\n"
                      f"{f.result.declare()}({f.parameters()});\n#endif\n")
    for f in hidden:
        if f.mark("macro"):
            out.write(f"#undef {f.name}\n")
        out.write(f"#define {f.name}(...) recorded_{f.name}(__VA_ARGS__)\n")
    out.write("\n#endif\n")


def main():
    table = Table(sys.argv[1])
    for name, write in (("call_table.c", write_table), ("call_objects.h", write_objects),
                        ("newer_structs.h", write_newer_structs),
                        ("wrappers.c", write_wrappers), ("recorded.h", write_recorded)):
        with open(os.path.join(sys.argv[2], name), "w", encoding="ascii") as out:
            write(table, out)


if __name__ == "__main__":
    main()
