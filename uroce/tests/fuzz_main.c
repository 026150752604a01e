// SPDX-License-Identifier: MIT
/* In place of libFuzzer where it was not asked for: the files of a directory are the inputs. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int main(int argc, char **argv)
{
	static uint8_t input[1 << 16];
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	unsigned runs = 0;

	if (!dir) {
		fprintf(stderr, "usage: %s DIR\n", argv[0]);
		return 2;
	}
	for (struct dirent *d; (d = readdir(dir));) {
		char path[4096];
		FILE *f;
		size_t n;

		if (d->d_type != DT_REG)
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], d->d_name);
		f = fopen(path, "rb");
		if (!f) {
			perror(path);
			return 1;
		}
		n = fread(input, 1, sizeof(input), f);
		fclose(f);
		LLVMFuzzerTestOneInput(input, n);
		for (size_t cut = 0; cut < n; cut += 1 + n / 16, runs++)
			LLVMFuzzerTestOneInput(input, cut);
		runs++;
	}
	closedir(dir);
	printf("%u inputs\n", runs);
	return runs ? 0 : 1;
}
