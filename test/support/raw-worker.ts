// A socket to the address for workers that sends whatever a test wants, valid or not.

import { WebSocket } from 'ws';
import type { Assignment, CoordinatorMessage } from '../../src/protocol/messages.ts';
import { eventually } from './muster-process.ts';

type MessageOf<T extends CoordinatorMessage['type']> = Extract<CoordinatorMessage, { type: T }>;

export class RawWorker {
  readonly heard: CoordinatorMessage[] = [];
  /** Resolves with the code. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;

  static async connect(url: string): Promise<RawWorker> {
    const address = `${url.replace('http', 'ws')}/api/workers/connect`;
    const socket = new WebSocket(address, { skipUTF8Validation: true });
    const worker = new RawWorker(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return worker;
  }

  /** A registered worker that has been given a task. */
  static async withTask(url: string): Promise<{ worker: RawWorker; task: Assignment }> {
    const worker = await RawWorker.connect(url);
    worker.say(hello());
    const { assignments } = await worker.hears('assign');
    return { worker, task: assignments[0]! };
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const frame = JSON.parse((data as Buffer).toString()) as CoordinatorMessage;
      this.heard.push(...[frame].flat());
    });
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  /** Any object as a message, a string or bytes as they are. */
  say(frame: object | string): void {
    const isRaw = typeof frame === 'string' || Buffer.isBuffer(frame);
    this.#socket.send(isRaw ? frame : JSON.stringify(frame));
  }

  hears<T extends CoordinatorMessage['type']>(type: T): Promise<MessageOf<T>> {
    const find = () => this.heard.find((each): each is MessageOf<T> => each.type === type);
    return eventually(find, (found) => found !== undefined) as Promise<MessageOf<T>>;
  }

  /** What is answered to this. */
  async asks<T extends CoordinatorMessage['type']>(
    frame: object | string,
    type: T,
  ): Promise<MessageOf<T>> {
    this.heard.length = 0;
    this.say(frame);
    return this.hears(type);
  }

  end(): void {
    this.#socket.terminate();
  }
}

export function hello(more: object = {}): object {
  const device = { name: 'liar', type: 'pc', platform: 'linux' };
  return { type: 'hello', protocol: 1, device, attempts: [], ...more };
}
