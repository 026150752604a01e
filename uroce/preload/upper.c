// SPDX-License-Identifier: MIT
/* The floors above link/ that take what it hands upwards. */
#include "context.h"
#include "link.h"
#include "mad.h"
#include "preload.h"
#include "transport.h"

const struct link_upper link_upper = {
	.packet = transport_input,
	.mad = cm_input,
	.shared_mad = cm_route,
	.status = status_text,
	.inventory = inventory_fd,
};
