// A rejection of the core becomes the answer to a request.

import type { Rejection } from '../core/rejection.ts';
import type { Result } from './port/rejection.ts';

/** The compiler checks that the table of answers has a line for each code of the core. */
export function refused({ code, detail }: Rejection): Result<never> {
  if (code === 'placement_refused') throw new Error(`No request places a task. ${detail}`);
  return { ok: false, rejection: { code, detail } };
}
