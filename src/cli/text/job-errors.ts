// The errors of a job as text: two lines for each kind, the most frequent first.

import type { JobErrorKind, JobErrors } from '../../client/index.ts';
import { plainText } from './foreign-text.ts';
import type { Page } from './ranking.ts';
import { counted, grouped } from './wording.ts';

const EXAMPLE_SHOWN = 200;

export function jobErrorsText(errors: JobErrors, { colors }: Page): string {
  const { complete, attempts, kinds } = errors;
  const shown = kinds.reduce((sum, kind) => sum + kind.attempts, 0);
  const count = counted(attempts, 'attempt');
  const rest = attempts - shown;
  return [
    complete ? `${count} failed:` : `${count} of those that failed were looked at:`,
    ...kinds.map(({ varies, example_message: example, ...kind }) =>
      [
        colors.red(plainText(`${kind.type}: ${kind.message}`)),
        `  ${countsText(kind)}`,
        ...(varies ? [colors.dim(plainText(`  such as: ${example.slice(0, EXAMPLE_SHOWN)}`))] : []),
      ].join('\n'),
    ),
    ...(rest > 0 ? [`and ${counted(rest, 'attempt')} with other errors (--limit, --json)`] : []),
  ].join('\n\n');
}

/** In one line, for a list of facts. */
export function errorKindText({ type, message, tasks }: JobErrorKind): string {
  return `${type}: ${message} (${counted(tasks, 'task')})`;
}

function countsText({
  attempts,
  tasks,
  workers,
  examples,
}: Pick<JobErrorKind, 'attempts' | 'tasks' | 'workers' | 'examples'>): string {
  const some = `${examples.join(', ')}${tasks > examples.length ? ', …' : ''}`;
  const tries = attempts === tasks ? '' : `, ${counted(attempts, 'attempt')}`;
  return `${counted(tasks, 'task')} (${some})${tries}, on ${grouped(workers)} worker${workers === 1 ? '' : 's'}`;
}
