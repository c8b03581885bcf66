// `npm run film`: makes docs/first-minute.svg, the moving picture of the first minute. Everything in it is a
// real run, typed into a real shell on a pseudo-terminal and recorded as it comes; only waits of
// more than a second or two are cut. It uses port 8000, as the pages do.

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Screen } from '../test/support/screen.ts';
import { paintMovingPicture } from './film/moving-picture.ts';
import { Recorder } from './film/recorder.ts';

const ROOT = join(import.meta.dirname, '..');
const PICTURE = join(ROOT, 'docs', 'first-minute.svg');
const TITLE = 'The first minute with Muster, in a terminal';

const KEY_MS = 35;
const PROMPT = /(^|\n)\$ $/;

/** What is typed, and how long it is looked at when it is there. */
const SCENES: readonly { readonly line: string; readonly lookMs: number }[] = [
  { line: 'cat primes.js', lookMs: 2_500 },
  { line: 'muster serve --workers 2 &', lookMs: 1_000 },
  { line: 'muster submit primes.js --range 240 --out primes.csv', lookMs: 2_000 },
  { line: 'tail -n 2 primes.csv', lookMs: 1_500 },
  { line: 'muster workers', lookMs: 2_500 },
  { line: 'clear; muster explain last 7', lookMs: 5_000 },
];

const PROGRAM = `// Counts the primes in a block of 100 000 numbers.
export default (block) => {
  const [from, to] = [block * 1e5, (block + 1) * 1e5];
  let count = from === 0 ? 1 : 0; // 2 is the even one
  for (let n = Math.max(3, from + 1); n < to; n += 2) {
    let d = 3;
    while (d * d <= n && n % d !== 0) d += 2;
    if (d * d > n) count++;
  }
  return count;
};
`;

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-film-'));
  writeFileSync(join(folder, 'primes.js'), PROGRAM);
  const screen = new Screen(['bash', '--noprofile', '--norc', '-i'], {
    folder,
    columns: 100,
    rows: 26,
    environment: { PS1: '$ ', PATH: `${join(ROOT, 'bin')}${delimiter}${process.env['PATH']}` },
  });
  try {
    await screen.until(PROMPT);
    const recorder = new Recorder(screen.terminal);
    for (const { line, lookMs } of SCENES) await play(screen, line, lookMs);
    const frames = recorder.stop();
    writeFileSync(join(folder, 'picture.svg'), paintMovingPicture(frames, TITLE));
    copyFileSync(join(folder, 'picture.svg'), PICTURE);
    console.log(`${PICTURE}: ${frames.length} frames`);
    screen.press('kill %1; wait; exit\r');
    await screen.ended;
  } finally {
    await screen.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(screen: Screen, line: string, lookMs: number): Promise<void> {
  for (const key of line) {
    screen.press(key);
    await sleep(KEY_MS);
  }
  await sleep(KEY_MS * 6);
  screen.press('\r');
  if (line.endsWith('&')) {
    // What was started in the background speaks after the prompt; return brings the next one.
    await screen.until('serving at http://127.0.0.1:8000');
    await sleep(lookMs);
    screen.press('\r');
  }
  await screen.until(PROMPT);
  await sleep(lookMs);
}

await main();
