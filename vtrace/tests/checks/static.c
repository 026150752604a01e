// SPDX-License-Identifier: MIT
/* A program that is linked statically: nothing can be loaded before its libraries. */
int main(void)
{
	return 0;
}
