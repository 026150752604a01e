#!/bin/sh
# SPDX-License-Identifier: MIT
# Fields packed and unpacked: each type both ways, at its limits and beyond; bytes that are not of
# the layout; every beginning of a message, and messages with each of its bits wrong.
. "$(dirname "$0")/run.inc"

cat >pack.rdma <<'EOF'
proc hex {bytes} {binary encode hex $bytes}
proc bytes {hex} {binary decode hex $hex}
# both LAYOUT VALUES BYTES ?PREFIX?: packed these are the bytes, unpacked the values
proc both {layout values bytes {prefix {}}} {
	expect -name "pack {$layout}" -value $bytes {hex [{*}$prefix pack $layout $values]}
	expect -name "unpack {$layout}" -value $values {{*}$prefix unpack $layout [binary decode hex $bytes]}
}
proc refused {code text script} {
	expect -name $text -error $code {uplevel #0 $script}
	expect -name $text -value *$text* {catch {uplevel #0 $script} why; set why}
}

both {u8 a u16 b u32 c u64 d} {a 255 b 258 c 4294967295 d 18446744073709551615} ff0102ffffffffffffffffffffffff
both {i8 a i16 b i32 c i64 d} {a -1 b -2 c -2147483648 d -9223372036854775808} fffffe800000008000000000000000
both {u16le a u32le b u64le c} {a 258 b 1 c 2} 0201010000000200000000000000
both {i16le a i32le b i64le c} {a -2 b -3 c -4} fefffdfffffffcffffffffffffff
both {f32 a f64 b f32le c f64le d} {a 1.5 b -2.0 c 1.5 d -2.0} 3fc00000c0000000000000000000c03f00000000000000c0
both {varint a varint b varint c} {a 0 b 300 c 18446744073709551615} 00ac02ffffffffffffffffff01
both {zigzag a zigzag b zigzag c} {a -1 b 1 c -9223372036854775808} 0102ffffffffffffffffff01
both {hex:4 gid pad:2 u8 end} {gid 00ff10aa end 1} 00ff10aa000001
both {u8 n bytes:n name text rest} "n 3 name abc rest \u20ac" 03616263e282ac
both {bytes:2 a bytes b} {a xy b {}} 7879
expect -name "text is characters, also of bytes" -value c3bf {hex [pack {text t} [list t [bytes ff]]]}
expect -name "in protobuf, too" -value 0a02c3bf {hex [protobuf pack {1 string t} [list t [bytes ff]]]}
expect -value 0568656c6c6f {hex [pack {u8 len text:len word} {word hello}]}
expect -value 0a {hex [pack {u8 n} {n 0x0a}]}

refused ERANGE "n: 256 does not fit in 8 unsigned bits" {pack {u8 n} {n 256}}
refused ERANGE "n: -1 does not fit" {pack {u64 n} {n -1}}
refused ERANGE "n: 18446744073709551616" {pack {u64 n} {n 18446744073709551616}}
refused ERANGE "n: 9223372036854775808 does not fit in 64 signed" {pack {i64 n} {n 9223372036854775808}}
refused ERANGE "n: 128 does not fit in 8 signed" {pack {i8 n} {n 128}}
refused ERANGE "n: 0999 does not fit in 8 unsigned" {pack {u8 n} {n 0999}}
refused EINVAL "n: 'x' is not a number" {pack {u8 n} {n x}}
refused EINVAL "'zz' is not pairs of hex digits" {pack {hex n} {n zz}}
refused EINVAL "there is no type 'u24'" {pack {u24 n} {n 1}}
refused EINVAL "u8 needs a name" {pack {u8} {}}
refused EINVAL "1 of the values are of no field" {pack {u8 n} {n 1 m 2}}
refused ENOENT "there is no value for n" {pack {u8 n} {}}
refused ENOENT "there is no value for len" {pack {bytes:len data u8 len} {data hello}}
refused EINVAL "pack takes a layout and a dict of values: 0 words" {pack {u8 n}}
refused EINVAL "2 words follow the layout" {pack {u8 n} n 1}
refused EINVAL "unpack takes a layout and bytes: 3 words" {unpack {u8 n} -- x y}
refused EINVAL "0 words follow" {unpack {u8 n}}
expect -name "-- before the bytes" -value {n 45 m 45} {unpack {u8 n u8 m} -- --}
refused EMSGSIZE "3 bytes where 2 are to stand" {pack {bytes:2 n} {n abc}}
refused EMSGSIZE "n: 2 bytes are to stand at 0, 1 are left" {unpack {u16 n} x}
refused EMSGSIZE "1 bytes are left over at 1" {unpack {u8 n} xy}
refused EMSGSIZE "d: 4294967295 bytes are to stand" {unpack {u32 n bytes:n d} [bytes ffffffff]}
refused EMSGSIZE "d: 18446744073709551615 bytes" {unpack {u64 n bytes:n d} [bytes ffffffffffffffff]}
refused EMSGSIZE "d: 18446744073709551615 bytes" {unpack {i8 n bytes:n d} [bytes ff]}
refused EINVAL "no number called n comes before" {unpack {bytes:n d} x}
refused ERANGE "more than 64 bits" {unpack {varint n} [bytes ffffffffffffffffff02]}

# protobuf: bytes as protoc --encode has them
both {1 uint64 id} {id 150} 089601 protobuf
both {2 string s} {s testing} 120774657374696e67 protobuf
both {1 string s 2 bytes b} {s 007 b 0x10} 0a03303037120430783130 protobuf
both {3 {1 int32 a} m} {m {a 150}} 1a03089601 protobuf
both {6 {repeated int32} e} {e {3 270 86942}} 3206038e029ea705 protobuf
both {4 {repeated string} s} {s {ab {} c}} 220261622200220163 protobuf
both {1 sint32 a 2 sint64 b 3 bool c 4 fixed32 d 5 fixed64 e 6 sfixed32 f 7 sfixed64 g 8 float h 9 double i} \
	{a -1 b 1 c 1 d 1 e 2 f -1 g -2 h 1.5 i -2.0} \
	080110021801250100000029020000000000000035ffffffff39feffffffffffffff450000c03f4900000000000000c0 protobuf
both {1 int32 a} {a -1} 08ffffffffffffffffff01 protobuf
both {1 bytes b} [list b [bytes ff]] 0a01ff protobuf
expect -name "one by one is a list, too" -value {e {3 4}} {protobuf unpack {6 {repeated int32} e} [binary decode hex 30033004]}
expect -name "others are passed over" -value {a 1} {
	protobuf unpack {1 int32 a} [binary decode hex 10051a017825010000002901000000000000000801]
}
expect -name "the last counts" -value {a 2} {protobuf unpack {1 int32 a} [binary decode hex 08010802]}
expect -name "absent" -value {l {}} {protobuf unpack {1 int32 a 2 {repeated string} l} {}}
refused EBADMSG "a is int32: it cannot have wire type 2" {protobuf unpack {1 int32 a} [bytes 0a00]}
refused EBADMSG "there is no wire type 3" {protobuf unpack {1 int32 a} [bytes 13]}
refused EBADMSG "the number 0" {protobuf unpack {1 int32 a} [bytes 0000]}
refused EINVAL "'int3' is not a type of protobuf" {protobuf pack {1 int3 a} {}}
refused EINVAL "a layout is number, type and name" {protobuf pack {1 int32} {}}
refused ERANGE "a field's number is 1 to" {protobuf pack {0 int32 a} {}}
refused EINVAL "of no field" {protobuf pack {1 int32 a} {b 1}}

# each beginning, and each bit wrong: a dict, or an error of unpack's own
set layout {1 string name 2 uint64 id 3 {repeated sint32} l 4 {1 bytes b 2 {repeated {1 int32 x}} m} in}
set whole [protobuf pack $layout {name rdma id 300 l {1 -2 3} in {b xyz m {{x 1} {x 2}}}}]
set fields {u8 a varint b u16 n bytes:n c zigzag d text e}
set other [pack $fields {a 1 b 300 c hello d -7 e end}]
set tried 0
proc hostile {layout bytes prefix} {
	incr ::tried
	try {{*}$prefix unpack $layout $bytes} trap {RDMASH unpack} {} {} trap {RDMASH protobuf} {} {}
}
foreach {l bytes prefix} [list $layout $whole protobuf $fields $other {}] {
	for {set i 0} {$i < [string length $bytes]} {incr i} {
		hostile $l [string range $bytes 0 $i] $prefix
		scan [string index $bytes $i] %c byte
		for {set bit 1} {$bit < 256} {set bit [expr {2 * $bit}]} {
			hostile $l [binary format a* [string replace $bytes $i $i [format %c [expr {$byte ^ $bit}]]]] $prefix
		}
	}
}
expect -name "hostile bytes" -true {$tried > 300}
EOF
run -q -f pack.rdma
wants 'pack' "$code $(printf '%s' "$err" | head -n 3)" '0 '
run -c 'pack {pad:256} {}'
wants 'all of 256 bytes' "$(printf '%s' "$out" | grep -c 'bytes more')" 0
run -c 'pack {pad:300} {}'
wants 'what is not printed' "$(printf '%s' "$out" | tail -n 1)" '(44 bytes more)'
finish
