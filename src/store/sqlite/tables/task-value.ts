// The part of a task's row that has a hash: the result, or the error. The hash includes the status, so that
// a row whose status was changed is found as well. Open tasks have neither, and no hash.

import { isFinalTask } from '../../../core/task-status.ts';
import type { TaskRow } from '../../rows.ts';
import { taskStatusCode, taskStatuses } from '../../enumerations.ts';
import type { Cell } from './statement.ts';
import { type ValueGuard, valueHash, type Verdict } from './value-hash.ts';

/** Null also for a completed row that is written without its result: the stored hash stays. */
export function taskHash(key: number, row: TaskRow): number | null {
  const { status, resultJson, errorType, errorMessage } = row;
  if (!isFinalTask(status)) return null;
  const text = status === 'completed' ? resultJson : errorText(errorType, errorMessage);
  return text === null ? null : valueHash(taskStatusCode[status], key, text);
}

export interface TaskValueCells {
  readonly key: number;
  readonly status: Cell | undefined;
  readonly errorType: Cell | undefined;
  readonly errorMessage: Cell | undefined;
  readonly result: Cell | undefined;
  readonly hash: Cell | undefined;
}

export function checkTask(guard: ValueGuard, cells: TaskValueCells): Verdict {
  const { key, hash, errorType, errorMessage, result } = cells;
  const status = taskStatuses[cells.status as number];
  if (status === undefined) return 'damaged';
  if (!isFinalTask(status)) return hash === null && result === null ? 'intact' : 'damaged';
  if (status === 'completed') return guard.checkText(hash, cells.status as number, key, result);
  if (result !== null || !isText(errorType) || !isText(errorMessage)) return 'damaged';
  return guard.checkText(hash, cells.status as number, key, errorText(errorType, errorMessage));
}

function isText(cell: Cell | undefined): cell is string | null {
  return cell === null || typeof cell === 'string';
}

/** Type and message of an error as one text. */
export function errorText(type: string | null, message: string | null): string {
  return `${type ?? ''}\n${message ?? ''}`;
}
