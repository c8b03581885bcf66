// `npm run check`: all checks of the code except its tests. Two steps run at a time; a step prints its
// output only if it fails. `npm run types` and `npm run lint` run parts of it.

import { spawn } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const AT_ONCE = 2;

const TSC = 'node_modules/typescript/bin/tsc';
const OXLINT = 'node_modules/oxlint/bin/oxlint';
const BIOME = 'node_modules/@biomejs/biome/bin/biome';
const KNIP = 'node_modules/knip/bin/knip.js';
const VITEST = 'node_modules/vitest/vitest.mjs';

interface Step {
  readonly name: string;
  readonly command: readonly string[];
}

const STEPS: readonly Step[] = [
  { name: 'types node', command: [TSC, '-p', 'tsconfig.node.json'] },
  { name: 'types pure', command: [TSC, '-p', 'tsconfig.pure.json'] },
  { name: 'types dom', command: [TSC, '-p', 'tsconfig.dom.json'] },
  { name: 'types webworker', command: [TSC, '-p', 'tsconfig.webworker.json'] },
  { name: 'types browser tests', command: [TSC, '-p', 'tsconfig.browser-tests.json'] },
  { name: 'lint', command: [OXLINT, '--type-aware', '--deny-warnings'] },
  { name: 'format', command: [BIOME, 'format', '--colors=off'] },
  { name: 'dead code', command: [KNIP] },
  { name: 'tidy', command: [VITEST, 'run', '--project=unit', '--reporter=dot', 'test/tidy'] },
];

interface Outcome {
  readonly isOk: boolean;
  readonly output: string;
}

async function main(kind: string | undefined): Promise<number> {
  const steps = STEPS.filter(({ name }) => kind === undefined || name.startsWith(kind));
  if (steps.length === 0) throw new Error(`No step of the check begins with "${kind}".`);
  const waiting = [...steps];
  let failed = 0;
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const startedMs = performance.now();
      const { isOk, output } = await run(step);
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
      console.log(`${isOk ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)`);
      if (!isOk) {
        failed++;
        console.log(output.trimEnd());
      }
    }
  });
  await Promise.all(lanes);
  console.log(failed === 0 ? `${steps.length} checks passed` : `${failed} checks failed`);
  return failed === 0 ? 0 : 1;
}

function run({ command }: Step): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => resolve({ isOk: code === 0, output }));
  });
}

process.exitCode = await main(process.argv[2]);
