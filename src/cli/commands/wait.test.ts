import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createCommandTree } from '../command-tree.ts';
import { createTerminal } from '../text/terminal.ts';

const id = '01990000-0000-7000-8000-000000000000';
const job = {
  id,
  name: null,
  status: 'running',
  task_count: 1,
  created_at: '2026-01-01T00:00:00.000Z',
  completed_at: null as string | null,
  held_since: null,
  counts: { pending: 0, assigned: 0, running: 1, completed: 0, failed: 0, cancelled: 0 },
  progress: 0,
  error: null,
};

test('where no bar is drawn, a coordinator that does not answer is told of once', async () => {
  const answer = (reply: ServerResponse, value: object) =>
    void reply.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  let asked = 0;
  const server = createServer((_request, reply) => {
    asked++;
    if (asked === 1) answer(reply, job);
    else if (asked < 4) reply.destroy();
    else answer(reply, { ...job, status: 'completed', completed_at: '2026-01-01T00:01:00.000Z' });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let said = '';
  const sink = { write: (text: string) => ((said += text), true), once: () => undefined };
  let code: number | undefined;
  const context = {
    terminal: createTerminal(sink, sink, {}),
    folder: '.',
    environment: {},
    version: '0.0.0',
    exit: (given: number) => void (code = given),
    outliveReader: () => {},
  };
  await createCommandTree(context).parseAsync(['wait', id, '--url', url], { from: 'user' });
  expect(said.split('\n')).toEqual([
    'no answer from the coordinator, trying again …',
    'completed: 1 task in 1 min',
    '',
  ]);
  expect(code).toBe(0);
});
