// A thread that asks for `/readyz` and submits a job with a good token again and again while others attack: the
// slowest answer of each kind, in ms, on new connections and kept ones in turn.

import { Agent, request } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';

const { url, token } = workerData as { url: string; token: string };
const kept = new Agent({ keepAlive: true, rejectUnauthorized: false });
const fresh = new Agent({ rejectUnauthorized: false });
const job = { program: { kind: 'javascript', source: 'export default (n) => n' }, inputs: [1] };
let slowest = { ready: 0, submitted: 0, failed: 0 };

parentPort!.on('message', () => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort!.postMessage(slowest);
  slowest = { ready: 0, submitted: 0, failed: 0 };
});

for (let i = 0; ; i++) {
  const agent = i % 2 === 0 ? kept : fresh;
  await timed('ready', () => ask(agent, 'GET', '/readyz'));
  await timed('submitted', () => ask(agent, 'POST', '/api/jobs', JSON.stringify(job)));
  await new Promise((resolve) => setTimeout(resolve, 20));
}

async function timed(kind: 'ready' | 'submitted', action: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  if (!(await action().catch(() => false))) slowest.failed++;
  slowest[kind] = Math.max(slowest[kind], performance.now() - startedAt);
}

function ask(agent: Agent, method: string, path: string, body = ''): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { method, agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve((answer.statusCode ?? 500) < 300));
    });
    asked.on('error', reject).end(body);
  });
}
