// The kinds of programs that a child on Node runs beside JavaScript, each with its code loaded on first use.

import type { GuestMakers } from '../../sandbox/guests.ts';

export const guestMakers: GuestMakers = {};
