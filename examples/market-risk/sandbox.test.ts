// What a device does to the program, in short: another process, locked down, no globals but the
// language. The real executor has its own tests.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { prepareMarketRisk } from './prepare.ts';
import { runInOneProcess } from './single-process.ts';

const DEVICE = `
  import 'ses';
  import { readFileSync } from 'node:fs';
  lockdown();
  const { source, inputs } = JSON.parse(readFileSync(0, 'utf8'));
  const body = source.replace(/^export default /m, 'return ');
  const run = new Compartment({}).evaluate('(() => {' + body + '})()');
  const results = inputs.map((input) => {
    let state = null;
    for (;;) {
      // Every step is a new attempt, resumed from JSON.
      const step = run(input, { state }).next();
      if (step.done) return step.value;
      state = JSON.parse(JSON.stringify(step.value.state));
    }
  });
  console.log(JSON.stringify({ results, outside: new Compartment({}).evaluate('typeof process') }));
`;

test('the program runs under SES lockdown in another process and gives the same digits', () => {
  const { program, inputs } = prepareMarketRisk({ tasks: 3, paths: 2_000 });
  const child = spawnSync(process.execPath, ['--input-type=module', '--eval', DEVICE], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    input: JSON.stringify({ source: program.source, inputs }),
  });
  expect(child.stderr).toBe('');
  const { results, outside } = JSON.parse(child.stdout);
  expect(outside).toBe('undefined');
  expect(results).toEqual(runInOneProcess(inputs));
});
