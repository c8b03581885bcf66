// What the parts of the store share.

import type { Reader } from './driver/reader.ts';
import type { CommitLog } from './log/commit-log.ts';

export interface Foundation {
  readonly log: CommitLog;
  readonly reader: Reader;
  /** The id of this process, new with every start. What is staged bears it. */
  readonly member: string;
}
