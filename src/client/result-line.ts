// A result as a stream gives it.

import type { TaskResult } from '../protocol/resources.ts';

export interface ResultLine {
  /** The JSON text as it was sent: its numbers may be larger than JavaScript can hold. */
  readonly text: string;
  readonly result: TaskResult;
  /** An earlier result of this index was `failed` or `cancelled`; this one replaces it. */
  readonly replaces: boolean;
}
