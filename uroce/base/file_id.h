/* SPDX-License-Identifier: MIT */
/* Is a descriptor still what it was? A program may close descriptors that it has not opened
 * (closefrom(3), close_range(2)), and files of its own get their numbers. */
#ifndef UROCE_FILE_ID_H
#define UROCE_FILE_ID_H

#include <stdbool.h>
#include <sys/stat.h>

struct file_id {
	dev_t device;
	ino_t inode; /* that of all descriptors without a file, such as those of eventfd(2), is one
		      */
};

static inline struct file_id file_id(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? (struct file_id){ st.st_dev, st.st_ino }
				   : (struct file_id){ 0 };
}

static inline bool file_is(int fd, struct file_id id)
{
	const struct file_id now = file_id(fd);

	return now.inode && now.inode == id.inode && now.device == id.device;
}

#endif
