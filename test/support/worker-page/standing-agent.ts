// Stands in for the agent of a browser worker: a thread that says to the page what a test tells it to say, and
// tells the test what the page has said. Bundled and served as /worker/agent.js.

import type { FromAgent, ToAgent } from '../../../src/worker/browser/page-messages.ts';
import { stageName, type StageMessage } from './stage-messages.ts';

interface Channel {
  postMessage(message: StageMessage): void;
  addEventListener(type: 'message', heard: (event: { readonly data: StageMessage }) => void): void;
}

interface Thread {
  readonly BroadcastChannel: new (name: string) => Channel;
  readonly crypto: { randomUUID(): string };
  postMessage(message: FromAgent): void;
  addEventListener(type: 'message', heard: (event: { readonly data: ToAgent }) => void): void;
}

const thread = globalThis as unknown as Thread;
const agent = thread.crypto.randomUUID();
const stage = new thread.BroadcastChannel(stageName);
stage.addEventListener('message', ({ data }) => {
  if (data.kind === 'crash') throw new Error('It fell over.');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel, not a window
  if (data.kind === 'say') thread.postMessage(data.message);
});
thread.addEventListener('message', ({ data }) => {
  // Ports cannot be told on.
  const message =
    data.type === 'frame_opened' ? ({ type: data.type, id: data.id } as ToAgent) : data;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel, not a window
  stage.postMessage({ kind: 'heard', agent, message });
});
