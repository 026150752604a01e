// SPDX-License-Identifier: MIT
#include "link.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "fault_rule.h"
#include "order.h"
#include "path.h"
#include "profile.h"
#include "rules.h"
#include "tap.h"
#include "shown.h"

/* Is the device of the rule that was added last one of ours? 0, or -1 with why. */
static int check_device(char *why, size_t size)
{
	unsigned n;
	const struct fault_rule *r = rules_all(&n);

	r += n - 1;
	for (unsigned i = 0; i < device_count(); i++)
		if (!*r->device || strcmp(r->device, device_name(i)) == 0)
			return 0;
	snprintf(why, size, "device=%s: there is %s", r->device, device_names());
	errno = EINVAL;
	return -1;
}

/* Rules with semicolons between: those about packets, and the others. */
static int read_rules(const char *text, unsigned long long seed, char *why, size_t size)
{
	char *packets = calloc(1, strlen(text) + 2), *end = packets;
	int rc = packets ? 0 : -1;

	for (size_t n; rc == 0 && *text; text += n + (text[n] == ';')) {
		n = strcspn(text, ";");
		if (fault_rule_is_of_device(text)) {
			rc = rules_add(text, n, seed, why, size) == 0 ? check_device(why, size)
								      : -1;
		} else {
			memcpy(end, text, n + (text[n] == ';'));
			end += n + (text[n] == ';');
		}
	}
	if (rc == 0)
		rc = fault_set(packets, false, seed, why, size);
	free(packets);
	return rc;
}

static int setup_faults(char *reason, size_t size)
{
	const char *text = getenv("UROCE_FAULT"), *seed = getenv("UROCE_FAULT_SEED");
	unsigned long long value = 0;
	char why[200];

	if (!text || !*text)
		return 0;
	if (seed && *seed) {
		char *end;

		errno = 0;
		value = strtoull(seed, &end, 0);
		if (*end || errno || !value) {
			snprintf(reason, size,
				 "UROCE_FAULT_SEED=%s is not a number from 1 to 2^64-1", seed);
			errno = EINVAL;
			return -1;
		}
	}
	if (read_rules(text, value, why, sizeof why) == 0)
		return 0;
	snprintf(reason, size, "UROCE_FAULT: %s", why);
	return -1;
}

static int setup_order(char *reason, size_t size)
{
	const char *text = getenv("UROCE_ORDER");
	unsigned level;
	uint64_t seed;
	char why[120];

	if (!text || !*text)
		return 0;
	if (order_read(text, &seed, &level, why, sizeof(why)) == 0)
		return order_set(seed, level);
	snprintf(reason, size, "UROCE_ORDER: %s", why);
	return -1;
}

static int setup_capture(char *reason, size_t size)
{
	const char *file = secure_getenv("UROCE_PCAP"); /* a file is written */
	char text[400];

	if (!file || !*file || tap_capture(file, true) == 0)
		return 0;
	snprintf(reason, size, "UROCE_PCAP=%s: %s", file,
		 errno == EEXIST ? "is there and is no pcapng file: name another one"
				 : strerror(errno));
	if (!getenv("UROCE_PCAP_OPTIONAL")) /* vtrace sets it: the program has not asked */
		return -1;
	shown(text, sizeof text, reason, false);
	fprintf(stderr, "uroce: %s: no packets of this process are captured\n", text);
	return 0;
}

static bool done;

static int read_environment(char *reason, size_t size)
{
	const char *gso = getenv("UROCE_GSO");

	if (devices_check(reason, size) != 0)
		return -1;
	tx_gso = !gso || strcmp(gso, "0") != 0;
	rx_setup(tx_gso);
	if (path_setup(getenv("UROCE_PATH"), reason, size) != 0)
		return -1;
	if (!done && (profile_setup(getenv("UROCE_PROFILE"), reason, size) != 0 ||
		      setup_faults(reason, size) != 0 || setup_order(reason, size) != 0 ||
		      setup_capture(reason, size) != 0))
		return -1;
	done = true;
	return 0;
}

int link_setup(char *reason, size_t size)
{
	char raw[400];

	if (read_environment(raw, sizeof raw) == 0)
		return 0;
	shown(reason, size, raw, false); /* values of the environment are in it */
	return -1;
}

void link_forget(void)
{
	tx_forget();
	fault_forget();
	rules_forget();
	tap_forget();
	done = false;
}
