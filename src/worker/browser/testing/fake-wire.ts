// Plays what a browser has for the network: the answers to plain requests, and sockets whose other end is the test.

import type { CoordinatorMessage, WorkerMessage } from '../../../protocol/messages.ts';

type Answer = (request: RequestInit) => Response | Promise<Response>;

export class FakeWire {
  readonly asked: { readonly path: string; readonly authorization: string | undefined }[] = [];
  readonly sockets: FakeSocket[] = [];
  /** How paths answer; those that are not here do not answer at all, like a network that is gone. */
  readonly answers = new Map<string, Answer>();
  bytes = 0;
  ms = 0;

  nowMs = (): number => this.ms;

  onBytes = (bytes: number): void => {
    this.bytes += bytes;
  };

  fetch = async (path: string, request: RequestInit): Promise<Response> => {
    const { authorization } = request.headers as { readonly authorization?: string };
    this.asked.push({ path, authorization });
    const answer = this.answers.get(path);
    if (answer === undefined) throw new TypeError('Failed to fetch');
    return answer(request);
  };

  openSocket = (path: string, protocols: string[]): WebSocket => {
    const socket = new FakeSocket(path, protocols);
    this.sockets.push(socket);
    return socket as unknown as WebSocket;
  };

  get socket(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error('No socket was opened.');
    return socket;
  }

  /** Every token is good, for a ticket of its own. */
  letIn(): void {
    this.answers.set('/api/session/ticket', ({ headers }) => {
      const { authorization = '' } = headers as { readonly authorization?: string };
      return Response.json({ ticket: authorization.replace('Bearer ', 'for-') });
    });
  }

  refuse(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): void {
    this.answers.set('/api/session/ticket', () =>
      Response.json({ code: 'x', detail }, { status, headers }),
    );
  }
}

export class FakeSocket extends EventTarget {
  readonly path: string;
  readonly protocols: readonly string[];
  readonly frames: string[] = [];
  readyState = 0;

  constructor(path: string, protocols: readonly string[]) {
    super();
    this.path = path;
    this.protocols = protocols;
  }

  send(text: string): void {
    this.frames.push(text);
  }

  close(): void {
    this.drop(1000);
  }

  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }

  say(...messages: CoordinatorMessage[]): void {
    this.saySomething(JSON.stringify(messages));
  }

  saySomething(data: unknown): void {
    this.dispatchEvent(Object.assign(new Event('message'), { data }));
  }

  drop(code = 1006, reason = ''): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason }));
  }

  get messages(): readonly WorkerMessage[] {
    return this.frames.flatMap((text) => JSON.parse(text) as WorkerMessage | WorkerMessage[]);
  }

  heard<T extends WorkerMessage['type']>(type: T): Extract<WorkerMessage, { type: T }>[] {
    return this.messages.filter((message) => message.type === type) as never;
  }
}
