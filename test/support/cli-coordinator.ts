// A coordinator with a worker for all tests of one file, and the command line that talks to it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type CliEnd, runCli, serveCli, type ServingCli } from './cli-process.ts';

export interface CliCoordinator {
  /** Of the coordinator and of every command; removed after the tests. */
  readonly folder: string;
  /** Of the coordinator, once the tests run. */
  readonly url: string;
  /** `muster ARGS` in the folder. */
  readonly muster: (...args: readonly string[]) => Promise<CliEnd>;
}

/** Call it at the top of a test file. `files` are texts by name; `flags` are for `serve`. */
export function cliCoordinator(
  files: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): CliCoordinator {
  const folder = mkdtempSync(join(tmpdir(), 'muster-cli-'));
  let serving: ServingCli | undefined;
  beforeAll(async () => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    serving = await serveCli(['--workers', '1', ...flags], { folder });
  });
  afterAll(async () => {
    await serving?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const urlOf = () => serving?.url ?? '';
  return {
    folder,
    get url() {
      return urlOf();
    },
    muster: (...args) => runCli(args, { folder, environment: { MUSTER_URL: urlOf() } }),
  };
}
