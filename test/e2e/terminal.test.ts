// What a person sees: the command line on a real terminal, whose screen is read after the emulator has
// drawn it. What programs read is in the other files.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { commandFiles } from '../support/built-command.ts';
import { type CliOptions, runCli, serveCli, type ServingCli } from '../support/cli-process.ts';
import { Screen, type ScreenOptions } from '../support/screen.ts';

const CTRL_C = '\u0003';
const BAR = /^\[[#.]{24}\] +\d+ %/m;

let folder: string;
let serving: ServingCli;
let around: CliOptions;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-terminal-'));
  writeFileSync(join(folder, 'hello.js'), 'export default (name) => `Hello, ${name}!`;\n');
  writeFileSync(join(folder, 'throws.js'), 'export default () => { throw new Error("no"); };\n');
  writeFileSync(join(folder, 'never.js'), 'export default function* () { for (;;) yield; }\n');
  writeFileSync(
    join(folder, 'steps.js'),
    `export default function* (n) {
  for (let i = 1; i <= 40; i++) {
    for (let j = 0; j < 2e6; j++) Math.sqrt(j);
    yield { progress: i / 40 };
  }
  return n;
}\n`,
  );
  serving = await serveCli(['--workers', '2'], { folder });
  around = { folder, environment: { MUSTER_URL: serving.url } };
});

afterAll(async () => {
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

function onScreen(args: readonly string[], options: Partial<ScreenOptions> = {}): Screen {
  const environment = { ...around.environment, ...options.environment };
  const screen = new Screen([process.execPath, commandFiles().main, ...args], {
    folder,
    ...options,
    environment,
  });
  onTestFinished(() => screen.kill());
  return screen;
}

test('results and the bar never share a line, and the bar is gone at the end', async () => {
  const screen = onScreen(['submit', 'steps.js', '--range', '6', '--follow']);
  await screen.until(BAR);
  await screen.until('"value":1}');
  expect(await screen.ended).toBe(0);
  const results = screen.lines.filter((line) => line.startsWith('{"index"'));
  const values = results.map((line) => (JSON.parse(line) as { value: number }).value);
  expect(new Set(values)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  expect(screen.text).not.toMatch(/\[[#.]{24}\]/);
  expect(screen.lines.at(-1)).toMatch(/^completed: 6 tasks in /);
});

test('the bar takes one line of a narrow window, also while that is made narrower', async () => {
  const screen = onScreen(['submit', 'never.js', '--range', '3', '--out', 'x.json'], {
    columns: 46,
  });
  await screen.until(/^\[[#.]{24}\] +0 %  0 of 3 ta$/m);
  screen.resize(40);
  await screen.until(/^\[[#.]{24}\] +0 %  0 o$/m);
  screen.press(CTRL_C);
  expect(await screen.ended).toBe(130);
  expect(screen.text).not.toContain('[...');
  await runCli(['cancel', screen.lines[0]!], around);
});

test('Ctrl-C says that the job goes on, what was not written, and how to come back', async () => {
  const screen = onScreen(['submit', 'never.js', '--range', '3', '--out', 'my results.json'], {
    columns: 140,
  });
  await screen.until(BAR);
  screen.press(CTRL_C);
  expect(await screen.ended).toBe(130);
  const [id = ''] = screen.lines;
  expect(screen.lines.slice(1)).toEqual([
    'submitted: 3 tasks',
    'The job goes on without you. "my results.json" was not written.',
    `  write it when the job has ended:  muster results ${id} --follow --out 'my results.json'`,
    `  cancel it:  muster cancel ${id}`,
  ]);
  await runCli(['cancel', id], around);
});

test('delete shows what it would remove and asks; only a yes is one', async () => {
  const muster = (...args: string[]) => runCli(args, around);
  await muster('submit', 'hello.js', '--range', '2', '--name', 'to-go', '--follow');
  const left = async () =>
    (JSON.parse((await muster('jobs', '--json')).stdout) as { name: string }[]).filter(
      ({ name }) => name === 'to-go',
    ).length;
  for (const [keys, code, there] of [
    ['\r', 0, 1],
    ['n\r', 0, 1],
    [CTRL_C, 130, 1],
    ['y\r', 0, 0],
  ] as const) {
    const screen = onScreen(['delete', '--name', 'to-go']);
    await screen.until('[y/N]');
    expect(screen.text).toMatch(/^ID +NAME +STATUS +TASKS +ENDED\n\S+ +to-go +completed +2 /);
    screen.press(keys);
    expect([keys, await screen.ended, await left()]).toEqual([keys, code, there]);
  }
});

test('delete asks about a job that was named by anything but its whole id', async () => {
  const muster = (...args: string[]) => runCli(args, around);
  const submitted = async () =>
    (await muster('submit', 'hello.js', '--range', '1', '--name', 'mine', '--out', 'x.json'))
      .stdout;
  const id = (await submitted()).trim();
  for (const handle of ['last', 'mine', id.slice(-8)]) {
    const screen = onScreen(['delete', handle]);
    await screen.until('[y/N]');
    expect(screen.text).toMatch(/^ID +NAME +STATUS +TASKS +ENDED\n\S+ +mine +completed +1 /);
    screen.press('\r');
    expect(await screen.ended).toBe(0);
    expect(screen.text).toContain('nothing is removed');
  }
  const whole = onScreen(['delete', id]);
  expect(await whole.ended).toBe(0);
  expect(whole.text).toContain(`${id} is removed, with its results`);
  const next = (await submitted()).trim();
  expect((await muster('delete', 'last')).stderr).toBe(`${next} is removed, with its results\n`);
});

test('serve tells a person one sentence, and ends with Ctrl-C', async () => {
  const screen = onScreen(['serve', '--port', '0', '--data-dir', join(folder, 'other')]);
  await screen.until('serving at http://127.0.0.1:');
  expect(screen.text).not.toContain('{');
  screen.press(CTRL_C);
  expect(await screen.ended).toBe(0);
});

test('states have their colours on a terminal, and none where nobody wants them', async () => {
  const red = 1;
  for (const [environment, expected] of [
    [{}, red],
    [{ NO_COLOR: '1' }, -1],
  ] as const) {
    const screen = onScreen(['submit', 'throws.js', '--range', '1', '--follow'], { environment });
    expect(await screen.ended).toBe(1);
    const row = screen.lines.findIndex((line) => line.startsWith('failed: '));
    const cell = screen.terminal.buffer.active.getLine(row)?.getCell(0);
    expect(cell?.isFgDefault() ? -1 : cell?.getFgColor()).toBe(expected);
  }
});
