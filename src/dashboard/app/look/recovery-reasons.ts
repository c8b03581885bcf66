// Why attempts were lost, in words.

import type { RecoveryReason } from '../../../protocol/resources.ts';

export const reasonWords: Readonly<Record<RecoveryReason, string>> = {
  worker_lost: 'the device was lost',
  connection_lost: 'its connection was lost',
  deregistered: 'the worker was removed',
  attempt_timeout: 'it passed its time limit',
  worker_drained: 'the worker was drained',
  worker_rests: 'the device rests',
  coordinator_restart: 'the coordinator was started anew',
  straggler: 'it took far longer than others',
};
