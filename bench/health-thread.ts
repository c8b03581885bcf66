// A thread that asks for `/healthz` again and again. For measurements in which the client itself has much to do:
// an answer that waits for a busy client would look like a stall of the coordinator.

import { parentPort, workerData } from 'node:worker_threads';
import { probeHealth } from './health-probe.ts';

const probe = probeHealth((workerData as { url: string }).url);

parentPort!.once('message', () => void finish());

async function finish(): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort!.postMessage(await probe.stop());
}
