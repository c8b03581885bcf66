// What every command gets: where it was started, where it speaks, and what it was told by the
// environment. Made once in `main.ts`; tests make their own.

import type { MusterClient } from '../client/index.ts';
import { CommandFailure } from './command-failure.ts';
import type { Terminal } from './text/terminal.ts';

export interface Context {
  readonly terminal: Terminal;
  /** Where relative paths begin. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Says with which code the process ends; 0 without a call. */
  exit(code: number): void;
}

export interface ClientFlags {
  readonly url: string;
  readonly json?: boolean;
}

export async function openClient({ url }: ClientFlags): Promise<MusterClient> {
  const { connect } = await import('../client/index.ts');
  try {
    return connect(url);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandFailure('usage', `${error.message}.`, [], error);
  }
}
