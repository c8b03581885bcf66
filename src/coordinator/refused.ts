// What the core refuses becomes the answer to the request.

import type { Rejection, Result } from './port/rejection.ts';

export function refused(rejection: { code: string; detail: string }): Result<never> {
  return { ok: false, rejection: rejection as Rejection };
}
