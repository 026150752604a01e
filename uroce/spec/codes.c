/* SPDX-License-Identifier: MIT */
#include "codes.h"

uint32_t rnr_timer_us(unsigned code)
{
	static const uint32_t us[32] = { 655360, 10,	 20,	 30,	40,    60,    80,
					 120,	 160,	 240,	 320,	480,   640,   960,
					 1280,	 1920,	 2560,	 3840,	5120,  7680,  10240,
					 15360,	 20480,	 30720,	 40960, 61440, 81920, 122880,
					 163840, 245760, 327680, 491520 };

	return us[code & 31];
}

uint64_t ack_timeout_ns(unsigned code)
{
	return code & 31 ? UINT64_C(4096) << (code & 31) : 0;
}

unsigned mtu_bytes(enum ibv_mtu mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128u << mtu : 0;
}

enum ibv_mtu mtu_of_bytes(unsigned bytes)
{
	enum ibv_mtu mtu = IBV_MTU_4096;

	while (mtu && mtu_bytes(mtu) > bytes)
		mtu--;
	return mtu;
}
