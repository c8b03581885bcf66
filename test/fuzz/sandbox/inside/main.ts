// Entry point of a fuzzing child: hardens the realm as the production child does, then runs batches of
// programs and says what is wrong after each.

import { writeSync } from 'node:fs';
import type { ChildSettings } from '../../../../src/worker/sandbox/messages.ts';
import { hardenRealm } from '../../../../src/worker/sandbox/realm.ts';
import { RealmWalk } from '../../../../src/worker/sandbox/realm-walk.ts';
import { nodeHost } from '../../../../src/worker/node/sandbox/node-host.ts';
import type { FromInside, ToInside } from '../messages.ts';
import type { Order } from '../program-tree.ts';
import { canarySource } from './canary.ts';
import { findHostObjects } from './host-objects.ts';
import { Oracle } from './oracle.ts';
import { loadTask, sampleRoots } from './sample-job.ts';
import { TwoJobs } from './two-jobs.ts';
import { findVocabulary } from './vocabulary-walk.ts';

const settings = JSON.parse(process.argv[2] ?? '{}') as ChildSettings;
const host = findHostObjects();
hardenRealm(nodeHost, settings.sesPath);
process.on('unhandledRejection', () => {});
process.on('disconnect', () => process.exit(0));

const sample = await sampleRoots('sample-a');
const oracle = new Oracle(host, sample, await sampleRoots('sample-b'));
const runCanary = await loadTask('canary', canarySource);
const healthy = runCanary();
const walk = new RealmWalk(nodeHost.kinds);
const untouched = walk.fingerprint(sample);
const jobs = new TwoJobs(settings, oracle);

process.on('message', (message: ToInside) => {
  judge(message[1], message[2]).catch((error: unknown) => {
    // In the production child nobody would catch it either.
    writeSync(2, `Error: what a task did ended the child: ${String(error)}\n`);
    process.exit(1);
  });
});
say(['ready', findVocabulary(sample)]);

async function judge(module: string, orders: readonly Order[]): Promise<void> {
  const [faults, refusal] = await jobs.run(module, orders);
  const [first = [], second = []] = jobs.roots();
  faults.push(...oracle.check(first, second), ...walk.findSharedFaults(first, second));
  if (walk.fingerprint(sample) !== untouched) faults.push('a job that ran nothing has changed');
  if (runCanary() !== healthy) faults.push('a program of a third job gives another result');
  say(['checked', [...new Set(faults)], refusal]);
}

function say(message: FromInside): void {
  process.send?.(message);
}
