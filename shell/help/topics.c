/* SPDX-License-Identifier: MIT */
/* Help pages that belong to no command; the manual page contains them, too. */
#include <stddef.h>

#include "help/help.h"
#include "language/library.h"
#include "session.h"

static const char language[] =
	"Lines are Tcl commands: a word, its arguments, and one line or ';' ends it. Commands and\n"
	"options may be shortened as long as they stay unique.\n"
	"\n"
	"  set n 3                    a variable; $n is its value\n"
	"  echo [get mr0 rkey]        [...] puts in the result of a command\n"
	"  echo \"rkey is $rkey\"       quoted: with $ and []\n"
	"  echo {as $it is}           in braces: without\n"
	"  if {$n > 2} {poll}         conditions and bodies stand in braces\n"
	"  for {set i 0} {$i < 3} {incr i} {...}    foreach x {a b} {...}    while {1} {...}\n"
	"  proc twice {x} {expr {2 * $x}}           a command of your own\n"
	"  dict get [poll] status     results are dicts, lists or plain values\n"
	"  unpack {u64 addr u32 rkey} $bytes        the fields of what a peer sent\n"
	"  on timer 1s {echo tick}                  runs while the session waits\n"
	"  try {...} trap {RDMASH ibv_modify_qp EINVAL} {...}\n"
	"                             errors: RDMASH, the call, the errno or status\n"
	"  poll ;# a comment          a comment after a command needs the ';'\n"
	"\n"
	"The text of a result is printed when the command stands alone at top level; inside of\n"
	"[...], loops and procs it is only a value (repeat prints, echo always does). IPv6\n"
	"addresses are written without brackets. Numbers have 64 bits and may be written 0x1f.\n"
	"Sizes take K, M and G, times ms and s.\n"
	"\n"
	"All of Tcl's own commands are there but those that leave the shell (open, exec, socket,\n"
	"file, cd, load) or that have an event loop of their own (after, vwait, update): for\n"
	"those see 'help on timer' and 'help wait until'.";

static const char scripts[] =
	"A script is a file of the lines you would type, named *.rdma by convention:\n"
	"\n"
	"  rdmash script.rdma ARG ...     the arguments are in $argv\n"
	"  rdmash -f a.rdma -c 'show' -f b.rdma\n"
	"                                 one after the other, in one session\n"
	"  rdmash -n a.rdma b.rdma        checks them all, runs nothing\n"
	"  rdmash -x script.rdma          shows each command before it runs\n"
	"  #!/usr/bin/env rdmash          as its first line makes a file a program\n"
	"\n"
	"The first error ends a script, and says where: file, line, and through which procs. With\n"
	"-k it goes on. 'expect' makes a script a test; 'record' makes one of what you typed.\n"
	"\n"
	"Scripts are not trusted. They cannot run programs, reach the network only by commands\n"
	"of the shell, and files only below the directory of the script or one that\n"
	"--allow-dir names; they write no file that has a second name (a hard link). What a script\n"
	"leaves behind, its procs, traces and methods, keeps these limits, whoever calls it. Lines\n"
	"that you type are yours: no limits.\n"
	"\n"
	"At the prompt and with -c you find the procs of the scripts that were run, but for those\n"
	"named like a command or proc that is there already, and the values of their global\n"
	"variables. They find the values of yours, not your procs. Scripts of one directory share\n"
	"everything; a script that is sourced by another has the rights of that one.\n"
	"\n"
	"--unsafe lifts all this, and brings Tcl's own open, close and puts as tcl_open, tcl_close\n"
	"and tcl_puts.";

static const char exit_codes[] =
	"What rdmash ends with:\n"
	"\n"
	"  0    all went well\n"
	"  1    a command failed\n"
	"  2    wrong usage, a script that cannot be read or does not parse\n"
	"  3    an expectation failed\n"
	"  4    interrupted: Ctrl-C, SIGTERM, SIGHUP\n"
	"  70   Tcl can go on no more: no memory is left, a value has more than 2 GiB, or text was\n"
	"       nested deeper than the stack\n"
	"  77   a require of the script is not met: skipped\n"
	"\n"
	"quit CODE ends with a code of your own.";

static const char files[] =
	"  mem load REGION FILE       reads a file into a region; mem save writes one\n"
	"  source FILE                runs a script; record FILE writes what you type\n"
	"  capture start FILE         keeps the packets; wire read FILE shows them\n"
	"  report FILE, export        the session as a page, as a program\n"
	"\n"
	"What rdmash itself reads and writes:\n"
	"\n"
	"  $XDG_CONFIG_HOME/rdmash/rc.rdma\n"
	"      the start file: run at the start of each interactive session, unless\n"
	"      -X is given; as if it were typed, unless others than you could have\n"
	"      written it\n"
	"  $XDG_STATE_HOME/rdmash/history\n"
	"      what was typed; $RDMASH_HISTORY names another\n"
	"  $XDG_STATE_HOME/rdmash/lessons\n"
	"      which lessons were finished\n"
	"\n"
	"Where these variables are not set, ~/.config and ~/.local/state are meant.\n"
	"$RDMASH_DEVICE is what --device says when it is not given.";

static const char prompt[] =
	"Tab completes commands, options, values, names of objects, $variables and files; what is\n"
	"still missing stands in grey behind the cursor ('option hints off' hides it). Ctrl-R\n"
	"searches the history, Ctrl-L clears the screen. A line that is not whole (an open brace or quote) continues on the\n"
	"next one. Ctrl-C drops the line, or stops the command that runs, whatever it does, but\n"
	"for a single step of Tcl itself (an lsort of a huge list), which ends first; the session\n"
	"and its objects stay. Ctrl-D on an empty line leaves. !command runs a command of the system.\n"
	"Lines with '*' are notices: something happened on its own ('notices').";

static const struct topic own[] = {
	{ "exit-codes", "Exit codes", exit_codes, NULL },
	{ "files", "Files", files, NULL },
	{ "language", "The language", language, NULL },
	{ "prompt", "At the prompt", prompt, NULL },
	{ "scripts", "Scripts", scripts, NULL },
	{ 0 },
};

/* The topic of a library. */
static const struct topic *of_library(const struct library *l)
{
	l = library_next(l);
	return l ? library_topic(l) : NULL;
}

const struct topic *topic_next(const struct topic *t)
{
	const struct library *l = t ? library_named(t->name) : NULL;

	if (l)
		return of_library(l);
	t = t ? t + 1 : own;
	if (t == &own[sizeof own / sizeof *own - 1])
		t = app.topics;
	return t && t->name ? t : of_library(NULL);
}

const struct help_option help_option_table[] = {
	{ "-f, --file", "FILE", "run the script FILE ('-': standard input); may be repeated" },
	{ "-c, --command", "CMD", "run CMD; -f and -c run in the order given" },
	{ "-n, --check", NULL, "check scripts against the command tables, run nothing" },
	{ "-x, --trace", NULL, "show each command before it runs" },
	{ "-k, --keep-going", NULL, "an error does not end a script" },
	{ "-q, --quiet", NULL, "print no results, only what became of the checks" },
	{ "-X, --no-rc", NULL, "do not run the start file" },
	{ "--json", NULL, "print results, checks and errors as JSON, one line each" },
	{ "--junit", "FILE", "write what became of the checks as a JUnit file" },
	{ "--color", "WHEN", "always, never or auto" },
	{ "--device", "NAME", "the RDMA device to use where none is named" },
	{ "--allow-dir", "DIR", "scripts may use files below DIR, too" },
	{ "--unsafe", NULL, "scripts may do all that Tcl can: open, exec, socket" },
	{ "--peer", NULL, "serve another rdmash on standard input and output (see 'help peer')" },
	{ "-V, --version", NULL, "print versions" },
	{ "-h, --help", NULL, "print this" },
	{ "--man", NULL, "print the manual page" },
	{ "--complete-bash", NULL, "print the completion script for bash" },
	{ 0 },
};
