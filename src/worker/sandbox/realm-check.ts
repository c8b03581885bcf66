// The check that a child makes of its own realm before it serves: it runs the probe program as two jobs,
// like any other program, and compares the objects that both can reach. So an unknown feature of a new
// engine that two jobs could share keeps the child from serving.

import { Attempt } from './attempt.ts';
import { CheckpointCost } from './checkpoint-schedule.ts';
import type { Host } from './host.ts';
import { probeSource } from './probe-program.ts';
import { Program } from './program.ts';
import { ProgramShells } from './program-shells.ts';
import { ProgramText } from './program-texts.ts';
import { RealmWalk, type Roots } from './realm-walk.ts';
import { StopOrder } from './stop-order.ts';

/** Sentences; none when the realm is sound. */
export async function checkRealm(host: Host): Promise<readonly string[]> {
  // Both have one text, as jobs with the same program do.
  const text = new ProgramText(probeSource);
  const shells = new ProgramShells(host);
  const [a, b] = [
    await probe('probe-a', text, host, shells),
    await probe('probe-b', text, host, shells),
  ];
  return new RealmWalk(host.kinds).findSharedFaults(a, b);
}

/** The objects that a job can reach. */
async function probe(
  jobId: string,
  text: ProgramText,
  host: Host,
  shells: ProgramShells,
): Promise<Roots> {
  const program = new Program(jobId, text, new CheckpointCost(null, 0), shells);
  program.timersAtMost = timersAtMost;
  const found: (readonly [string, unknown])[] = [];
  for (const isStopped of [false, true]) {
    const task = { ...handed, jobId, taskId: `${jobId}-0` };
    const attempt = new Attempt(task, program.cost, { ...settings, host });
    program.current = attempt;
    await program.load();
    if (isStopped) attempt.stop(false);
    const input: unknown = JSON.parse(handed.input);
    const call = program.task;
    const promise = call?.(input, attempt.context(input, null)) as Promise<Roots>;
    found.push(['the promise of an async function', promise], ...(await promise));
    attempt.end();
    program.leave();
    // For the next program, as while a child has nothing to do.
    shells.prepare();
  }
  return found;
}

/** The probe starts too many timers to see what is thrown; the usual limit would take 30 ms. */
const timersAtMost = 3;

const handed = {
  number: 0,
  index: 0,
  attempt: 1,
  input: '{"a": [1]}',
  stateJson: '{"b": [2]}',
  progress: 0,
};

const settings = {
  stateLimitBytes: 1024,
  outputLimitBytes: 1024,
  now: () => 0,
  stopOrder: new StopOrder(null),
  send: () => {},
  mayTellOutput: () => false,
  nextTurn: () => Promise.resolve(),
};
