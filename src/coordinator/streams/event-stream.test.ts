// What listeners see, and what they are told when they cannot see it any more.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { EventStream } from './event-stream.ts';
import type { EventFilter, StreamedEvent } from '../port/events.ts';

/** A listener that reads whatever there is when asked. */
class Listener {
  readonly end = new AbortController();
  readonly seen: StreamedEvent[] = [];
  private readonly cluster: VirtualCluster;

  constructor(cluster: VirtualCluster, filter: EventFilter, lastEventId?: string) {
    this.cluster = cluster;
    const how = { signal: this.end.signal, ...(lastEventId === undefined ? {} : { lastEventId }) };
    void this.listen(cluster.coordinator.events.follow(filter, how));
  }

  async types(): Promise<string[]> {
    await this.cluster.settle();
    return this.seen.map(({ type }) => type);
  }

  async leave(): Promise<string | undefined> {
    await this.cluster.settle();
    this.end.abort();
    await this.cluster.settle();
    return this.seen.at(-1)?.id;
  }

  private async listen(chunks: AsyncIterable<readonly StreamedEvent[]>): Promise<void> {
    for await (const chunk of chunks) this.seen.push(...chunk);
  }
}

describe('the event stream', () => {
  test('comes to its end with the coordinator, after all that was left to tell', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w');
    const { coordinator } = cluster;
    const listening = Array.fromAsync(
      coordinator.events.follow({}, { signal: new AbortController().signal }),
    );
    await cluster.settle();
    void coordinator.workers.drain('w');
    await cluster.answer(coordinator.stop());
    const told = await cluster.answer(listening);
    expect(told.flat().map(({ type }) => type)).toEqual(['worker_drained']);
  });

  test('tells what was true at each event, not at the end of its batch', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w');
    const listener = new Listener(cluster, {});
    await cluster.settle();
    void cluster.coordinator.workers.drain('w');
    void cluster.coordinator.workers.resume('w');
    expect(await listener.types()).toEqual(['worker_drained', 'worker_resumed']);
    const status = ({ data }: StreamedEvent) => (JSON.parse(data) as { status: string }).status;
    expect(listener.seen.map(status)).toEqual(['draining', 'online']);
  });

  test('tells who comes between a batch and its commit what was true at each event', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1], { maxAttempts: 1 });
    cluster.gate.shut();
    void cluster.coordinator.workers.drain('w');
    void cluster.coordinator.workers.resume('w');
    worker.fail('j.0');
    void cluster.coordinator.jobs.retry('j');
    await cluster.settle();
    const types = ['worker_drained', 'task_failed', 'job_finished', 'task_assigned'];
    const listener = new Listener(cluster, { types });
    await cluster.settle();
    expect(listener.seen).toEqual([]);
    cluster.gate.open();
    expect(await listener.types()).toEqual(types);
    const told = listener.seen.map(({ data }) => JSON.parse(data) as object);
    expect(told).toMatchObject([
      { status: 'draining' },
      { attempt: 1 },
      { status: 'failed', completed: 0, failed: 1, cancelled: 0 },
      { attempt: 2 },
    ]);
  });

  test('names who brought a late result, though another one had the task since', async () => {
    const cluster = await VirtualCluster.start();
    const first = await cluster.join('first');
    await cluster.submit('j', [1], { attemptTimeoutMs: 1000, retryDelayMs: 0 });
    first.start('j.0');
    const second = await cluster.join('second');
    for (let seconds = 0; seconds < 15; seconds += 5) {
      await cluster.advance(5000);
      first.heartbeat();
      second.heartbeat();
    }
    expect(cluster.lines).toContain('j.0 #2 assigned to second');
    const listener = new Listener(cluster, { types: ['task_completed'] });
    await cluster.settle();
    void cluster.coordinator.workers.deregister('first');
    first.complete('j.0', 'late');
    expect(await listener.types()).toEqual(['task_completed']);
    expect(JSON.parse(listener.seen[0]!.data)).toMatchObject({ attempt: 1, worker_id: 'first' });
  });

  test('goes on where a listener left, though the clock was set meanwhile', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w');
    const first = new Listener(cluster, {});
    await cluster.settle();
    await cluster.answer(cluster.coordinator.workers.drain('w'));
    const id = await first.leave();
    cluster.runtime.setClock(3_600_000);
    await cluster.answer(cluster.coordinator.workers.resume('w'));
    const second = new Listener(cluster, {}, id);
    expect(await second.types()).toEqual(['worker_resumed']);
  });

  test('tells a listener that asks for a job everything of that job, and nothing of others', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('other', [1]);
    const listener = new Listener(cluster, { jobId: 'j' });
    await cluster.settle();
    await cluster.submit('j', [1]);
    worker.complete('other.0');
    await cluster.settle();
    worker.complete('j.0', 7);
    expect(await listener.types()).toEqual([
      'job_submitted',
      'task_assigned',
      'task_completed',
      'job_finished',
    ]);
    expect(JSON.parse(listener.seen[2]!.data)).toMatchObject({
      type: 'task_completed',
      job_id: 'j',
      task_id: 'j.0',
      index: 0,
      attempt: 1,
    });
  });

  test('leaves single tasks out for a listener without a filter', async () => {
    const cluster = await VirtualCluster.start();
    const listener = new Listener(cluster, {});
    await cluster.settle();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1]);
    worker.complete('j.0');
    expect(await listener.types()).toEqual([
      'worker_registered',
      'worker_connected',
      'job_submitted',
      'job_finished',
    ]);
  });

  test('gives the types that were asked for', async () => {
    const cluster = await VirtualCluster.start();
    const listener = new Listener(cluster, { types: ['task_assigned'] });
    await cluster.join('w');
    await cluster.submit('j', [1]);
    expect(await listener.types()).toEqual(['task_assigned']);
  });

  test('goes on behind the last event that a reader had', async () => {
    const cluster = await VirtualCluster.start();
    const first = new Listener(cluster, {});
    await cluster.submit('a', [1]);
    const lastEventId = await first.leave();
    await cluster.submit('b', [1]);
    const second = new Listener(cluster, {}, lastEventId);
    expect(await second.types()).toEqual(['job_submitted']);
    expect(JSON.parse(second.seen[0]!.data)).toMatchObject({ job_id: 'b' });
  });

  test.each(['', 'nonsense', 'v1-7', '-1'])(
    'says reset to a reader whose last event id is %j',
    async (lastEventId) => {
      const cluster = await VirtualCluster.start();
      const listener = new Listener(cluster, {}, lastEventId);
      await cluster.submit('a', [1]);
      expect(await listener.types()).toEqual(['reset', 'job_submitted']);
    },
  );

  test('says reset to a reader of an earlier life of the coordinator', async () => {
    const cluster = await VirtualCluster.start();
    const first = new Listener(cluster, {});
    await cluster.submit('a', [1]);
    const lastEventId = await first.leave();
    await cluster.crash();
    const second = new Listener(cluster, {}, lastEventId);
    expect(await second.types()).toEqual(['reset']);
  });

  test('says reset when nobody listened for so long that nothing was kept', async () => {
    const cluster = await VirtualCluster.start();
    const first = new Listener(cluster, {});
    await cluster.submit('a', [1]);
    const lastEventId = await first.leave();
    await cluster.advance(61_000);
    await cluster.submit('b', [1]);
    const second = new Listener(cluster, {}, lastEventId);
    expect(await second.types()).toEqual(['reset']);
  });

  test('says reset when everything is cleared, and goes on', async () => {
    const cluster = await VirtualCluster.start();
    const listener = new Listener(cluster, {});
    await cluster.submit('a', [1]);
    await cluster.answer(cluster.coordinator.clear());
    await cluster.submit('b', [1]);
    expect(await listener.types()).toEqual(['job_submitted', 'reset', 'job_submitted']);
  });

  test('tells a change of the scheduler with what was before', async () => {
    const cluster = await VirtualCluster.start();
    const listener = new Listener(cluster, {});
    await cluster.settle();
    await cluster.answer(cluster.coordinator.scheduler.configure({ algorithm: 'edas' }));
    expect(await listener.types()).toEqual(['scheduler_configured']);
    expect(JSON.parse(listener.seen[0]!.data)).toMatchObject({
      algorithm: 'edas',
      before: { algorithm: 'fifo' },
    });
  });
});

describe('the memory of the event stream', () => {
  const longText = 'x'.repeat(4000);

  /** Jobs whose names are as long as the longest error. */
  function wordy(count: number): ToldEvent[] {
    return Array.from({ length: count }, (_, i) => {
      const spec = { id: `j${i}`, name: longText, clientId: 'c', priority: 0, taskCount: 1 };
      return { type: 'job_submitted', spec, at: i } as ToldEvent;
    });
  }

  function open() {
    const counters = {
      listen: () => ({ take: () => undefined, leave: () => undefined }),
      stop: () => undefined,
    };
    const stream = new EventStream({ epoch: 'e', now: () => 0, steadyNow: () => 0, counters });
    const follow = async (lastEventId?: string) => {
      const end = new AbortController();
      const how = { signal: end.signal, ...(lastEventId === undefined ? {} : { lastEventId }) };
      const reader = stream.follow({}, how);
      const { value } = await reader.next();
      end.abort();
      return value as readonly StreamedEvent[];
    };
    return { stream, follow };
  }

  test('holds fewer events when they have long texts', async () => {
    const { stream, follow } = open();
    // Somebody has listened a moment ago, so that events are kept.
    await follow('nobody knows this');
    for (let i = 0; i < 100; i++) stream.publish(wordy(100));
    const [first] = await follow('e-1');
    expect(first?.type).toBe('reset');
    const [later] = await follow('e-9000');
    expect(later).toMatchObject({ id: 'e-9001', type: 'job_submitted' });
  });

  test('gives a reader long events a few at a time', async () => {
    const { stream, follow } = open();
    await follow('nobody knows this');
    stream.publish(wordy(1000));
    const events = await follow('e-0');
    expect(events.length).toBeLessThan(100);
  });
});
