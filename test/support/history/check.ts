// Judges a history of calls about jobs: each job by itself, and that no id belongs to two of them.

import type { Call } from './history.ts';
import { type JobOperation, jobRegister } from './job-register.ts';
import { linearize } from './search.ts';

/** What cannot have happened so, in sentences; nothing where all is well. `tasks`: of each job. */
export function violations(calls: readonly Call<JobOperation>[], tasks: number): string[] {
  const found: string[] = [];
  const register = jobRegister(tasks);
  for (const [key, ofJob] of Map.groupBy(calls, (call) => call.key)) {
    const verdict = linearize(register, ofJob);
    if (verdict.isConsistent) continue;
    found.push(
      `The answers about the job of the key "${key}" fit no order of the calls. After ` +
        `${verdict.order.length} of ${ofJob.length}, with ${JSON.stringify(verdict.state)} known, none can follow of:\n` +
        `${verdict.next.map(shown).join('\n')}\nThe last before:\n` +
        verdict.order.slice(-6).map(shown).join('\n'),
    );
  }
  return [...found, ...sharedIds(calls)];
}

function sharedIds(calls: readonly Call<JobOperation>[]): string[] {
  const keys = new Map<string, string>();
  const found: string[] = [];
  for (const { key, operation } of calls) {
    if (operation.type !== 'submit' || operation.answer === null) continue;
    const { id } = operation.answer;
    const other = keys.get(id) ?? key;
    if (other !== key) found.push(`The keys "${other}" and "${key}" were both answered job ${id}.`);
    keys.set(id, key);
  }
  return found;
}

function shown({ operation, called, returned }: Call<JobOperation>): string {
  const end = returned === Number.POSITIVE_INFINITY ? 'no outcome' : String(returned);
  return `  ${called} to ${end}: ${JSON.stringify(operation)}`;
}
