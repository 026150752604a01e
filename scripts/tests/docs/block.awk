# The first block of a page of Markdown below a heading: awk -v heading='## Building' -f block.awk PAGE
$0 == heading { there = 1 }
there && /^```/ { if (on) exit; on = 1; next }
on
