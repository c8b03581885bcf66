// Jobs for a first try: one click runs them.

export interface ExampleJob {
  readonly name: string;
  readonly what: string;
  readonly source: string;
  readonly count: number;
}

export const exampleJobs: readonly ExampleJob[] = [
  {
    name: 'collatz',
    what: 'The longest way down to 1 below each million, for 40 millions.',
    count: 40,
    source: `// How many steps until a number comes down to 1? The longest way below each million.
export default function* (million) {
  let best = { steps: 0, from: 0 };
  for (let from = million * 1e6 + 1; from <= (million + 1) * 1e6; from++) {
    let steps = 0;
    for (let n = from; n !== 1; n = n % 2 === 0 ? n / 2 : 3 * n + 1) steps++;
    if (steps > best.steps) best = { steps, from };
    if (from % 1e5 === 0) yield { progress: (from % 1e6) / 1e6 };
  }
  return best;
}
`,
  },
  {
    name: 'primes',
    what: 'How many primes there are in each of 200 stretches of 100 000 numbers.',
    count: 200,
    source: `// How many primes are in a stretch of a hundred thousand numbers?
export default (stretch) => {
  const from = stretch * 1e5;
  let primes = 0;
  for (let n = Math.max(2, from); n < from + 1e5; n++) {
    let isPrime = true;
    for (let d = 2; d * d <= n && isPrime; d++) isPrime = n % d !== 0;
    if (isPrime) primes++;
  }
  return { from, primes };
};
`,
  },
  {
    name: 'pi-by-chance',
    what: 'A hundred times ten million points: the share inside the circle tells pi.',
    count: 100,
    source: `// Points by chance in a square; the share of them inside the circle is a quarter of pi.
export default (seed) => {
  let state = (seed + 1) * 2654435761 % 4294967296;
  const chance = () => (state = (state * 1664525 + 1013904223) % 4294967296) / 4294967296;
  let inside = 0;
  for (let point = 0; point < 1e7; point++) {
    const [x, y] = [chance(), chance()];
    if (x * x + y * y < 1) inside++;
  }
  return (4 * inside) / 1e7;
};
`,
  },
];

export function submissionOf({ name, source, count }: ExampleJob): object {
  return {
    name,
    client_id: 'dashboard',
    program: { kind: 'javascript', source },
    inputs: { range: { start: 0, count } },
  };
}
