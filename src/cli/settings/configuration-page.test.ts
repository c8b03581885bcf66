// The page of the configuration is compared with the settings and with the default numbers. After a
// change of a setting, `npm run test:unit -- src/cli/settings/configuration-page.test.ts -u` writes its
// table anew.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { defaultCoreSettings } from '../../core/settings.ts';
import { defaultLimits } from '../../protocol/limits.ts';
import { type Setting, settings } from './settings.ts';
import { markdownTable } from '../testing/markdown-table.ts';

const PAGE = fileURLToPath(new URL('../../../docs/reference/configuration.md', import.meta.url));
const BEGIN =
  '<!-- This table is made from src/cli/settings/settings.ts; a test compares it. -->\n\n';
const END = '<!-- End of the table. -->';

test('lists every setting with its key, variable, flag and default', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const [before = '', rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  await expect(`${before}${BEGIN}${settingTable()}\n${END}${after}`).toMatchFileSnapshot(PAGE);
});

test('lists every limit with its default', () => {
  expect(numbersUnder('## Limits')).toEqual(
    Object.fromEntries(
      Object.entries(defaultLimits).map(([name, value]) => [snakeCase(name), value]),
    ),
  );
});

test('has the times and budgets of the core', () => {
  const { heartbeatIntervalMs, leaseMs, graceMs } = defaultCoreSettings;
  expect(numbersUnder('## Times')).toMatchObject({
    heartbeat: heartbeatIntervalMs / 1_000,
    lease: leaseMs / 1_000,
    grace: graceMs / 1_000,
    'slack after a time limit': defaultCoreSettings.timeoutSlackMs / 1_000,
    'longest pause before a retry': defaultCoreSettings.maxRetryDelayMs / 1_000,
    'work ahead per slot': defaultCoreSettings.prefetchMs / 1_000,
    'attempts ahead per slot': defaultCoreSettings.maxPrefetch,
    'bad tasks before quarantine': defaultCoreSettings.quarantineAfterBlames,
    'first pause of a quarantine': defaultCoreSettings.quarantinePauseMs / 1_000,
    'longest pause of a quarantine': defaultCoreSettings.maxQuarantinePauseMs / 1_000,
    'wait for another worker': defaultCoreSettings.otherWorkerMs / 1_000,
    'no copy before': defaultCoreSettings.speculateAfterMs / 1_000,
    'idle worker asks back after': defaultCoreSettings.recallAfterMs / 1_000,
  });
});

/** The first cell of each row of a section's table and the number in its second. */
function numbersUnder(heading: string): Record<string, number> {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split(`${heading}\n`);
  const rows = section
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.split(' | '));
  return Object.fromEntries(
    rows.map(([name = '', value = '']) => [
      name.replaceAll(/[|`]/g, '').trim(),
      Number.parseFloat(value.replaceAll(' ', '')),
    ]),
  );
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function settingTable(): string {
  const rows = Object.values<Setting>(settings).map(
    ({ key, variable, flag, description, defaultValue, defaultWords }) => [
      `\`${key}\``,
      `\`${variable}\``,
      `\`${flag.split(' ')[0]}\``,
      description,
      defaultWords ?? (defaultValue === undefined ? '' : `\`${String(defaultValue)}\``),
    ],
  );
  return markdownTable(['In the file', 'In the environment', 'Flag', 'Meaning', 'Default'], rows);
}
