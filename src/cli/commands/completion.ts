// `muster completion SHELL`: prints the script that lets a shell complete what is typed.

import { type Command, Option } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { oneOf } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

interface Flags extends ClientFlags {
  readonly list?: 'jobs' | 'workers';
}

export function declareCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .description('print a script that lets your shell complete commands, flags, jobs and workers')
    .argument('[shell]', SHELLS.join(', '), oneOf('a shell that is known', SHELLS))
    .addOption(
      new Option(
        '--list <what>',
        'what the script asks for: jobs or workers, a line each',
      ).argParser(oneOf('a list', ['jobs', 'workers'])),
    )
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .action((shell: (typeof SHELLS)[number] | undefined, flags: Flags) =>
      complete(shell, flags, program, context),
    );
}

async function complete(
  shell: (typeof SHELLS)[number] | undefined,
  flags: Flags,
  program: Command,
  { terminal }: Context,
): Promise<void> {
  if (flags.list !== undefined) {
    const { candidates } = await import('../completion/candidates.ts');
    const words = await candidates(await openClient(flags), flags.list);
    return terminal.write(words.map((word) => `${word}\n`).join(''));
  }
  if (shell === undefined) {
    throw new CommandFailure('usage', `For which shell? There are ${SHELLS.join(', ')}.`, [
      'For example, in ~/.bashrc:  source <(muster completion bash)',
    ]);
  }
  const { placesOf } = await import('../completion/words.ts');
  const places = placesOf(program);
  if (shell === 'fish') {
    const { fishScript } = await import('../completion/fish.ts');
    return terminal.data(fishScript(places));
  }
  const { bashScript, zshScript } = await import('../completion/posix.ts');
  return terminal.data(shell === 'bash' ? bashScript(places) : zshScript(places));
}
