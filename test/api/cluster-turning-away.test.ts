// Members that are better left alone for a while: one that the database does not answer, and a leader that is busy.

import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../support/muster-process.ts';
import { type Couple, type Member, startCouple } from './support/members.ts';

let couple: Couple;
afterEach(() => couple.close());

/** The status of the handshake, and what it is refused with; the socket is closed then. */
async function knock({
  url,
}: Member): Promise<{ status: number; detail?: string; after?: string }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/workers/connect`);
  const opened = once(socket, 'open').then(() => null);
  const refused = once(socket, 'unexpected-response').then(([, answer]) => answer as Answer);
  opened.catch(() => undefined);
  refused.catch(() => undefined);
  const answer = await Promise.race([opened, refused]);
  if (answer === null) {
    socket.terminate();
    return { status: 101 };
  }
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  const { detail } = JSON.parse(Buffer.concat(pieces).toString()) as { detail: string };
  return { status: answer.statusCode, detail, after: answer.headers['retry-after'] ?? 'none' };
}

interface Answer extends AsyncIterable<Uint8Array> {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

async function readiness({ url }: Member): Promise<[number, unknown]> {
  const response = await fetch(`${url}/readyz`);
  return [response.status, await response.json()];
}

test('a member that the database does not answer says so, takes no sockets, and does when it answers again', async () => {
  couple = await startCouple();
  const detail = expect.stringContaining(
    'The database has not answered this coordinator',
  ) as string;
  for (const member of [couple.leader, couple.follower]) {
    expect(await readiness(member)).toEqual([200, { status: 'ready' }]);
    expect(await knock(member)).toEqual({ status: 101 });
    member.cluster.isCutOff = true;
    expect(await readiness(member)).toEqual([503, { detail, code: 'shutting_down' }]);
    expect(await knock(member)).toEqual({ status: 503, detail, after: '1' });
    expect(await (await fetch(`${member.url}/metrics`)).text()).toContain(
      'muster_cluster_is_cut_off 1',
    );
    member.cluster.isCutOff = false;
    expect(await readiness(member)).toEqual([200, { status: 'ready' }]);
    expect(await knock(member)).toEqual({ status: 101 });
  }
});

test('a busy leader sends three of four new workers elsewhere, where there is room elsewhere', async () => {
  let share = 0.9;
  couple = await startCouple({ busyShare: () => share });
  const { leader, follower } = couple;
  const four = async (member: Member) => {
    const met: number[] = [];
    for (let i = 0; i < 4; i++) met.push((await knock(member)).status);
    return met.filter((status) => status === 503).length;
  };
  // It has to be measured first.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await four(leader)).toBe(0);
  leader.cluster.figures = { ...leader.cluster.figures, membersAlive: 3 };
  follower.cluster.figures = leader.cluster.figures;
  expect(await four(leader)).toBe(3);
  expect(await four(follower)).toBe(0);
  share = 0.1;
  await eventually(
    () => four(leader),
    (refused) => refused === 0,
  );
});
