// The second half of the reference page is made from the declarations of the commands. After a change of
// a command, `npm run test:unit -- src/cli/reference-page.test.ts -u` writes it anew.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { exitCodes } from './exit-codes.ts';
import { declaredCommands, pathsOf } from './testing/all-commands.ts';
import { markdownTable as table } from './testing/markdown-table.ts';
import { type Setting, settings } from './settings/settings.ts';

const PAGE = fileURLToPath(new URL('../../docs/reference/cli.md', import.meta.url));
const MARK =
  '<!-- Below is made from the declarations of the commands; their test compares it. -->';

test('docs/reference/cli.md lists every command, flag and exit code', async () => {
  const [prose] = readFileSync(PAGE, 'utf8').split(MARK);
  await expect(`${prose}${MARK}\n\n${declared()}`).toMatchFileSnapshot(PAGE);
});

function declared(): string {
  return [
    ...pathsOf(declaredCommands())
      .slice(1)
      .map(([path, command]) => section(path, command)),
    '## Exit codes\n',
    table(
      ['Code', 'Meaning'],
      Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]),
    ),
  ].join('\n');
}

/** A command with commands of its own has a section for itself, and each of them has one. */
function section(path: string, command: Command): string {
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
  return [
    `## ${path}${given.join('')}\n`,
    `${first.toUpperCase()}${rest.join('')}.\n`,
    ...(rows.length === 0 ? [] : [table(['', 'Meaning'], rows)]),
  ].join('\n');
}

// The defaults of settings are in a table of their own; a command may have another default.
function meaningOf(option: Option): string {
  const setting = Object.values<Setting>(settings).find((each) => each.variable === option.envVar);
  const isOwn = option.defaultValue !== undefined && option.defaultValue !== setting?.defaultValue;
  if (!isOwn) return option.description;
  const value = option.defaultValueDescription ?? `\`${String(option.defaultValue)}\``;
  return `${option.description} (default: ${value})`;
}
