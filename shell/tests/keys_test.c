/* SPDX-License-Identifier: MIT */
/* Bytes of a terminal (here a pipe) to keys: UTF-8, pastes. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>

#include "checks.h"
#include "edit/edit_impl.h"
#include "loop.h"

static struct loop *loop;
static struct keys *keys;
static int tty[2];
static int idle_now, idle_times;

static void on_idle(void *arg, bool idle)
{
	(void)arg;
	idle_now = idle;
	idle_times += idle;
}

static void send(const char *bytes)
{
	CHECK_INT(write(tty[1], bytes, strlen(bytes)), (int64_t)strlen(bytes));
}

static void check_keys(const wchar_t *want)
{
	wchar_t c;

	for (; *want; want++) {
		CHECK_INT(keys_next(keys, &c), 1);
		CHECK_INT(c, *want);
	}
}

static void characters(void)
{
	send("a\303\266\344\270\226\360\237\230\200\r");
	check_keys(L"a\u00f6\u4e16\U0001f600\r");
}

static void broken_characters(void)
{
	send("\377a\200b\344\270c\303\303\266\300\200\355\240\200.");
	check_keys(L"\xfffd"
		   L"a\xfffd"
		   L"b\xfffd"
		   L"c\xfffd\u00f6\xfffd\xfffd\xfffd.");
}

static void send_late(void *arg)
{
	send(arg);
}

/* The key stands for the paste until its text is taken; here it is dropped. */
static void pastes(void)
{
	send("one\rtwo\033[Athree\033[201~z");
	CHECK_INT(keys_read_paste(keys), 1);
	check_keys((const wchar_t[]){ KEYS_PASTED, KEYS_PASTED, L'\0' });
	keys_drop(keys);
	check_keys(L"z");
}

static void raise_int(void *arg)
{
	(void)arg;
	raise(SIGINT);
}

static void interrupt_and_type(void *arg)
{
	(void)arg;
	raise(SIGINT);
	send("u");
}

static void interrupts(void)
{
	wchar_t c;

	loop_after(loop, 3, raise_int, NULL);
	errno = 0;
	CHECK_INT(keys_next(keys, &c), -1);
	CHECK_INT(errno, EINTR);
	loop_clear_interrupt(loop);

	/* Text that is typed behind it, even if both are there at once, is for the next line.
	 */
	raise(SIGINT);
	send("v");
	CHECK_INT(keys_next(keys, &c), -1);
	loop_clear_interrupt(loop);
	check_keys(L"v");
	loop_after(loop, 3, interrupt_and_type, NULL);
	CHECK_INT(keys_next(keys, &c), -1);
	loop_clear_interrupt(loop);
	check_keys(L"u");

	/* In the middle of a paste: nothing of it stays. */
	send("half");
	loop_after(loop, 3, raise_int, NULL);
	CHECK_INT(keys_read_paste(keys), -1);
	loop_clear_interrupt(loop);
	send("w");
	check_keys(L"w");
}

static void idle_while_waiting(void)
{
	int before = idle_times;
	static char late[] = "l";

	send("k");
	check_keys(L"k");
	CHECK_INT(idle_times, before);
	loop_after(loop, 3, send_late, late);
	check_keys(L"l");
	CHECK_INT(idle_times, before + 1);
	CHECK_INT(idle_now, 0);
}

static void terminal_gone(void)
{
	wchar_t c;

	close(tty[1]);
	CHECK_INT(keys_next(keys, &c), 0);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	signal(SIGINT, SIG_DFL);
	CHECK_INT(pipe(tty), 0);
	loop = loop_new();
	keys = keys_new(loop, tty[0], on_idle, NULL);
	characters();
	broken_characters();
	pastes();
	interrupts();
	idle_while_waiting();
	terminal_gone();
	keys_free(keys);
	loop_free(loop);
	close(tty[0]);
	return checks_end();
}
