// A new worker, by whichever transport it has come: whether there is room for it, whether its token lets it in, and
// the command that registers it.

import type { MeasuredTelemetry, WorkerDescription } from '../../core/commands.ts';
import type { ErrorCode } from '../../protocol/error-codes.ts';
import type { Tokens } from '../access/tokens.ts';
import type { Rejection } from '../port/rejection.ts';
import type { Bearer } from '../port/tokens.ts';
import type { Runtime } from '../runtime.ts';
import type { Batch } from '../writer/batch.ts';
import type { Newcomers } from './newcomers.ts';

export interface RegistrationOptions {
  readonly runtime: Pick<Runtime, 'newId'>;
  readonly newcomers: Newcomers;
  readonly nextWorkerKey: () => number;
  readonly tokens: Pick<Tokens, 'admit'>;
}

interface Newcomer {
  readonly description: WorkerDescription;
  readonly telemetry: { readonly measured: MeasuredTelemetry; readonly json: string };
  readonly bearer: Bearer | null;
}

export interface NewWorker {
  readonly workerId: string;
  readonly token: string;
  /** A person must let it in first. */
  readonly isWaiting: boolean;
}

export function registerWorker(
  { runtime, newcomers, nextWorkerKey, tokens }: RegistrationOptions,
  batch: Batch,
  { description, telemetry, bearer }: Newcomer,
): NewWorker | Rejection<ErrorCode> {
  const full = newcomers.refusal(description, batch.at, bearer);
  if (full !== null) return full;
  const workerId = runtime.newId();
  const admission = tokens.admit(batch, bearer, workerId);
  if ('code' in admission) return admission as Rejection<ErrorCode>;
  const { token, hash, labels, ...came } = admission;
  batch.execute({
    type: 'register_worker',
    workerId,
    key: nextWorkerKey(),
    tokenHash: hash,
    description: { ...description, labels: { ...description.labels, ...labels } },
    measured: telemetry.measured,
    telemetryJson: telemetry.json,
    ...came,
    at: batch.at,
  });
  return { workerId, token, isWaiting: came.waitsUntil !== null };
}
