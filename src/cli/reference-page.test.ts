// The second half of the reference page is made from the declarations of the commands. After a change of
// a command, `npm run test:unit -- src/cli/reference-page.test.ts -u` writes it anew.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { createCommandTree } from './command-tree.ts';
import { exitCodes } from './exit-codes.ts';
import { markdownTable as table } from './testing/markdown-table.ts';
import { type Setting, settings } from './settings/settings.ts';
import { createTerminal } from './text/terminal.ts';

const PAGE = fileURLToPath(new URL('../../docs/reference/cli.md', import.meta.url));
const MARK =
  '<!-- Below is made from the declarations of the commands; their test compares it. -->';

test('docs/reference/cli.md lists every command, flag and exit code', async () => {
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
    ...tree.commands.flatMap((command) => sections(command, 'muster')),
    '## Exit codes\n',
    table(
      ['Code', 'Meaning'],
      Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]),
    ),
  ].join('\n');
}

/** A command with commands of its own has a section for itself and one for each of them. */
function sections(command: Command, parent: string): string[] {
  const path = `${parent} ${command.name()}`;
  const given = command.registeredArguments.map((argument) =>
    argument.required ? ` ${argument.name().toUpperCase()}` : ` [${argument.name().toUpperCase()}]`,
  );
  const [first = '', ...rest] = command.description();
  const rows = [
    ...command.registeredArguments.map((argument) => [
      `\`${argument.name().toUpperCase()}\``,
      argument.description,
    ]),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => [`\`${option.flags}\``, meaningOf(option)]),
  ];
  const own = [
    `## ${path}${given.join('')}\n`,
    `${first.toUpperCase()}${rest.join('')}.\n`,
    ...(rows.length === 0 ? [] : [table(['', 'Meaning'], rows)]),
  ].join('\n');
  return [own, ...command.commands.flatMap((each) => sections(each, path))];
}

// The defaults of settings are in a table of their own; a command may have another default.
function meaningOf(option: Option): string {
  const setting = Object.values<Setting>(settings).find((each) => each.variable === option.envVar);
  const isOwn = option.defaultValue !== undefined && option.defaultValue !== setting?.defaultValue;
  if (!isOwn) return option.description;
  const value = option.defaultValueDescription ?? `\`${String(option.defaultValue)}\``;
  return `${option.description} (default: ${value})`;
}
