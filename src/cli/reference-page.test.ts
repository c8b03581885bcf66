// The second half of the reference page is what the commands declare. After a change of theirs,
// `npm test -- src/cli/reference-page.test.ts -u` writes it anew.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { createCommandTree } from './command-tree.ts';
import { exitCodes } from './exit-codes.ts';
import { type Setting, settings } from './settings.ts';
import { createTerminal } from './terminal.ts';

const PAGE = fileURLToPath(new URL('../../docs/reference/cli.md', import.meta.url));
const MARK =
  '<!-- Below is made from the declarations of the commands; their test compares it. -->';

test('docs/reference/cli.md lists every setting, command, flag and exit code', async () => {
  const [prose] = readFileSync(PAGE, 'utf8').split(MARK);
  await expect(`${prose}${MARK}\n\n${declared()}`).toMatchFileSnapshot(PAGE);
});

function declared(): string {
  const sink = { write: () => true, once: () => undefined };
  const tree = createCommandTree({
    terminal: createTerminal(sink, sink, {}),
    folder: '.',
    environment: {},
    version: '0.0.0',
    exit: () => {},
  });
  return [
    settingTable(),
    ...tree.commands.map(section),
    '## Exit codes\n',
    table(
      ['Code', 'Meaning'],
      Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]),
    ),
  ].join('\n');
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
  return table(['In the file', 'In the environment', 'Flag', 'Meaning', 'Default'], rows);
}

function section(command: Command): string {
  const given = command.registeredArguments.map((argument) => ` ${argument.name().toUpperCase()}`);
  const [first = '', ...rest] = command.description();
  const rows = [
    ...command.registeredArguments.map((argument) => [
      `\`${argument.name().toUpperCase()}\``,
      argument.description,
    ]),
    ...command.options.map((option) => [`\`${option.flags}\``, meaningOf(option)]),
  ];
  return [
    `## muster ${command.name()}${given.join('')}\n`,
    `${first.toUpperCase()}${rest.join('')}.\n`,
    table(['', 'Meaning'], rows),
  ].join('\n');
}

// The defaults of settings stand in their own table; a command may have others.
function meaningOf(option: Option): string {
  const setting = Object.values<Setting>(settings).find((each) => each.variable === option.envVar);
  const isOwn = option.defaultValue !== undefined && option.defaultValue !== setting?.defaultValue;
  if (!isOwn) return option.description;
  const value = option.defaultValueDescription ?? `\`${String(option.defaultValue)}\``;
  return `${option.description} (default: ${value})`;
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll('|  |', '| |');
  return `${[line(titles), `|${'---|'.repeat(titles.length)}`, ...rows.map(line)].join('\n')}\n`;
}
