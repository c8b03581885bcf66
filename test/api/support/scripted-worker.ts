// A worker without a sandbox: the test says how it answers a task.

import { WebSocket } from 'ws';
import type {
  Assignment,
  CoordinatorMessage,
  DeviceDescription,
  WorkerMessage,
} from '../../../src/protocol/messages.ts';

/** Undefined: the worker keeps the task and says nothing. */
export type Work = (task: Assignment) => { value: unknown } | { error: string } | undefined;

export class ScriptedWorker {
  id = '';
  readonly received: CoordinatorMessage[] = [];
  readonly closed: Promise<number>;
  private readonly socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  static async connect(
    url: string,
    work: Work,
    more: Partial<DeviceDescription> = {},
    token?: string,
  ): Promise<ScriptedWorker> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const address = `${url.replace('http', 'ws')}/api/workers/connect`;
    const socket = new WebSocket(address, { headers });
    const worker = new ScriptedWorker(socket);
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('open', resolve));
    const welcomed = worker.listen(work);
    const device = { type: 'pc', platform: 'linux', ...more };
    worker.say({ type: 'hello', protocol: 1, device, attempts: [] });
    await welcomed;
    return worker;
  }

  say(...messages: WorkerMessage[]): void {
    this.sayText(JSON.stringify(messages));
  }

  sayText(frame: string): void {
    this.socket.send(frame);
  }

  end(): void {
    this.socket.terminate();
  }

  private listen(work: Work): Promise<void> {
    return new Promise((resolve) => {
      this.socket.on('message', (data) => {
        for (const message of [
          JSON.parse((data as Buffer).toString()),
        ].flat() as CoordinatorMessage[]) {
          this.received.push(message);
          if (message.type === 'welcome') {
            this.id = message.worker_id;
            resolve();
          }
          if (message.type === 'assign')
            for (const task of message.assignments) this.do(work, task);
        }
      });
    });
  }

  private do(work: Work, task: Assignment): void {
    const { task_id, attempt, token } = task;
    const outcome = work(task);
    if (outcome === undefined) return;
    const ref = { task_id, attempt, token };
    if ('value' in outcome) this.say({ type: 'result', results: [{ ...ref, ...outcome }] });
    else {
      const error = { error_type: 'Error', error_message: outcome.error, retryable: false };
      this.say({ type: 'failure', failures: [{ ...ref, ...error }] });
    }
  }
}
