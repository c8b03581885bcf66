// `npm run fuzz:input -- [--seed N] [--seeds N] [--cases N]`: fuzzed frames and bodies against a
// coordinator in this process, or with `--url ADDRESS` against one that runs already.

import { parseArgs } from 'node:util';
import { startLiveServer } from '../../api/support/live-server.ts';
import { fuzzInput } from './fuzz-input.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    cases: { type: 'string', default: '500' },
    url: { type: 'string' },
  },
});

const first = Number(values.seed);
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const live = values.url === undefined ? await startLiveServer() : null;
  const outcome = await fuzzInput(values.url ?? live!.url, seed, Number(values.cases));
  await live?.close();
  const { cases, answers, faults, longestTurnMs, peakMb } = outcome;
  console.log(`seed ${seed}: ${cases} cases, longest turn ${longestTurnMs} ms, peak ${peakMb} MB`);
  console.log(
    Object.entries(answers)
      .map(([answer, count]) => `  ${answer}: ${count}`)
      .join('\n'),
  );
  for (const fault of faults) console.log(`  FAULT ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
