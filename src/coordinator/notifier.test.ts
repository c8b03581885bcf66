// Others are told of the ends of jobs, at least once, whatever happens to the coordinator meanwhile.

import { describe, expect, test } from 'vitest';
import { VirtualCluster, type ClusterOptions } from '../../test/support/virtual-cluster.ts';
import type { NotifyTarget } from '../core/notifications.ts';
import type { Delivery, DeliveryOutcome } from './port/notifications.ts';

const second = 1000;
const delivered: DeliveryOutcome = { outcome: 'delivered', answer: '204' };
const failed: DeliveryOutcome = { outcome: 'failed', answer: '503' };

function target(host = 'example.org'): NotifyTarget {
  const on = ['completed', 'failed', 'cancelled'] as const;
  return { url: `https://${host}/hook?key=1`, host, on, secret: 'a secret' };
}

/** Receivers that answer when the test says so. */
class Receivers {
  readonly open: { readonly delivery: Delivery; answer(outcome: DeliveryOutcome): void }[] = [];
  readonly ids: string[] = [];
  most = 0;

  readonly deliver = (delivery: Delivery): Promise<DeliveryOutcome> => {
    this.ids.push(delivery.id);
    return new Promise((resolve) => {
      const attempt = {
        delivery,
        answer: (outcome: DeliveryOutcome) => {
          this.open.splice(this.open.indexOf(attempt), 1);
          resolve(outcome);
        },
      };
      this.open.push(attempt);
      this.most = Math.max(this.most, this.open.length);
    });
  };

  answerAll(outcome: DeliveryOutcome): void {
    while (this.open.length > 0) this.open[0]!.answer(outcome);
  }

  hosts(): string[] {
    return this.open.map(({ delivery }) => new URL(delivery.url).hostname);
  }
}

async function stage(options: ClusterOptions = {}) {
  const receivers = new Receivers();
  const cluster = await VirtualCluster.start({ deliver: receivers.deliver, ...options });
  return { cluster, receivers };
}

async function end(cluster: VirtualCluster, name: string, notify = [target()]) {
  await cluster.submit(name, [1], { notify });
  await cluster.answer(cluster.coordinator.jobs.cancel(name));
  await cluster.settle();
}

const view = async (cluster: VirtualCluster, name: string) =>
  cluster.answer(cluster.coordinator.notifications.ofJob(name));

describe('the end of a job', () => {
  test('is told when it is on the disk, with what the job was then', async () => {
    const { cluster, receivers } = await stage();
    await cluster.submit('j', [1, 2], { name: 'pi', clientId: 'lab', notify: [target()] });
    expect(receivers.open).toEqual([]);
    await cluster.answer(cluster.coordinator.jobs.cancel('j'));
    const { delivery } = receivers.open[0]!;
    const { at, notice } = delivery;
    expect(delivery).toMatchObject({ url: target().url, secret: 'a secret', id: 'msg_j_1' });
    expect(notice).toEqual({
      schema: 1,
      type: 'job.cancelled',
      timestamp: new Date(at).toISOString(),
      id: 'msg_j_1',
      attempt: 1,
      data: {
        job_id: 'j',
        name: 'pi',
        client_id: 'lab',
        status: 'cancelled',
        task_count: 2,
        counts: { completed: 0, failed: 0, cancelled: 2 },
        created_at: new Date(at).toISOString(),
        started_at: null,
        completed_at: new Date(at).toISOString(),
        links: { job: '/api/jobs/j', results: '/api/jobs/j/results' },
      },
    });
    expect(await view(cluster, 'j')).toMatchObject([{ state: 'due', attempts: 0 }]);
    receivers.open[0]!.answer(delivered);
    await cluster.settle();
    expect(await view(cluster, 'j')).toEqual([
      {
        id: 'msg_j_1',
        url: 'https://example.org/hook?...',
        status: 'cancelled',
        ended_at: notice.timestamp,
        state: 'delivered',
        attempts: 1,
        last_answer: '204',
        last_attempt_at: notice.timestamp,
        next_attempt_at: null,
      },
    ]);
  });

  test('is told again after a pause, under the same name, until it is delivered', async () => {
    const { cluster, receivers } = await stage();
    await end(cluster, 'j');
    receivers.open[0]!.answer(failed);
    await cluster.advance(9 * second);
    expect(receivers.open).toEqual([]);
    await cluster.advance(4 * second);
    expect(receivers.open[0]!.delivery.notice.attempt).toBe(2);
    receivers.open[0]!.answer(delivered);
    await cluster.advance(86_400 * second);
    expect(receivers.ids).toEqual(['msg_j_1', 'msg_j_1']);
  });

  test('is told again though it becomes due while somebody looks what is due', async () => {
    const { cluster, receivers } = await stage();
    await end(cluster, 'j');
    const list = cluster.gate.store.listDueNotifications.bind(cluster.gate.store);
    cluster.gate.override({
      listDueNotifications: async (wanted) => {
        const due = await list(wanted);
        // The disk is slow, and time passes for everybody else.
        cluster.runtime.pass(20 * second);
        return due;
      },
    });
    receivers.open[0]!.answer(failed);
    await cluster.settle();
    await cluster.advance(1);
    expect(receivers.ids).toHaveLength(2);
  });

  test('is given up after eight attempts', async () => {
    const { cluster, receivers } = await stage();
    await end(cluster, 'j');
    for (let attempt = 1; attempt <= 8; attempt++) {
      receivers.open[0]!.answer(failed);
      await cluster.advance(9_000 * second);
    }
    expect(receivers.ids).toHaveLength(8);
    expect(await view(cluster, 'j')).toMatchObject([
      { state: 'given_up', attempts: 8, last_answer: '503', next_attempt_at: null },
    ]);
  });

  test('is told by the next coordinator when this one dies before the answer', async () => {
    const { cluster, receivers } = await stage();
    await end(cluster, 'j');
    await cluster.crash();
    await cluster.settle();
    expect(receivers.ids).toEqual(['msg_j_1', 'msg_j_1']);
    receivers.open[1]!.answer(delivered);
    await cluster.settle();
    await cluster.crash();
    await cluster.advance(3_600 * second);
    expect(receivers.ids).toHaveLength(2);
  });

  test('is told after a restart no earlier than its pause is over', async () => {
    const { cluster, receivers } = await stage();
    await end(cluster, 'j');
    receivers.open[0]!.answer(failed);
    await cluster.settle();
    await cluster.crash();
    await cluster.advance(9 * second);
    expect(receivers.ids).toHaveLength(1);
    await cluster.advance(4 * second);
    expect(receivers.ids).toHaveLength(2);
  });

  test('is told nobody any more when the job was deleted', async () => {
    const { cluster, receivers } = await stage();
    await end(cluster, 'j');
    await cluster.answer(cluster.coordinator.jobs.delete('j'));
    receivers.open[0]!.answer(failed);
    await cluster.advance(86_400 * second);
    expect(receivers.ids).toHaveLength(1);
    expect(await view(cluster, 'j')).toBeUndefined();
    expect(cluster.disk.notifications.size).toBe(0);
  });

  test('waits where nobody is told, for a coordinator that tells', async () => {
    const cluster = await VirtualCluster.start();
    await end(cluster, 'j');
    await cluster.advance(60 * second);
    expect(await view(cluster, 'j')).toMatchObject([{ state: 'due', attempts: 0 }]);
  });
});

describe('many ends at once', () => {
  test('at most eight messages are under way, and two to one host', async () => {
    const { cluster, receivers } = await stage();
    for (let i = 0; i < 5; i++) await end(cluster, `slow${i}`, [target('slow.example')]);
    expect(receivers.hosts()).toEqual(['slow.example', 'slow.example']);
    for (let i = 0; i < 8; i++) await end(cluster, `j${i}`, [target(`host${i % 4}.example`)]);
    expect(receivers.most).toBe(8);
    expect(new Set(receivers.hosts()).size).toBe(5);
    // Those that answer make room for the others, and not for more to the host that does not.
    for (;;) {
      const next = receivers.open.find(({ delivery }) => !delivery.url.includes('slow'));
      if (next === undefined) break;
      next.answer(delivered);
      await cluster.settle();
    }
    expect(receivers.hosts()).toEqual(['slow.example', 'slow.example']);
    expect(receivers.ids).toHaveLength(10);
    for (let i = 0; i < 5; i++) {
      receivers.open[0]!.answer(delivered);
      await cluster.settle();
    }
    expect(new Set(receivers.ids).size).toBe(13);
    expect(receivers.most).toBe(8);
  });

  test('hosts that were slow have four places together, until they answer sooner', async () => {
    const { cluster, receivers } = await stage();
    const slow = [0, 1, 2, 3].map((i) => target(`slow${i}.example`));
    for (let i = 0; i < 4; i++) await end(cluster, `slow${i}`, slow);
    expect(receivers.open).toHaveLength(8);
    await cluster.advance(10 * second);
    receivers.answerAll(failed);
    await cluster.settle();
    expect(receivers.open).toHaveLength(4);
    await end(cluster, 'quick', [target()]);
    expect(receivers.hosts()).toContain('example.org');
    receivers.answerAll(delivered);
    await cluster.settle();
    expect(receivers.open.length).toBeGreaterThanOrEqual(4);
    for (let i = 0; i < 20; i++) {
      receivers.answerAll(delivered);
      await cluster.settle();
    }
    expect(receivers.open).toEqual([]);
    expect(new Set(receivers.ids).size).toBe(17);
  });
});
