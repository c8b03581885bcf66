// The flags of `submit` that say who is told when the job ends. The secret comes from a file or from the
// environment: what stands on a command line is seen by everybody on the machine.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { jobEnds, type NotifyRequest } from '../../protocol/job-options.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { oneOf } from './flag-values.ts';

type End = (typeof jobEnds)[number];

export interface NotifyFlags {
  readonly notify?: readonly string[];
  readonly notifyOn?: readonly End[];
  readonly notifySecretFile?: string;
}

export const secretVariable = 'MUSTER_NOTIFY_SECRET';

export function addNotifyFlags(command: Command): Command {
  return command
    .option(
      '--notify <url>',
      'the coordinator tells this address when the job ends; may be repeated',
      (url: string, previous: readonly string[] | undefined) => [...(previous ?? []), url],
    )
    .option('--notify-on <ends>', `of which ends: ${jobEnds.join(', ')} (default: all)`, ends)
    .option(
      '--notify-secret-file <file>',
      `what signs these messages (default: ${secretVariable}, else they are not signed)`,
    );
}

/** Undefined when nobody is to be told. */
export async function notifyOf(
  { notify, notifyOn, notifySecretFile }: NotifyFlags,
  folder: string,
  environment: Context['environment'],
): Promise<readonly NotifyRequest[] | undefined> {
  if (notify === undefined) {
    if (notifyOn === undefined && notifySecretFile === undefined) return undefined;
    throw new CommandFailure('usage', 'Whom to tell is missing.', [
      'Name an address: --notify URL',
    ]);
  }
  const secret =
    notifySecretFile === undefined
      ? environment[secretVariable]
      : await readSecret(resolve(folder, notifySecretFile), notifySecretFile);
  return notify.map((url) => ({
    url,
    ...(notifyOn === undefined ? {} : { on: notifyOn }),
    ...(secret === undefined || secret === '' ? {} : { secret }),
  }));
}

async function readSecret(path: string, name: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new CommandFailure(
      'usage',
      `${name} cannot be read: ${(error as Error).message}`,
      [],
      error,
    );
  }
}

function ends(text: string): readonly End[] {
  const parse = oneOf('an end of a job', jobEnds);
  const found = text.split(',').map((part) => parse(part.trim()) as End);
  if (found.length === 0) throw new InvalidArgumentError('no end is named.');
  return found;
}
