// The counters that quotas are measured by, against a recount of what is stored, after random histories.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import { QuotaChecker } from './quota-checker.ts';

async function submit(
  cluster: VirtualCluster,
  { owner, id, inputs }: { readonly owner: string; readonly id: string; readonly inputs: string[] },
) {
  cluster.runtime.names.push(id);
  const who = { role: 'client', tokenId: `of-${owner}`, owner, seesAll: false } as const;
  const { submissions } = cluster.coordinator.for(who);
  await cluster.answer(
    submissions.submit(submission({ maxAttempts: 1 }), { type: 'list', inputs }),
  );
}

test('the counters are what a recount gives, after any history', async () => {
  const owners = fc.constantFrom('ann', 'bob', 'admin');
  const step = fc.oneof(
    fc.record({ do: fc.constant('submit' as const), owner: owners, size: fc.nat(9) }),
    fc.record({
      do: fc.constantFrom('complete', 'fail', 'cancel', 'retry', 'delete', 'hold', 'crash'),
      nth: fc.nat(5),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const cluster = await VirtualCluster.start();
      const ids: string[] = [];
      const worker = await cluster.join('worker', { slots: 50 });
      for (const each of steps) {
        const id = 'nth' in each ? ids[each.nth % Math.max(1, ids.length)] : undefined;
        if ('size' in each) {
          const name = `j${ids.length}`;
          const inputs = Array.from({ length: each.size + 1 }, (_, i) => String(i ** 3));
          await submit(cluster, { owner: each.owner, id: name, inputs });
          ids.push(name);
        } else if (each.do === 'crash') {
          await cluster.crash();
          worker.connect(cluster.coordinator);
        } else if (id !== undefined) {
          await act(cluster, worker, each.do, id);
        }
        await cluster.settle();
        const checker = new QuotaChecker(cluster.disk);
        checker.check(cluster.coordinator.state);
        expect(() => checker.judge()).not.toThrow();
      }
    }),
    { numRuns: 40 },
  );
});

async function act(
  cluster: VirtualCluster,
  worker: Awaited<ReturnType<VirtualCluster['join']>>,
  what: string,
  id: string,
) {
  const { jobs } = cluster.coordinator;
  const live = [...(cluster.coordinator.state.jobs.get(id)?.tasks.values() ?? [])].find(
    (task) => task.live.length > 0,
  );
  if (what === 'cancel') await cluster.answer(jobs.cancel(id));
  else if (what === 'retry') await cluster.answer(jobs.retry(id));
  else if (what === 'delete') await cluster.answer(jobs.delete(id));
  else if (what === 'hold') await cluster.answer(jobs.hold(id));
  else if (live === undefined) return;
  else if (what === 'complete') worker.complete(`${id}.${live.index}`, 'x'.repeat(live.index));
  else worker.fail(`${id}.${live.index}`, { error_message: 'no' });
}
