// A coordinator for one worker: a socket on loopback whose messages the test sends and receives.

import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CoordinatorMessage, WorkerMessage } from '../../src/protocol/messages.ts';

export class ScriptedCoordinator {
  readonly frames: string[] = [];
  private readonly server: WebSocketServer;
  private socket: WebSocket | null = null;
  private messages: WorkerMessage[] = [];

  private constructor(server: WebSocketServer) {
    this.server = server;
    server.on('connection', (socket) => {
      this.socket = socket;
      socket.on('message', (data) => {
        const text = (data as Buffer).toString('utf8');
        this.frames.push(text);
        const value = JSON.parse(text) as WorkerMessage | WorkerMessage[];
        this.messages.push(...(Array.isArray(value) ? value : [value]));
      });
    });
  }

  /** With `authorization`, others are answered 401. */
  static async start(port = 0, authorization?: string): Promise<ScriptedCoordinator> {
    const server = new WebSocketServer({
      host: '127.0.0.1',
      port,
      verifyClient: ({ req }: { readonly req: IncomingMessage }) =>
        authorization === undefined || req.headers.authorization === authorization,
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const coordinator = new ScriptedCoordinator(server);
    onTestFinished(() => coordinator.close());
    return coordinator;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  say(message: CoordinatorMessage): void {
    this.saySomething(JSON.stringify(message));
  }

  saySomething(data: string | Buffer): void {
    this.socket?.send(data);
  }

  heard<T extends WorkerMessage['type']>(type: T): Extract<WorkerMessage, { type: T }>[] {
    return this.messages.filter((message) => message.type === type) as never;
  }

  /** Waits for the next message of a type and takes it, with all that came before it. */
  async hear<T extends WorkerMessage['type']>(
    type: T,
    patienceMs?: number,
  ): Promise<Extract<WorkerMessage, { type: T }>> {
    await until(() => this.heard(type).length > 0, patienceMs);
    const [message] = this.heard(type);
    this.messages = this.messages.slice(this.messages.indexOf(message!) + 1);
    return message!;
  }

  drop(): void {
    this.socket?.terminate();
  }

  async close(): Promise<void> {
    for (const client of this.server.clients) client.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export function welcome(more: object = {}): CoordinatorMessage {
  return {
    type: 'welcome',
    protocol: 1,
    worker_id: 'w1',
    heartbeat_interval_seconds: 5,
    lease_seconds: 15,
    drain: false,
    stop: [],
    ...more,
  };
}

export async function until(isSo: () => boolean, patienceMs = 5_000): Promise<void> {
  const patience = Date.now() + patienceMs;
  while (!isSo()) {
    if (Date.now() > patience) throw new Error(`It did not happen within ${patienceMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
