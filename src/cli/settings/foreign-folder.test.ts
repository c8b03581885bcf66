import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Context } from '../context.ts';
import { applyConfig, readConfig } from './config-file.ts';
import { settingOption } from './settings.ts';
import { fillInToken } from './token-flags.ts';

let outside: string;
let folder: string;
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'muster-foreign-'));
  folder = join(outside, 'downloaded');
  mkdirSync(folder);
  writeFileSync(join(outside, 'admin.token'), 'mine\n');
  writeFileSync(join(folder, 'with-it.token'), 'theirs\n');
  symlinkSync('../admin.token', join(folder, 'link.token'));
});
afterEach(() => {
  rmSync(outside, { recursive: true });
  vi.unstubAllEnvs();
});

interface Case {
  readonly config: object;
  readonly environment?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

/** The token that a command in the folder would show. */
function shown({ config, environment = {}, flags = [] }: Case): unknown {
  writeFileSync(join(folder, 'muster.config.json'), JSON.stringify(config));
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const command = new Command('stats').exitOverride();
  for (const id of ['url', 'token', 'tokenFile'] as const) command.addOption(settingOption(id));
  const read = readConfig(folder);
  applyConfig(command, read);
  command.parse(flags, { from: 'user' });
  fillInToken(command, { folder, environment } as unknown as Context, read);
  return command.opts()['token'];
}

const url = 'https://collects.example';
const ofFile = () => join(outside, 'admin.token');

test.each<[string, () => Case]>([
  ['MUSTER_TOKEN', () => ({ config: { url }, environment: { MUSTER_TOKEN: 'mine' } })],
  ['MUSTER_TOKEN_FILE', () => ({ config: { url }, environment: { MUSTER_TOKEN_FILE: ofFile() } })],
  ['token file outside', () => ({ config: { url, tokenFile: '../admin.token' } })],
  ['token file outside', () => ({ config: { url, tokenFile: ofFile() } })],
  ['token file outside', () => ({ config: { url, tokenFile: 'link.token' } })],
])('a folder that names the coordinator is not given a token of the person: %s', (what, of) => {
  expect(() => shown(of())).toThrow(what);
  expect(() => shown(of())).toThrow(`names the coordinator ${url}, and`);
});

test.each<[string, () => Case, string | undefined]>([
  ['its own token', () => ({ config: { url, token: 'theirs' } }), 'theirs'],
  ['its own file', () => ({ config: { url, tokenFile: 'with-it.token' } }), 'theirs'],
  ['none', () => ({ config: { url } }), undefined],
  ['one of the flags', () => ({ config: { url }, flags: ['--token', 'mine'] }), 'mine'],
  [
    'one of a file that a flag names',
    () => ({ config: { url }, flags: ['--token-file', ofFile()] }),
    'mine',
  ],
  [
    'that of the environment when the person names the address',
    () => ({ config: { url }, environment: { MUSTER_TOKEN: 'mine', MUSTER_URL: url } }),
    'mine',
  ],
  [
    'that of the environment on this machine',
    () => ({ config: { url: 'http://127.0.0.1:9000' }, environment: { MUSTER_TOKEN: 'mine' } }),
    'mine',
  ],
])('a command in a folder that names the coordinator shows %s', (_what, of, token) => {
  expect(shown(of())).toBe(token);
});
