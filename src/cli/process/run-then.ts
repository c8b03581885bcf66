// Runs a command of the person's own when a job has ended (`--then`), on the machine where that person waits.
// The coordinator never runs a command of a submission: whoever may submit would rule its machine.
//
// A shell takes the command as it was typed. What the coordinator says of the job is never in that text, only
// in the environment, without characters that a terminal or a shell could take for more than text.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JobHead } from '../../client/index.ts';
import type { Context } from '../context.ts';
import type { FollowEnd } from '../follow.ts';
import { plainText } from '../text/foreign-text.ts';

const mostCharacters = 200;

export interface ThenFlags {
  readonly then?: string;
}

export const thenFlag = [
  '--then <command>',
  'when the job has ended, a command of yours, run by a shell of this machine; MUSTER_JOB_STATUS and others ' +
    'tell it of the job',
] as const;

/** Runs the command, if there is one, when the job has ended; not when the person has left before. */
export async function runThenOf(
  { then }: ThenFlags,
  end: FollowEnd,
  context: Parameters<typeof runThen>[2],
): Promise<void> {
  if (then !== undefined && end.type === 'final') await runThen(then, end.job, context);
}

/** Resolves when the command has ended. How it ended is told, and changes no exit code. */
export async function runThen(
  command: string,
  job: JobHead,
  { terminal, folder, environment }: Pick<Context, 'terminal' | 'folder' | 'environment'>,
): Promise<void> {
  const how = await new Promise<string | undefined>((resolve) => {
    const fail = ({ message }: Error) => resolve(`could not be started: ${message}`);
    try {
      const child = spawn(command, {
        shell: true,
        cwd: folder,
        env: { ...environment, ...thenEnvironment(job) },
        // Results go to stdout: what the command prints goes where everything for people goes.
        stdio: ['ignore', 2, 2],
      });
      child.once('error', fail);
      void once(child, 'exit').then(([code, signal]: (number | string | null)[]) => {
        if (code === 0) resolve(undefined);
        else resolve(`ended ${code === null ? `by ${signal}` : `with ${code}`}`);
      }, resolve);
    } catch (error) {
      // What the system does not take as a command at all: nothing, or more than fits.
      fail(error as Error);
    }
  });
  if (how !== undefined) terminal.note(`The command of --then ${how}.`);
}

export function thenEnvironment(
  job: JobHead,
  platform: NodeJS.Platform = process.platform,
): Readonly<Record<string, string>> {
  const { completed, failed, cancelled } = job.counts;
  const values = {
    MUSTER_JOB_ID: job.id,
    MUSTER_JOB_NAME: job.name ?? '',
    MUSTER_JOB_STATUS: job.status,
    MUSTER_JOB_TASKS: job.task_count,
    MUSTER_JOB_COMPLETED: completed,
    MUSTER_JOB_FAILED: failed,
    MUSTER_JOB_CANCELLED: cancelled,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, harmless(String(value), platform)]),
  );
}

/** A shell of Windows puts values into the text of a command before it reads that. */
function harmless(text: string, platform: NodeJS.Platform): string {
  const plain = plainText(text.slice(0, mostCharacters));
  return platform === 'win32' ? plain.replaceAll(/[^\p{L}\p{N} ._-]/gu, '_') : plain;
}
