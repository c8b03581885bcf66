import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Context } from '../context.ts';
import { writeAddress } from '../process/access-files.ts';
import { applyConfig } from './config-file.ts';
import { fillInAddress } from './served-address.ts';
import { settingOption } from './settings.ts';

const served = 'https://127.0.0.1:9443#k=pin';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-address-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** The address that a command asks which is started in the folder. */
function asked(flags: readonly string[] = [], config: Readonly<Record<string, unknown>> = {}) {
  const command = new Command('test').addOption(settingOption('url'));
  applyConfig(command, config);
  command.parse(flags, { from: 'user' });
  fillInAddress(command, { folder, environment: process.env } as unknown as Context, config);
  return command.opts<{ url: string }>().url;
}

test('without an address the coordinator that serves the data folder here is meant', () => {
  expect(asked()).toBe('http://127.0.0.1:8000');
  writeAddress(join(folder, '.muster'), served);
  expect(asked()).toBe(served);
  writeAddress(join(folder, 'other'), 'http://127.0.0.1:9000');
  expect(asked([], { dataDir: 'other' })).toBe('http://127.0.0.1:9000');
});

test('an address that was named is the one that is asked, the usual one too', () => {
  writeAddress(join(folder, '.muster'), served);
  expect(asked(['--url', 'http://127.0.0.1:8000'])).toBe('http://127.0.0.1:8000');
  expect(asked([], { url: 'http://192.0.2.1:1' })).toBe('http://192.0.2.1:1');
  vi.stubEnv('MUSTER_URL', 'http://192.0.2.2:2');
  expect(asked()).toBe('http://192.0.2.2:2');
});
