// Checks the sandbox by using it as a worker does: a child is started and runs one task.

import type { ExecutorOutcome } from '../../worker/executor.ts';
import {
  bubblewrapAdvice,
  chooseConfinement,
  type Confinement,
} from '../../worker/node/confinement.ts';
import { createNodeExecutor, type NodeExecutor } from '../../worker/node/node-executor.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const PATIENCE_MS = 20_000;
const PROGRAM = {
  jobId: 'doctor',
  kind: 'javascript',
  source: 'export default (n) => n + 1;',
  checkpointIntervalMs: null,
} as const;
const TASK = {
  key: 'doctor.0#1',
  owner: 'doctor',
  taskId: 'doctor.0',
  index: 0,
  attempt: 1,
  inputJson: '41',
  stateJson: null,
  progress: 0,
  timeoutMs: 5_000,
} as const;

export async function checkSandbox(platform: string): Promise<readonly Finding[]> {
  const startedMs = performance.now();
  const { executor, outcome } = await runTask();
  const tookMs = Math.round(performance.now() - startedMs);
  await executor.close();
  const isRight = outcome?.type === 'result' && outcome.valueJson === '42';
  if (!isRight) return [problem('sandbox', reasonOf(outcome), ADVICE)];
  const found = ok('sandbox', `a child with SES started and ran a task in ${tookMs} ms`);
  const confinement = chooseConfinement(process.execPath, 'auto');
  return [found, judgeWalls(confinement, platform), ...wallFindings(confinement)];
}

/**
 * A finding for each wall. Without bubblewrap, the walls that need it are left out: `judgeWalls` has said
 * that it is missing.
 */
export function wallFindings({
  isolation,
  walls,
}: Pick<Confinement, 'isolation' | 'walls'>): readonly Finding[] {
  const isBubblewrapped = isolation !== 'ses';
  return walls
    .filter(({ id, isInForce }) => isBubblewrapped || isInForce || withoutBubblewrap.has(id))
    .map(({ id, holds, needs, isInForce }) =>
      isInForce
        ? ok(`wall ${id}`, holds)
        : warning(`wall ${id}`, `not there: ${holds}`, `It needs ${needs}`),
    );
}

const withoutBubblewrap = new Set(['limits', 'privileges']);

interface Walls {
  readonly isolation: string;
  readonly endsWithAgent: boolean;
}

/** Only Linux has bubblewrap and setpriv; elsewhere there is nothing to advise. */
export function judgeWalls({ isolation, endsWithAgent }: Walls, platform: string): Finding {
  if (isolation !== 'ses') return ok('isolation', isolation.replace('+', ' and '));
  if (platform !== 'linux') return ok('isolation', "ses and Node's permission flags");
  if (endsWithAgent) {
    return warning(
      'isolation',
      "ses and Node's permission flags; bubblewrap is not there or may not be used",
      bubblewrapAdvice('linux'),
    );
  }
  return warning(
    'isolation',
    'ses alone, and neither bubblewrap nor setpriv works: a busy task outlives a killed worker',
    `${bubblewrapAdvice('linux')} setpriv is in util-linux. Until then the next worker ends what was left over.`,
  );
}

const ADVICE =
  'No worker can run here. Is there enough memory (about 60 MB a slot), and may this user start ' +
  'processes?';

function reasonOf(outcome: ExecutorOutcome | undefined): string {
  if (outcome?.type === 'failure') return `a task failed: ${outcome.errorMessage}`;
  return `a task did not end within ${PATIENCE_MS / 1_000} s`;
}

function runTask(): Promise<{ executor: NodeExecutor; outcome: ExecutorOutcome | undefined }> {
  return new Promise((resolve) => {
    const end = (outcome: ExecutorOutcome | undefined) => {
      clearTimeout(timer);
      resolve({ executor, outcome });
    };
    const timer = setTimeout(() => end(undefined), PATIENCE_MS);
    const executor = createNodeExecutor({
      slots: 1,
      listener: (event) => {
        if (event.type === 'finished') end(event.outcomes[0]);
      },
    });
    executor.run(0, PROGRAM, [TASK]);
  });
}
