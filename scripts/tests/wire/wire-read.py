#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""wire-read.py RDMASH FILE...: rdmash's wire read and tshark read the same in a capture.

Every field that both know must have the same value in every packet; a field that one of the
two alone knows must be named here, and why."""
import collections
import json
import re
import subprocess
import sys

# Fields that only rdmash shows: of messages that tshark leaves as bytes, as 4.0 does with the FETH.
ours_alone = re.compile(r"feth$|cm\.(mra|sidrreq|sidrrsp)\.|(number|time|name)$")
# Fields that only tshark shows: whole headers as bytes, reserved bits, fields of the
# connection manager that RoCE does not use (end-to-end contexts, the alternate path), and what
# is made of other fields.
theirs_alone = re.compile(
    r"(feth\.(plt|sel|reserved27)|bth|deth|reth|aeth|atomiceth|atomicacketh|mad|smplid\.smpdata|mad\.data|cm\.req\.ip_cm"
    r"|payload|reserved|bth\.tver|bth\.reserved7|aeth\.syndrome\.reserved"
    r"|.*reserved\d?|cm\.re[qp]\.\w*eecn|cm\.req\.alt_.*|cm\.req\.serviceid\..*"
    r"|cm\.req\.ip_cm\.(majv|minv|ipv)"
    r"|mad\.(baseversion|mgmtclass|classversion|method|status|classspecific|attributemodifier)"
    r")$")
# tshark 4.0 takes these two from the wrong bytes of a REQ: they are made of its bytes here.
# Name: the first bit and the number of bits, from the end of the MAD's header.
tsharks_mistakes = {"cm.req.prim_flowlabel": (88 * 8, 20), "cm.req.prim_pktrate": (91 * 8 + 2, 6)}
same = {"cm.req.prim_localgid_ipv4": "cm.req.prim_localgid",
        "cm.req.prim_remotegid_ipv4": "cm.req.prim_remotegid",
        "cm.req.ip_cm.sip4": "cm.req.ip_cm.sip", "cm.req.ip_cm.sip6": "cm.req.ip_cm.sip",
        "cm.req.ip_cm.dip4": "cm.req.ip_cm.dip", "cm.req.ip_cm.dip6": "cm.req.ip_cm.dip"}


def pairs(items):
    merged = collections.defaultdict(list)
    for key, value in items:
        merged[key].append(value)
    return merged


def flatten(tree, into):
    for key, values in tree.items():
        for value in values:
            if isinstance(value, dict):
                flatten(value, into)
            elif key.startswith("infiniband."):
                name = key[len("infiniband."):]
                into[same.get(name, name)].append(value)
    return into


def mend(fields, layers):
    """Fields that tshark knows, but says elsewhere, or wrongly."""
    if "vendor" in fields: # a CNP: its 16 bytes and the ICRC
        digits = max(fields.pop("vendor"), key=len).replace(":", "")
        fields["payload"], fields["invariant.crc"] = [digits[:-8]], ["0x" + digits[-8:]]
    elif "data" in layers: # with the pad
        digits = layers["data"][0]["data.data"][0].replace(":", "")
        fields["payload"] = [digits[:len(digits) - 2 * int(fields["bth.padcnt"][0])]]
    for name, (first, bits) in tsharks_mistakes.items():
        if name in fields:
            digits = fields["mad.data"][0].replace(":", "")
            value = int(digits, 16) >> (len(digits) * 4 - first - bits)
            fields[name] = [str(value & ((1 << bits) - 1))]
    return fields


def theirs(path):
    out = subprocess.run(["tshark", "-r", path, "-T", "json", "-Y", "infiniband"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    for packet in json.loads(out, object_pairs_hook=pairs):
        layers = packet["_source"][0]["layers"][0]
        fields = flatten(layers["infiniband"][0], collections.defaultdict(list))
        yield int(layers["frame"][0]["frame.number"][0]), mend(fields, layers), layers


def ours(rdmash, path):
    out = subprocess.run([rdmash, "-X", "--json", "-c", "wire read {%s} -n 0" % path],
                         stdout=subprocess.PIPE, check=True).stdout
    return {packet["number"]: packet for packet in json.loads(out)["value"]}


FLUSH, ATOMIC_WRITE, XRC = 0x1c, 0x1d, 0xa0


def only_bth(mine, fields):
    """Of XRC tshark knows no headers, nor does 4.0 of FLUSH and ATOMIC WRITE: what follows the BTH is
    bytes to it."""
    rest = fields.get("payload", [""])[0]
    rest = rest[:len(rest) - 2 * mine["bth.padcnt"]]
    payload = mine.get("payload", "")
    if not rest.endswith(payload):
        return None
    return {name: value for name, value in mine.items()
            if name.startswith("bth.") or name in ("src", "dst", "invariant.crc")}


def number(text):
    return int(text.replace(":", ""), 16) if ":" in text else int(text, 0)


def equal(mine, his):
    if isinstance(mine, int):
        return mine == number(his)
    return str(mine) == his.replace(":", "") or str(mine) == his


def main():
    compared = collections.Counter()
    alone = [collections.Counter(), collections.Counter()]
    bad = packets = 0
    for path in sys.argv[2:]:
        read = ours(sys.argv[1], path)
        seen = set()
        for n, fields, layers in theirs(path):
            seen.add(n)
            mine = read.get(n)
            if mine is None or "malformed" in mine:
                print(f"{path}: packet {n}: tshark reads it, rdmash does not: {mine}")
                bad += 1
                continue
            if mine["bth.opcode"] >= XRC or \
                    mine["bth.opcode"] in (FLUSH, ATOMIC_WRITE) and "reth.va" not in fields:
                mine = only_bth(mine, fields)
                if mine is None:
                    print(f"{path}: packet {n}: another payload")
                    bad += 1
                    continue
            packets += 1
            ip = layers["ip" if "ip" in layers else "ipv6"][0]
            version = "ip" if "ip" in layers else "ipv6"
            for end in "src", "dst":
                if mine.pop(end) != ip[f"{version}.{end}"][0]:
                    print(f"{path}: packet {n}: another {end}")
                    bad += 1
            for name, value in mine.items():
                if name not in fields:
                    alone[0][name] += 1
                elif equal(value, fields[name][0]):
                    compared[name] += 1
                else:
                    bad += 1
                    print(f"{path}: packet {n}: {name}: {value}, tshark: {fields[name]}")
            for name in fields:
                if name not in mine:
                    alone[1][name] += 1
        for n in set(read) - seen:
            print(f"{path}: packet {n}: rdmash reads it, tshark does not")
            bad += 1
    for who, names, allowed in (("rdmash", alone[0], ours_alone), ("tshark", alone[1], theirs_alone)):
        for name in names:
            if not allowed.match(name) and name not in compared:
                print(f"{who} alone knows {name}, in {names[name]} packets")
                bad += 1
    print(f"{packets} packets, {len(compared)} fields, {sum(compared.values())} values the same, "
          f"{bad} differ")
    sys.exit(bad > 0 or len(compared) < 60)


main()
