// Entry point of a fuzzing child: hardens the realm as the production child does, then runs batches of
// programs and says what is wrong after each.

import { hardenRealm } from '../../../../src/worker/sandbox/realm.ts';
import { RealmWalk } from '../../../../src/worker/sandbox/realm-walk.ts';
import type { Order } from '../program-tree.ts';
import { canarySource } from './canary.ts';
import { findHostObjects } from './host-objects.ts';
import { Oracle } from './oracle.ts';
import { endWith, host, libraryPath, listen, prepareRealm, say } from './platform.ts';
import { loadTask, sampleRoots } from './sample-job.ts';
import { TwoJobs } from './two-jobs.ts';
import { findVocabulary } from './vocabulary-walk.ts';

const ofHost = findHostObjects();
prepareRealm();
hardenRealm(host, libraryPath);
begin().catch((error: unknown) => endWith(`Error: the realm cannot be judged: ${String(error)}`));

async function begin(): Promise<void> {
  const sample = await sampleRoots('sample-a');
  const oracle = new Oracle(ofHost, sample, await sampleRoots('sample-b'));
  const runCanary = await loadTask('canary', canarySource);
  const healthy = runCanary();
  const walk = new RealmWalk(host.kinds);
  const untouched = walk.fingerprint(sample);
  const jobs = new TwoJobs(oracle);

  const judge = async (module: string, orders: readonly Order[]): Promise<void> => {
    const [faults, refusal] = await jobs.run(module, orders);
    const [first = [], second = []] = jobs.roots();
    faults.push(...oracle.check(first, second), ...walk.findSharedFaults(first, second));
    if (walk.fingerprint(sample) !== untouched) faults.push('a job that ran nothing has changed');
    if (runCanary() !== healthy) faults.push('a program of a third job gives another result');
    say(['checked', [...new Set(faults)], refusal]);
  };
  listen((message) => {
    judge(message[1], message[2]).catch((error: unknown) => {
      // In the production child nobody would catch it either.
      endWith(`Error: what a task did ended the child: ${String(error)}`);
    });
  });
  say(['ready', findVocabulary(sample)]);
}
