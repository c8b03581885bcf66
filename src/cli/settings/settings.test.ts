import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { applyConfig, readConfig } from './config-file.ts';
import { defaultLimits, leastLimits, type Limits } from '../../protocol/limits.ts';
import { limitNames } from './flag-values.ts';
import { type SettingId, settingOption, settings } from './settings.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-settings-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
});

interface Sources {
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly config?: unknown;
}

/** The options of a command that has these settings. */
function resolved(ids: readonly SettingId[], { flags = [], environment = {}, config }: Sources) {
  if (config !== undefined) {
    writeFileSync(join(folder, 'muster.config.json'), JSON.stringify(config));
  }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const command = new Command('test').exitOverride().configureOutput({ writeErr: () => {} });
  for (const id of ids) command.addOption(settingOption(id));
  applyConfig(command, readConfig(folder));
  command.parse(flags, { from: 'user' });
  return command.opts();
}

describe('a setting is taken from', () => {
  const flags = ['--port', '1'];
  const environment = { MUSTER_PORT: '2' };
  const config = { port: 3 };

  test.each([
    ['the flag before all else', { flags, environment, config }, 1],
    ['the environment before the file', { environment, config }, 2],
    ['the file before the default', { config }, 3],
    ['the default', {}, 8000],
  ])('%s', (_source, sources: Sources, port) => {
    expect(resolved(['port'], sources)).toMatchObject({ port });
  });
});

describe('labels', () => {
  test('add up, and the last one of a name wins', () => {
    const given = ['--label', 'gpu=yes', '--label', 'room=3,rack=b', '--label', 'gpu=no'];
    expect(resolved(['labels'], { flags: given })).toEqual({
      label: { gpu: 'no', room: '3', rack: 'b' },
    });
  });

  test('are an object in the file, and pairs in the environment', () => {
    const label = { gpu: 'yes', room: '3' };
    expect(resolved(['labels'], { config: { labels: label } })).toEqual({ label });
    const environment = { MUSTER_LABELS: 'gpu=yes,room=3' };
    expect(resolved(['labels'], { environment })).toEqual({ label });
  });
});

describe('origins', () => {
  const both = ['https://a.example', 'http://b.example:3000'];

  test('add up, in one form', () => {
    const flags = ['--allow-origin', 'HTTPS://A.example:443', '--allow-origin', both.join()];
    expect(resolved(['allowOrigins'], { flags })).toEqual({ allowOrigin: both });
  });

  test('are an array in the file, and separated by commas in the environment', () => {
    expect(resolved(['allowOrigins'], { config: { allowOrigins: both } })).toEqual({
      allowOrigin: both,
    });
    const environment = { MUSTER_ALLOW_ORIGINS: both.join(', ') };
    expect(resolved(['allowOrigins'], { environment })).toEqual({ allowOrigin: both });
  });
});

describe('a wrong value is refused with a sentence', () => {
  test.each<[SettingId, string[], RegExp]>([
    ['port', ['--port', '65536'], /"65536" is not a port: a whole number from 0 to 65535/],
    ['port', ['--port', '8e3'], /"8e3" is not a port/],
    ['slots', ['--slots', '0'], /"0" is not a number of slots: a whole number from 1/],
    ['algorithm', ['--algorithm', 'edsa'], /Did you mean "edas"\?/],
    ['store', ['--store', './muster.db'], /Did you mean "sqlite:.\/muster.db"\?/],
    ['allowOrigins', ['--allow-origin', '*'], /"\*" is not an origin: scheme, host and port/],
    ['allowOrigins', ['--allow-origin', 'null'], /"null" is not an origin/],
    ['allowOrigins', ['--allow-origin', 'https://a.example/'], /with nothing behind them/],
    ['allowOrigins', ['--allow-origin', 'a.example'], /"a.example" is not an origin/],
    ['labels', ['--label', 'gpu'], /"gpu" is not a label: one looks like gpu=yes/],
  ])('%s %j', (id, flags, sentence) => {
    expect(() => resolved([id], { flags })).toThrow(sentence);
  });

  test('also in the file, which is named', () => {
    expect(() => resolved(['port'], { config: { port: 'x' } })).toThrow(
      'muster.config.json, "port": "x" is not a port: a whole number from 0 to 65535.',
    );
  });

  test('an unknown key of the file, whatever the command', () => {
    expect(() => resolved(['url'], { config: { prot: 1 } })).toThrow(
      'muster.config.json has an unknown key "prot".',
    );
    expect(() => resolved(['url'], { config: [] })).toThrow('must hold an object');
  });

  test('a file that is not JSON', () => {
    writeFileSync(join(folder, 'muster.config.json'), '{');
    expect(() => readConfig(folder)).toThrow('muster.config.json is not JSON');
  });
});

test('every setting has a key, a variable and a flag of its own', () => {
  const all = Object.values(settings);
  for (const part of ['key', 'variable', 'flag'] as const) {
    expect(new Set(all.map((setting) => setting[part])).size).toBe(all.length);
  }
});

test.each(
  limitNames.map((name, at) => [name, Object.keys(defaultLimits)[at] as keyof Limits] as const),
)('refuses a %s below its lowest value with a sentence that names it', (name, key) => {
  const least = leastLimits[key];
  expect(() => settings.limits.parse(`${name}=${least - 1}`, {})).toThrow(
    `"${least - 1}" is not a value of ${name}: a whole number from ${least} to`,
  );
  expect(settings.limits.parse(`${name}=${least}`, {})).toEqual({ [key]: least });
  expect(defaultLimits[key]).toBeGreaterThanOrEqual(least);
});

describe('the name of a coordinator', () => {
  const named = (text: string) =>
    resolved(['coordinatorName'], { flags: ['--coordinator-name', text] });

  test.each(["Ann's lab", '実験室 🧪', 'x'.repeat(60), '🧪'.repeat(60)])('may be %s', (name) => {
    expect(named(` ${name} `)).toEqual({ coordinatorName: name });
  });

  test.each(['', '  ', 'x'.repeat(61), 'two\nlines', 'up\u202eside', '\u001b[31mred'])(
    'cannot be %j',
    (name) => {
      expect(() => named(name)).toThrow(/from 1 to 60 printable characters in one line/);
    },
  );

  test('is taken from the environment and from the file, too', () => {
    const environment = { MUSTER_COORDINATOR_NAME: 'lab' };
    expect(resolved(['coordinatorName'], { environment })).toEqual({ coordinatorName: 'lab' });
    vi.unstubAllEnvs();
    const config = { coordinatorName: 'attic' };
    expect(resolved(['coordinatorName'], { config })).toEqual({ coordinatorName: 'attic' });
  });
});
