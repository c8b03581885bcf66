// Programs to begin with, each of another kind: as they are, they run on any device.

import type { InputFormat } from './input-format.ts';
import type { OptionTexts } from './options.ts';

export interface Example {
  readonly id: string;
  readonly title: string;
  readonly does: string;
  readonly program: string;
  readonly format: InputFormat;
  /** Of a range. */
  readonly start?: string;
  readonly count?: string;
  /** Of anything else. */
  readonly inputs?: string;
  readonly options: OptionTexts;
}

const pi = `// Throws a million darts at a square, and counts those within the circle.
// Each input is a number that only makes the tasks different: every task has its own chance.
export default function (seed) {
  const darts = 1_000_000;
  let hits = 0;
  for (let dart = 0; dart < darts; dart++) {
    const x = Math.random();
    const y = Math.random();
    if (x * x + y * y < 1) hits++;
  }
  return (4 * hits) / darts;
}
`;

const words = `// Counts the words of a line. Each line of the text is a task of its own.
export default function (line) {
  const counts = {};
  for (const word of line.toLowerCase().match(/\\p{L}+/gu) ?? []) {
    counts[word] = (counts[word] ?? 0) + 1;
  }
  const often = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  return { words: often.reduce((sum, [, count]) => sum + count, 0), often: often.slice(0, 3) };
}
`;

const sonnet = `Shall I compare thee to a summer's day?
Thou art more lovely and more temperate:
Rough winds do shake the darling buds of May,
And summer's lease hath all too short a date:
Sometime too hot the eye of heaven shines,
And often is his gold complexion dimm'd;
And every fair from fair sometime declines,
By chance or nature's changing course untrimm'd;
But thy eternal summer shall not fade,
Nor lose possession of that fair thou owest;
Nor shall Death brag thou wander'st in his shade,
When in eternal lines to time thou growest:
So long as men can breathe or eyes can see,
So long lives this, and this gives life to thee.
`;

const primes = `// Counts primes for some seconds, and offers its state on the way: a device may leave in the
// middle, and another one goes on from where it was. Input: which block of numbers.
export default function* (block, task) {
  const size = 400_000;
  const from = block * size;
  const state = task.state ?? { next: from, found: 0 };
  while (state.next < from + size) {
    if (isPrime(state.next)) state.found++;
    state.next++;
    if (state.next % 5_000 === 0) yield { state, progress: (state.next - from) / size };
  }
  return state.found;
}

function isPrime(n) {
  if (n < 2) return false;
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false;
  return true;
}
`;

const chains = `// Halve what is even, take three times and one of what is odd: how long until it is 1?
// Each task tries a thousand numbers. Many small tasks show how work is spread over devices.
export default function (part) {
  let longest = { start: 1, steps: 0 };
  for (let start = part * 1000 + 1; start <= (part + 1) * 1000; start++) {
    let steps = 0;
    for (let n = start; n !== 1; n = n % 2 === 0 ? n / 2 : 3 * n + 1) steps++;
    if (steps > longest.steps) longest = { start, steps };
  }
  return longest;
}
`;

export const examples: readonly Example[] = [
  {
    id: 'pi',
    title: 'Numbers',
    does: 'The number pi by throwing darts: 200 tasks, some milliseconds each.',
    program: pi,
    format: 'range',
    start: '0',
    count: '200',
    options: { name: 'pi-by-darts' },
  },
  {
    id: 'words',
    title: 'A text',
    does: 'The words of a poem are counted: a task for each of its 14 lines.',
    program: words,
    format: 'lines',
    inputs: sonnet,
    options: { name: 'words-of-a-sonnet' },
  },
  {
    id: 'primes',
    title: 'Long tasks',
    does: 'Primes in 24 blocks, with checkpoints: a device that leaves loses little.',
    program: primes,
    format: 'range',
    start: '20',
    count: '24',
    options: { name: 'primes-with-checkpoints', checkpoint: '1' },
  },
  {
    id: 'chains',
    title: 'Many tasks',
    does: 'The longest chain among ten million numbers: 10\u202f000 small tasks.',
    program: chains,
    format: 'range',
    start: '0',
    count: '10000',
    options: { name: 'longest-chains' },
  },
];
