import type { Limits } from '../../limits.ts';
import { z } from 'zod';
import { closed } from '../fields.ts';
import { sourceField } from './parts.ts';

export function javascriptProgram(limits: Limits) {
  return closed({
    kind: z.literal('javascript'),
    source: sourceField(limits).describe('An ES module whose default export is the task function'),
  }).describe('Runs on every worker that does not say otherwise');
}
