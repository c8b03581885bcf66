// The table of job options is compared with `jobOptions`. After a change of an option,
// `npm run test:unit -- src/cli/rest-page.test.ts -u` writes the table anew.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { defaultText, type JobOption, jobOptions } from '../protocol/job-options.ts';
import { markdownTable } from './testing/markdown-table.ts';

const PAGE = fileURLToPath(new URL('../../docs/reference/rest.md', import.meta.url));
const BEGIN =
  '<!-- This table is made from src/protocol/job-options.ts; a test compares it. -->\n\n';
const END = '<!-- End of the table. -->';

test('docs/reference/rest.md lists every option of a job with its default and its bounds', async () => {
  const [before = '', rest = ''] = readFileSync(PAGE, 'utf8').split(BEGIN);
  const [, after = ''] = rest.split(END);
  await expect(`${before}${BEGIN}${optionTable()}\n${END}${after}`).toMatchFileSnapshot(PAGE);
});

function optionTable(): string {
  const rows = Object.entries<JobOption>(jobOptions).map(([name, option]) => [
    `\`${name}\``,
    defaultText(option) ?? option.defaultWords ?? 'none',
    `${option.inReference ?? option.meaning}${boundsOf(option)}`,
  ]);
  return markdownTable(['Option', 'Default', 'Meaning'], rows);
}

function boundsOf(option: JobOption): string {
  switch (option.type) {
    case 'integer':
    case 'number':
    case 'time limit':
    case 'interval':
      return ` (${option.least} to ${option.most})`;
    case 'word':
      return ` (${option.words.map((word) => `\`${word}\``).join(' or ')})`;
    case 'text':
    case 'flag':
    case 'priorities':
    case 'requirements':
    case 'speculation':
    case 'notify':
      return '';
  }
}
