#!/bin/bash
# SPDX-License-Identifier: MIT
# report.sh RDMASH [DIR]: pages of 'report' in a headless Chromium: something is drawn,
# in light and dark and on paper, the console has no messages, and the page requests nothing from
# the network (there is none, because the browser itself would use it). With DIR the pictures are
# kept there. Exit status 77 with the reason where there is no Chromium: scripts/setup.sh does not
# install that large package.
set -u
rdmash=$1 keep=${2-}
here=$(cd "$(dirname "$0")" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	{ echo "no Chromium (apt-get install chromium): skipped"; exit 77; }
if [ "${3-}" != inside ]; then
	exec bash "$here/../on.sh" uroce bash "$0" "$rdmash" "$keep" inside
fi
failures=0
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
mkdir pages

bad() {
	echo "not ok: $*"
	failures=$((failures + 1))
}

browse() {	# PAGE WORDS...
	local page=$1 sandbox=()
	shift
	[ "$(id -u)" != 0 ] || sandbox=(--no-sandbox)
	timeout 60 "$browser" --headless=new "${sandbox[@]}" --disable-gpu --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--disable-default-apps --disable-extensions --user-data-dir="$dir/profile" \
		--hide-scrollbars --window-size=1180,1300 --enable-logging=stderr \
		--log-net-log="$dir/net.json" "$@" "file://$dir/pages/$page" > log 2>&1 ||
		bad "$page: the browser ends with $?: $(tail -3 log)"
}

# silent PAGE: nothing was said to the console, nothing asked for. A request that the browser
# makes on its own account has no origin.
silent() {
	! grep 'CONSOLE' log || bad "$1: the console is not silent"
	! asks_for || bad "$1: something was asked of the network"
}

asks_for() {
	grep -E '"initiator":"(file|null)[^"]*".*"url":"(https?|wss?|ftp):' net.json
}

# drawn PICTURE: how dark the background is (0-255), and that there is much before it
drawn() {
	python3 - "$1" <<'END'
import collections, struct, sys, zlib
data = open(sys.argv[1], 'rb').read()
assert data[:8] == b'\x89PNG\r\n\x1a\n'
at, idat = 8, b''
while at < len(data):
    n, kind = struct.unpack('>I4s', data[at:at + 8])
    body = data[at + 8:at + 8 + n]
    if kind == b'IHDR':
        width, height, depth, colour = struct.unpack('>IIBB', body[:10])
    if kind == b'IDAT':
        idat += body
    at += 12 + n
assert depth == 8 and colour in (2, 6), (depth, colour)
bpp = 3 if colour == 2 else 4
raw, stride = zlib.decompress(idat), width * bpp
before, colours = bytearray(stride), collections.Counter()
for y in range(height):
    how = raw[y * (stride + 1)]
    line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
    for x in range(stride):
        a = line[x - bpp] if x >= bpp else 0
        b = before[x]
        c = before[x - bpp] if x >= bpp else 0
        if how == 1:
            line[x] = line[x] + a & 255
        elif how == 2:
            line[x] = line[x] + b & 255
        elif how == 3:
            line[x] = line[x] + (a + b) // 2 & 255
        elif how == 4:
            p = a + b - c
            pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
            line[x] = line[x] + (a if pa <= pb and pa <= pc else b if pb <= pc else c) & 255
    if y % 4 == 0:
        colours.update(bytes(line[x:x + 3]) for x in range(0, stride, bpp))
    before = line
(back, most), total = colours.most_common(1)[0], sum(colours.values())
drawn = 1 - most / total
if drawn < 0.01 or len(colours) < 16:
    sys.exit(f'{sys.argv[1]} is blank: {drawn:.2%}, {len(colours)} colours')
print(sum(back) // 3)
END
}

bash "$here/timeline.sh" "$rdmash" "$dir/pages" > log 2>&1
code=$?
[ $code != 77 ] || { cat log; exit 77; }
[ $code = 0 ] || bad "the pages: $(cat log)"
# a page that does what none of ours may: this test sees it
cat > pages/sees.html <<'END'
<!DOCTYPE html><html><body><img src="http://192.0.2.1/x.png"><script>console.log("x")</script>
END
browse sees.html --screenshot="$dir/sees.png"
asks_for > /dev/null || bad "requests are not seen"
grep -q CONSOLE log || bad "the console is not seen"
! drawn sees.png 2> /dev/null || bad "a blank page is not seen"

for page in good bad hostile; do
	browse $page.html --screenshot="$dir/$page.png"
	silent $page.html
	light=$(drawn $page.png) || bad "$page.html is not drawn"
	[ "${light:-0}" -gt 200 ] || bad "$page.html is not light"
done
browse good.html --screenshot="$dir/dark.png" --blink-settings=preferredColorScheme=0
dark=$(drawn dark.png) || bad "good.html is not drawn in dark mode"
[ "${dark:-255}" -lt 60 ] || bad "good.html does not follow dark mode: $dark"
browse good.svg --screenshot="$dir/svg.png"
silent good.svg
drawn svg.png > /dev/null || bad "good.svg is not drawn"
browse good.html --print-to-pdf="$dir/good.pdf"
[ "$(head -c 4 good.pdf)" = %PDF ] || bad "good.html cannot be printed"
[ -z "$keep" ] || cp ./*.png ./*.pdf pages/* "$keep"
[ "$failures" = 0 ] && echo ok
exit $((failures > 0))
