// A member among others: what it follows, when it leads, and how that ends. Time is virtual, the database is a log in
// memory.

import { describe, expect, test } from 'vitest';
import { type Accession, type Leadership, Member } from './member.ts';
import type { LineEars } from './line.ts';
import type { LeaderPlace } from './port.ts';
import { MemoryCluster, VirtualClock } from './testing/memory-cluster.ts';

describe('a cluster that begins', () => {
  test('has one leader, whom the others follow', async () => {
    const world = new World();
    const [a, b, c] = [await world.join('a'), await world.join('b'), await world.join('c')];
    await world.run(2_000);
    expect([a.role, b.role, c.role]).toEqual(['leading', 'following', 'following']);
    expect(a.leader).toBeNull();
    expect(b.leader).toMatchObject({ member: 'a', url: 'http://a' });
    expect(c.leader).toEqual(b.leader);
  });

  test('has none where nobody may lead', async () => {
    const world = new World();
    const a = await world.join('a', { mayLead: false });
    await world.run(60_000);
    expect(a).toMatchObject({ role: 'following', leader: null, isReady: false });
  });
});

describe('when the leader dies', () => {
  test('without a word, the next one leads when its log has stood still', async () => {
    const world = new World();
    const [a, b] = [await world.join('a'), await world.join('b'), await world.join('c')];
    await world.run(5_000);
    world.kill('a');
    await world.run(2_400);
    expect(b.role).toBe('following');
    await world.run(2_000);
    expect(b.role).toBe('leading');
    expect(world.cluster.terms).toHaveLength(2);
    expect(a.role).toBe('leading');
  });

  test('and its address refuses, the next one does not wait', async () => {
    const world = new World();
    await world.join('a');
    const b = await world.join('b');
    await world.run(5_000);
    world.ears('b').onOpen();
    expect(b.isReady).toBe(true);
    world.kill('a');
    world.ears('b').onReset();
    world.ears('b').onRefused();
    world.ears('b').onRefused();
    await world.run(1_600);
    expect(b.role).toBe('leading');
    expect(world.told('b')).toContain(
      'warn This coordinator leads now (epoch 2): the one before cannot be reached.',
    );
  });

  test('nothing leaves the next one before a second after it has read where the log ended', async () => {
    const world = new World();
    await world.join('a');
    const b = await world.join('b');
    await world.run(5_100);
    world.kill('a');
    const readAt = world.cluster
      .readsOf('b')
      .find(({ sequence }) => sequence === world.cluster.newest.sequence)!.at;
    world.ears('b').onReset();
    world.ears('b').onRefused();
    world.ears('b').onRefused();
    await world.run(5_000);
    expect(b.role).toBe('leading');
    expect(world.releasedAt('b')! - readAt).toBeGreaterThanOrEqual(1_000);
  });

  test('is said wrongly by an address that refuses, one that is at work stays the leader', async () => {
    const world = new World();
    const a = await world.join('a');
    const b = await world.join('b');
    await world.run(5_000);
    world.ears('b').onReset();
    world.ears('b').onRefused();
    world.ears('b').onRefused();
    for (let i = 0; i < 100; i++) {
      world.cluster.beat();
      await world.run(200);
    }
    expect([a.role, b.role]).toEqual(['leading', 'following']);
  });
});

describe('a leader', () => {
  test('that resigns is followed at once, and leads no more', async () => {
    const world = new World();
    const a = await world.join('a');
    const b = await world.join('b');
    await world.run(5_000);
    const left = a.leave();
    await world.run(0);
    await left;
    await world.run(600);
    expect([a.role, b.role]).toEqual(['leaving', 'leading']);
    expect(a.leader).toMatchObject({ member: 'b' });
    expect(world.stopped).toEqual(['a']);
  });

  test('that cannot go on follows the next one, and may lead again', async () => {
    const world = new World();
    const a = await world.join('a');
    const b = await world.join('b');
    await world.run(5_000);
    world.fail('a', new Error('The disk of the database is full.'));
    await world.run(5_000);
    expect([a.role, b.role]).toEqual(['following', 'leading']);
    expect(world.told('a')).toContain(
      'warn This coordinator leads no more: The disk of the database is full.',
    );
    world.fail('b', new Error('Shut out.'));
    await world.run(8_000);
    expect(world.cluster.terms.map(({ member }) => member)).toEqual(['a', 'b', 'a']);
    expect(a.role).toBe('leading');
  });

  test('that is told to leave while it loads does not lead', async () => {
    const world = new World();
    const a = await world.join('a', { loads: 3_000 });
    await world.run(1_000);
    expect(a.role).toBe('contending');
    const left = a.leave();
    await world.run(5_000);
    await left;
    expect(a.role).toBe('leaving');
    expect(world.cluster.newest.isOver).toBe(true);
    expect(world.stopped).toEqual(['a']);
  });

  test('that takes long to load is not overtaken: it commits meanwhile', async () => {
    const world = new World();
    const a = await world.join('a', { loads: 20_000 });
    const b = await world.join('b');
    await world.run(30_000);
    expect([a.role, b.role]).toEqual(['leading', 'following']);
    expect(world.cluster.terms).toHaveLength(1);
  });
});

test('a leader that was shut out while it had nothing to write follows whoever leads', async () => {
  const world = new World();
  const [a, b] = [await world.join('a'), await world.join('b')];
  await world.run(5_000);
  world.cluster.shutOut('a', new Error('Another one has taken over.'));
  await world.run(5_000);
  expect([a.role, b.role]).toEqual(['following', 'leading']);
  expect(world.stopped).toEqual(['a']);
  expect(world.told('a')).toContain(
    'warn This coordinator leads no more: Another one has taken over.',
  );
});

describe('a leader that the others do not reach', () => {
  test('gives way after ten seconds, and is the last to try again', async () => {
    const world = new World();
    const [a, b] = [await world.join('a'), await world.join('b'), await world.join('c')];
    world.lines = () => [];
    await world.run(11_000);
    world.lines = (id) => ['a', 'b', 'c'].filter((other) => other !== id);
    expect(world.cluster.terms[0]).toMatchObject({ member: 'a', ended: 'lonely' });
    await world.run(2_000);
    expect([a.role, b.role]).toEqual(['following', 'leading']);
    expect(world.told('a')).toContain(
      'warn This coordinator leads no more: most of the others do not reach it',
    );
    await world.run(60_000);
    expect(world.cluster.terms).toHaveLength(2);
  });

  test('goes on where half of them do', async () => {
    const world = new World();
    for (const id of ['a', 'b', 'c']) await world.join(id);
    world.lines = () => ['c'];
    await world.run(60_000);
    expect(world.cluster.terms).toHaveLength(1);
  });

  test('goes on for longer each time, where nobody reaches anybody', async () => {
    const world = new World();
    for (const id of ['a', 'b', 'c']) await world.join(id);
    world.lines = () => [];
    await world.run(600_000);
    expect(world.cluster.terms.length).toBeLessThan(8);
    expect(world.cluster.terms.length).toBeGreaterThan(3);
  });

  test('does not count those that are gone', async () => {
    const world = new World();
    for (const id of ['a', 'b', 'c']) await world.join(id);
    world.lines = () => [];
    await world.run(4_000);
    world.kill('b');
    world.kill('c');
    await world.run(60_000);
    expect(world.cluster.terms).toHaveLength(1);
  });
});

test('nobody contends while the database cannot be read, and it is said once', async () => {
  const world = new World();
  const a = await world.join('a');
  const b = await world.join('b');
  await world.run(1_000);
  world.ears('b').onOpen();
  await world.run(5_000);
  world.cluster.isAway = true;
  await world.run(60_000);
  expect(world.cluster.terms).toHaveLength(1);
  expect(world.told('b').filter((line) => line.includes('cannot be looked at'))).toHaveLength(1);
  world.cluster.isAway = false;
  await world.run(2_000);
  expect([a.role, b.role]).toEqual(['leading', 'following']);
  expect(world.told('b').at(-1)).toBe('info The cluster can be looked at again.');
});

test('whom the database does not answer is cut off after seconds, whether it leads or follows, until it answers', async () => {
  const world = new World();
  const a = await world.join('a');
  const b = await world.join('b');
  await world.run(5_000);
  const cutOff = () => [a.isCutOff, b.isCutOff];
  expect(cutOff()).toEqual([false, false]);
  world.cluster.isAway = true;
  await world.run(3_000);
  expect(cutOff()).toEqual([false, false]);
  await world.run(1_500);
  expect(cutOff()).toEqual([true, true]);
  world.cluster.isAway = false;
  await world.run(600);
  expect(cutOff()).toEqual([false, false]);
});

test('whom the database answers slowly is not cut off', async () => {
  const world = new World();
  const a = await world.join('a');
  world.cluster.answerMs = 2_500;
  for (let passed = 0; passed < 20_000; passed += 250) {
    await world.run(250);
    expect(a.isCutOff, `after ${passed} ms`).toBe(false);
  }
});

describe('whoever waits for a leader', () => {
  test('goes on when one is reached in another term than the one that failed them', async () => {
    const world = new World();
    await world.join('a');
    const b = await world.join('b', { mayLead: false });
    await world.run(5_000);
    world.ears('b').onOpen();
    const { term } = b.leader!;
    let isSettled = false;
    const waiting = b.settled(60_000, term).then(() => (isSettled = true));
    await world.run(2_000);
    expect(isSettled).toBe(false);
    world.fail('a', new Error('Shut out.'));
    await world.run(6_000);
    expect(isSettled).toBe(false);
    world.ears('b').onOpen();
    await waiting;
    expect(b.leader!.term).not.toBe(term);
  });

  test('does not wait for ever', async () => {
    const world = new World();
    const a = await world.join('a', { mayLead: false });
    let isOver = false;
    void a.settled(5_000).then(() => (isOver = true));
    await world.run(4_900);
    expect(isOver).toBe(false);
    await world.run(200);
    expect(isOver).toBe(true);
  });
});

test('names the others that are alive', async () => {
  const world = new World();
  const a = await world.join('a');
  expect(a.others).toEqual([]);
  await world.join('b');
  await world.join('c');
  await world.run(3_000);
  expect(a.others).toEqual(['http://b', 'http://c']);
  world.kill('b');
  await world.run(8_000);
  expect(a.others).toEqual(['http://c']);
});

test('the cluster as a resource says who is there, who leads, and who was not heard of', async () => {
  const world = new World();
  await world.join('a');
  const b = await world.join('b');
  await world.run(10_000);
  expect(await b.resource()).toMatchObject({
    role: 'following',
    leader: 'a',
    term: { epoch: 1, ended: null },
    members: [
      { id: 'a', url: 'http://a', is_leader: true, is_self: false, is_alive: true },
      { id: 'b', url: 'http://b', is_leader: false, is_self: true, is_alive: true },
    ],
  });
  world.kill('a');
  await world.run(8_000);
  const after = await b.resource();
  expect(after).toMatchObject({ role: 'leading', leader: 'b', term: { epoch: 2 } });
  expect(after.members.map(({ is_alive }) => is_alive)).toEqual([false, true]);
});

test('the time of a leader is that of the database, also when that one is set', async () => {
  const world = new World();
  world.cluster.aheadMs = 3_600_000;
  await world.join('a');
  await world.run(2_000);
  const { databaseNow } = world.accession('a')!;
  expect(databaseNow()).toBe(3_602_000);
  await world.run(500);
  expect(databaseNow()).toBe(3_602_500);
  world.cluster.aheadMs = -60_000;
  await world.run(1_000);
  expect(databaseNow()).toBe(-56_500);
});

describe('what only an operator can mend', () => {
  test('a leader that stays out of reach is told of once, with the reason', async () => {
    const world = new World();
    await world.join('a');
    world.trouble = 'another coordinator answers there';
    const b = await world.join('b', { mayLead: false });
    await world.run(9_000);
    expect(b.isReady).toBe(false);
    expect(warnings(world.told('b'))).toEqual([]);
    await world.run(30_000);
    expect(warnings(world.told('b'))).toEqual([
      'warn The coordinator at http://a leads, and is out of reach: another coordinator answers there.',
    ]);
  });

  test('a leader that is reached is nothing to tell of', async () => {
    const world = new World();
    await world.join('a');
    await world.join('b');
    await world.run(1_000);
    world.ears('b').onOpen();
    await world.run(30_000);
    expect([...warnings(world.told('a')), ...warnings(world.told('b'))]).toEqual([]);
  });

  test('an address that two have is told of once by both; not that of one that was started anew', async () => {
    const world = new World();
    await world.join('a', { url: 'http://same' });
    await world.run(4_000);
    world.kill('a');
    await world.join('b', { url: 'http://same' });
    await world.run(20_000);
    expect(warnings(world.told('b'))).toHaveLength(1);
    await world.join('c', { url: 'http://same' });
    await world.run(1_000);
    world.ears('c').onOpen();
    await world.run(30_000);
    const sentence =
      'warn Another coordinator says that it is reached at http://same as well: give each an address of its own (--advertise).';
    expect(warnings(world.told('b')).slice(1)).toEqual([sentence]);
    expect(warnings(world.told('c'))).toEqual([sentence]);
  });
});

function warnings(told: readonly string[]): readonly string[] {
  return told.filter((line) => line.startsWith('warn'));
}

interface Tried {
  readonly url?: string;
  readonly mayLead?: boolean;
  /** Milliseconds that it takes to load. */
  readonly loads?: number;
}

class World {
  readonly clock = new VirtualClock();
  readonly cluster = new MemoryCluster(this.clock);
  readonly stopped: string[] = [];
  /** Why no line is open. */
  trouble: string | null = null;
  /** Whose lines to a member are open. */
  lines: (id: string) => readonly string[] = (id) =>
    [...this.#told.keys()].filter((other) => other !== id);
  readonly #told = new Map<string, string[]>();
  readonly #ears = new Map<string, LineEars>();
  readonly #fails = new Map<string, (fault: Error) => void>();
  readonly #released = new Map<string, number>();
  readonly #accessions = new Map<string, Accession>();

  async join(
    id: string,
    { mayLead = true, loads = 0, url = `http://${id}` }: Tried = {},
  ): Promise<Member> {
    const told: string[] = [];
    this.#told.set(id, told);
    const { clock } = this;
    const member = new Member({
      membership: this.cluster.membership(id),
      self: { id, url, version: '1', mayLead },
      workers: () => 0,
      openLine: (_place: LeaderPlace, ears) => {
        let isOpen = false;
        this.#ears.set(id, {
          ...ears,
          onOpen: () => {
            isOpen = true;
            ears.onOpen();
          },
        });
        return {
          get isOpen() {
            return isOpen;
          },
          trouble: this.trouble,
          close: () => {
            isOpen = false;
          },
        };
      },
      lines: () => this.lines(id),
      lead: async (_store, accession): Promise<Leadership> => {
        this.#accessions.set(id, accession);
        await clock.wait(loads);
        this.#released.set(id, clock.now());
        const failed = new Promise<Error>((resolve) => this.#fails.set(id, resolve));
        return { failed, stop: async () => void this.stopped.push(id) };
      },
      onTold: (level, sentence) => told.push(`${level} ${sentence}`),
      clock,
    });
    await member.join();
    return member;
  }

  run(ms: number): Promise<void> {
    return this.clock.run(ms);
  }

  /** Nothing is heard of it any more. */
  kill(id: string): void {
    this.cluster.kill(id);
  }

  fail(id: string, fault: Error): void {
    this.cluster.cutOff(id);
    this.#fails.get(id)!(fault);
  }

  ears(id: string): LineEars {
    return this.#ears.get(id)!;
  }

  told(id: string): readonly string[] {
    return this.#told.get(id)!;
  }

  accession(id: string): Accession | undefined {
    return this.#accessions.get(id);
  }

  releasedAt(id: string): number | undefined {
    return this.#released.get(id);
  }
}
