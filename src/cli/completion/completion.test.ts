// Completion is made from the declarations of the commands. What bash offers is asked of a bash.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobHead, WorkerResource } from '../../client/index.ts';
import { declaredCommands, pathsOf } from '../testing/all-commands.ts';
import { candidates } from './candidates.ts';
import { fishScript } from './fish.ts';
import { bashScript, zshScript } from './posix.ts';
import { placesOf } from './words.ts';

const tree = declaredCommands();
const places = placesOf(tree);

describe('what can be typed', () => {
  test.each(pathsOf(tree))('has all of %s', (path, command) => {
    const place = places.find((each) => each.path === path)!;
    const names = place.flags.flatMap((flag) => flag.names);
    for (const { long, hidden } of command.options) if (!hidden) expect(names).toContain(long);
    expect(place.commands.map(({ word }) => word)).toEqual(command.commands.map((c) => c.name()));
    expect(place.values).toHaveLength(command.registeredArguments.length);
  });

  test('has the words of flags that take one of a few, and whom to ask about others', () => {
    const flag = (path: string, name: string) =>
      places.find((each) => each.path === path)!.flags.find(({ names }) => names.includes(name))!;
    expect(flag('muster tasks', '--status').value).toEqual({
      kind: 'other',
      words: ['pending', 'assigned', 'running', 'completed', 'failed', 'cancelled'],
    });
    expect(flag('muster submit', '--keep-output').value?.words).toContain('always');
    expect(flag('muster serve', '--algorithm').value?.words).toContain('edas');
    expect(flag('muster metrics', '--job').value?.kind).toBe('jobs');
    expect(flag('muster submit', '--out').value?.kind).toBe('files');
    expect(flag('muster submit', '--follow').value).toBeNull();
    const kinds = Object.fromEntries(
      places.map(({ path, values }) => [path, values.map(({ kind }) => kind)]),
    );
    expect(kinds).toMatchObject({
      'muster cancel': ['jobs'],
      'muster delete': ['jobs'],
      'muster explain': ['jobs', 'other'],
      'muster drain': ['workers'],
      'muster workers': ['workers'],
      'muster try': ['files'],
    });
  });
});

test.each([
  ['bash', bashScript(places)],
  ['zsh', zshScript(places)],
  ['fish', fishScript(places)],
])('the script for %s has every command and flag', (shell, script) => {
  for (const { path, commands, flags } of places) {
    if (path !== 'muster') expect(script).toContain(path);
    for (const { word } of commands) expect(script).toMatch(new RegExp(`[" ]${word}\\b`));
    for (const long of flags.map(({ names }) => names[0]!)) {
      expect(script).toContain(shell === 'fish' ? `-l ${long.slice(2)}` : long);
    }
  }
});

describe('bash', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-completion-'));
    // Stands for the command: it says what it was asked for.
    const stub = `muster() { [[ "$*" == "completion --list jobs" ]] && printf '%s\\n' last pi 'a b' '$(touch ran)'; }\n`;
    writeFileSync(join(folder, 'completion.bash'), `${stub}${bashScript(places)}`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function offered(line: string): readonly string[] {
    const words = line.split(' ');
    const script = `source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); \
COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}; _muster; printf '%s\\n' "\${COMPREPLY[@]}"; ls ran 2>/dev/null`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  }

  test.each<[string, readonly string[]]>([
    ['muster jo', ['join', 'jobs', 'job']],
    ['muster scheduler ac', ['activate']],
    ['muster scheduler activate ed', ['edas']],
    ['muster jobs --st', ['--status']],
    ['muster jobs --status f', ['failed']],
    ['muster jobs --limit ', []],
    ['muster job ', ['last', 'pi', 'a b', '$(touch ran)']],
    ['muster job p', ['pi']],
    ['muster job pi ', []],
    ['muster job --url http://x:1 p', ['pi']],
    ['muster delete pi --yes l', ['last']],
    ['muster explain last ', []],
    ['muster metrics --job la', ['last']],
    ['muster drain ', []],
    ['muster nonsense ', []],
    ['muster submit --keep-output ', ['on_failure', 'always', 'never']],
  ])('after %j offers %j', (line, words) => {
    expect(offered(line)).toEqual(words);
  });
});

describe('candidates', () => {
  const named = (id: string, name: string | null) => ({ id, name });
  const jobs = [named('01a2-1', 'pi'), named('01a2-2', 'twin'), named('01a2-3', 'twin')];
  const foreign = ['$(touch x)', 'a b', '`x`', '-rf', "it's", 'a\u0000b', ';', '~', '*', ''];
  const client = {
    jobs: async () => [...jobs, ...foreign.map((name) => named('01a2-4', name))] as JobHead[],
    workers: async () => [named('01a3-1', 'vm-1'), named('01a3-2', null)] as WorkerResource[],
  };

  test('are names that one has and ids, and nothing that means something to a shell', async () => {
    const words = await candidates(client, 'jobs');
    expect([...new Set(words)]).toEqual(['last', 'pi', '01a2-1', '01a2-2', '01a2-3', '01a2-4']);
    expect(await candidates(client, 'workers')).toEqual(['vm-1', '01a3-1', '01a3-2']);
  });

  test('are none when nobody answers', async () => {
    const gone = () => Promise.reject(new Error('no'));
    expect(await candidates({ jobs: gone, workers: gone }, 'jobs')).toEqual([]);
  });
});
