// Where the page is open: what every state has to know to speak of it.

import type { Withheld } from '../../../worker/browser/page-messages.ts';
import type { DeviceNoun } from '../device.ts';

export interface Place {
  readonly noun: DeviceNoun;
  readonly isHandheld: boolean;
  /** Of the coordinator, as in the address. */
  readonly host: string;
  /** What this browser does not give, here. */
  readonly withheld: readonly Withheld[];
  readonly nowMs: number;
}
