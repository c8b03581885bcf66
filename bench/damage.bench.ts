// What is served from database files that were damaged while they were closed: half of the files
// are below 32 MB, where the whole structure is checked at the start, half above. A value that was
// never stored must not be served with 200. Run: npm run bench -- damage

import { type Outcome, type Trial, tryDamages } from '../test/support/damaged-files.ts';

const filesPerSize = 30;
const sizes = [
  { name: 'below 32 MB', tasks: 900, texts: 'long' },
  { name: 'above 32 MB', tasks: 19_000, texts: 'long' },
  { name: 'below 32 MB, short texts', tasks: 2_000, texts: 'short' },
] as const;
const outcomes: readonly Outcome[] = ['refused', 'wrong value', 'wrong fact', 'told', 'no effect'];

type Print = (line: string) => void;

export async function benchDamage(print: Print): Promise<void> {
  print(`${''.padEnd(30)}${outcomes.map((outcome) => outcome.padStart(13)).join('')}`);
  for (const [place, { name, tasks, texts }] of sizes.entries()) {
    const trials = await tryDamages({ seed: 1 + place, files: filesPerSize, tasks, texts });
    print(line(name, trials));
    for (const [damage, group] of Map.groupBy(trials, (trial) => trial.damage)) {
      print(line(`  ${damage}`, group));
    }
    for (const { damage, outcome, wrong } of trials) {
      if (wrong !== '') print(`  ${damage}: ${outcome} at ${wrong}`);
    }
  }
}

function line(name: string, trials: readonly Trial[]): string {
  const counts = outcomes.map(
    (wanted) => trials.filter(({ outcome }) => outcome === wanted).length,
  );
  return `${name.padEnd(30)}${counts.map((count) => String(count).padStart(13)).join('')}`;
}
