// One format for all logs: what a worker writes as JSON has the fields of what a coordinator writes.

import { expect, test } from 'vitest';
import { createTerminal } from '../text/terminal.ts';
import { createServeLog } from './serve-log.ts';
import { createWorkerLog, type WorkerLogSettings } from './worker-log.ts';

const lost = { level: 'warn', event: 'disconnected', detail: 'The connection is lost.' } as const;
const idle = { level: 'info', event: 'connected', detail: 'Connected as worker 7.' } as const;

test('a line of JSON has the fields of the coordinator, with the event and the name beside them', async () => {
  const { err, out, terminal } = capture();
  const { log } = await createServeLog({ logFormat: 'json', logLevel: 'warn' }, { terminal });
  log.warn({ worker_id: '7' }, 'Worker desk is lost.');
  const worker = await createWorkerLog(settings({ logFormat: 'json' }), { terminal });
  worker.tell(lost);
  worker.tell(idle);
  worker.end('The coordinator refused this worker.', ['Start it again.']);
  const [coordinators, own, last, ...more] = err().map(
    (line) => JSON.parse(line) as Record<string, unknown>,
  );
  const { event, worker_name, ...common } = own!;
  const { worker_id, ...theirs } = coordinators!;
  expect([event, worker_name, worker_id]).toEqual(['disconnected', 'desk', '7']);
  expect(Object.keys(common)).toEqual(Object.keys(theirs));
  expect(common).toMatchObject({ level: 40, msg: 'The connection is lost.' });
  expect(last).toMatchObject({
    level: 60,
    msg: 'The coordinator refused this worker. Start it again.',
  });
  expect([more, out()]).toEqual([[], []]);
});

test('as text it is the sentences alone, whether or not anybody watches', async () => {
  const { err, terminal } = capture();
  const worker = await createWorkerLog(settings({}), { terminal });
  worker.tell(lost);
  worker.tell(idle);
  worker.end('Refused.');
  expect(err()).toEqual(['The connection is lost.', 'muster: Refused.']);
});

test('the events go to stdout for a program that asks for them, whatever the format of logs', async () => {
  const { err, out, terminal } = capture();
  const given = settings({ logFormat: 'json', json: true });
  const worker = await createWorkerLog(given, { terminal });
  worker.tell(lost);
  expect(out().map((line) => JSON.parse(line) as unknown)).toEqual([lost]);
  expect(err()).toEqual([]);
});

function settings(given: Partial<WorkerLogSettings>): WorkerLogSettings {
  return { logLevel: 'warn', name: 'desk', ...given };
}

function capture() {
  const written = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    write: (text: string) => ((written[name] += text), true),
    once: () => undefined,
  });
  const lines = (text: string) => text.split('\n').filter((line) => line !== '');
  const terminal = createTerminal(sink('out'), sink('err'), { NO_COLOR: '1' });
  return { terminal, out: () => lines(written.out), err: () => lines(written.err) };
}
