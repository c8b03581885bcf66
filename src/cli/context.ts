// The context of a command: the folder where it was started, its terminal and the environment. It is
// made once in `main.ts`; tests make their own.

import type { MusterClient } from '../client/index.ts';
import { CommandFailure } from './command-failure.ts';
import type { Terminal } from './text/terminal.ts';

export interface Context {
  readonly terminal: Terminal;
  /** The folder that relative paths refer to. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Sets the exit code of the process; 0 without a call. */
  exit(code: number): void;
  /** The command has more to do than to be read: it does not end when nobody reads its output any more. */
  outliveReader(): void;
}

export interface ClientFlags {
  readonly url: string;
  readonly pin?: string;
  /** Filled in before the command runs: see `settings/token-flags.ts`. */
  readonly token?: string;
  readonly json?: boolean;
}

export async function openClient({ url, pin, token }: ClientFlags): Promise<MusterClient> {
  const { connect } = await import('../client/index.ts');
  try {
    return connect(url, {
      ...(pin === undefined ? {} : { pin }),
      ...(token === undefined ? {} : { token }),
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandFailure('usage', `${error.message}.`, [], error);
  }
}
