// One WebSocket of a browser to the coordinator of its page. A browser cannot send a token with it: it gets a ticket
// first, by a plain request, whose answer also says what a browser never tells of a socket: why not.

import { decodeFrame, encodeFrame } from '../../protocol/codec.ts';
import type { WorkerMessage } from '../../protocol/messages.ts';
import type { AgentSocket, SocketListener } from '../agent.ts';
import { checkMessages } from '../machine/message-check.ts';

/** What a browser has for it. */
export interface Wire {
  readonly fetch: (path: string, request: RequestInit) => Promise<Response>;
  readonly openSocket: (path: string, protocols: string[]) => WebSocket;
  /** Monotonic. */
  readonly nowMs: () => number;
  /** Of frames, in either direction; text counts as a byte for each character. */
  readonly onBytes: (bytes: number) => void;
}

/** What holds from one connection to the next. */
export class TicketOffice {
  /** Nobody needs a token: true once the coordinator has said so, until a socket did not open. */
  isFree = false;
  /** Too much at once: until then nothing is asked. */
  shutUntilMs = -Infinity;
  shutBecause = '';
}

export const ticketPath = '/api/session/ticket';
/** The status of a request for a ticket where nobody needs a token. */
export const noTicketNeeded = 422;
const socketPath = '/api/workers/connect';
const askMs = 15_000;
const closeAfterMs = 1_000;
/** It is shown to a person. */
const longestDetail = 1000;
const longestPauseMs = 600_000;
const shortestPauseMs = 2_000;
/** The bound of the machine (`frameCharacters`): its frames are not joined into larger ones here. */
const maxFrameCharacters = 512 * 1024;

export class TicketSocket implements AgentSocket {
  readonly #wire: Wire;
  readonly #office: TicketOffice;
  readonly #asking = new AbortController();
  #listener: SocketListener | null;
  #socket: WebSocket | null = null;
  #texts: string[] = [];
  #isFlushSet = false;

  constructor(
    wire: Wire,
    office: TicketOffice,
    token: string | undefined,
    listener: SocketListener,
  ) {
    this.#wire = wire;
    this.#office = office;
    this.#listener = listener;
    void this.#open(token);
  }

  /** What is sent within one turn of the event loop leaves as one frame. */
  send(messages: readonly WorkerMessage[]): void {
    for (const message of messages) this.#texts.push(encodeFrame([message]));
    if (this.#isFlushSet) return;
    this.#isFlushSet = true;
    queueMicrotask(() => this.#flush());
  }

  /** Sends what is left at once, then closes; the listener hears nothing more. */
  close(): Promise<void> {
    this.#listener = null;
    this.#asking.abort();
    const socket = this.#socket;
    if (socket === null || socket.readyState === 3) return Promise.resolve();
    this.#flush();
    return new Promise((resolve) => {
      const impatience = setTimeout(resolve, closeAfterMs);
      socket.addEventListener('close', () => {
        clearTimeout(impatience);
        resolve();
      });
      socket.close();
    });
  }

  async #open(token: string | undefined): Promise<void> {
    // Whoever has ordered the socket must have it before it hears of it.
    await Promise.resolve();
    const office = this.#office;
    if (this.#wire.nowMs() < office.shutUntilMs) return this.#end(office.shutBecause);
    if (office.isFree) return this.#connect(['muster']);
    let answer: Response;
    let body: Body;
    try {
      answer = await this.#wire.fetch(ticketPath, {
        method: 'POST',
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        credentials: 'omit',
        redirect: 'error',
        signal: AbortSignal.any([this.#asking.signal, AbortSignal.timeout(askMs)]),
      });
      body = await readBody(answer);
    } catch {
      return this.#end('The coordinator does not answer.');
    }
    if (this.#listener === null) return;
    const { ticket } = body;
    if (answer.ok && ticket !== null) return this.#connect(['muster', `ticket.${ticket}`]);
    // No token was looked at, so none is needed.
    if (answer.status === noTicketNeeded) {
      office.isFree = true;
      return this.#connect(['muster']);
    }
    this.#refuse(answer, body);
  }

  #refuse(answer: Response, { code, detail }: Body): void {
    const { status } = answer;
    const sentence = refusalSentence(status, detail);
    const isTooMuch = status === 429 || status === 503;
    if (isTooMuch) {
      this.#office.shutUntilMs = this.#wire.nowMs() + pauseOf(answer.headers.get('retry-after'));
      this.#office.shutBecause = sentence;
    }
    const listener = this.#listener;
    this.#listener = null;
    listener?.refused(answer.ok ? 502 : status, code, sentence);
  }

  #connect(protocols: string[]): void {
    if (this.#listener === null) return;
    let socket: WebSocket;
    try {
      socket = this.#wire.openSocket(socketPath, protocols);
    } catch {
      // Not every text can be a ticket, and a browser may forbid sockets.
      this.#office.isFree = false;
      return this.#end('This browser does not open a connection to the coordinator.');
    }
    this.#socket = socket;
    let hasOpened = false;
    socket.addEventListener('open', () => {
      hasOpened = true;
      this.#listener?.opened();
    });
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => this.#hear(data));
    socket.addEventListener('close', ({ code, reason }) => {
      // Tokens may be asked for by now: the next request will tell.
      if (!hasOpened) this.#office.isFree = false;
      const why = hasOpened ? `(${code}${reason && `: ${reason}`})` : 'before it was open';
      this.#end(`The connection to the coordinator was closed ${why}.`);
    });
  }

  #hear(data: unknown): void {
    if (this.#listener === null) return;
    if (typeof data !== 'string') {
      return this.#listener.complaint('A binary frame; frames are text.');
    }
    this.#wire.onBytes(data.length);
    const frame = decodeFrame(data);
    if (!frame.ok) return this.#listener.complaint(frame.detail);
    const { messages, complaints } = checkMessages(frame.messages);
    for (const complaint of complaints) this.#listener?.complaint(complaint);
    if (messages.length > 0) this.#listener?.frame(messages);
  }

  #flush(): void {
    this.#isFlushSet = false;
    const texts = this.#texts;
    this.#texts = [];
    const socket = this.#socket;
    if (socket?.readyState !== 1) return;
    let frame: string[] = [];
    let characters = 0;
    const leave = () => {
      if (frame.length === 0) return;
      const text = frame.length === 1 ? frame[0]! : `[${frame.join()}]`;
      this.#wire.onBytes(text.length);
      socket.send(text);
      frame = [];
      characters = 0;
    };
    for (const text of texts) {
      if (characters + text.length > maxFrameCharacters) leave();
      frame.push(text);
      characters += text.length;
    }
    leave();
  }

  #end(detail: string): void {
    const listener = this.#listener;
    this.#listener = null;
    listener?.closed(detail);
  }
}

function refusalSentence(status: number, detail: string | null): string {
  if (detail !== null) return detail;
  if (status === 401) return 'The coordinator asks for a token that this page does not have.';
  return `The coordinator answered with HTTP ${status}.`;
}

/** In seconds, or a date, which a coordinator does not send. */
function pauseOf(retryAfter: string | null): number {
  const ms = Number(retryAfter ?? 0) * 1000;
  return ms >= shortestPauseMs ? Math.min(ms, longestPauseMs) : shortestPauseMs;
}

export interface Body {
  readonly ticket: string | null;
  readonly code: string | null;
  readonly detail: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Whatever answers: a proxy may say something that is no JSON at all. */
export async function readBody(answer: Response): Promise<Body> {
  let fields: Readonly<Record<string, unknown>> = {};
  try {
    fields = { ...((await answer.json()) as object) };
  } catch {
    // Its status says enough.
  }
  const text = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' ? value : null;
  };
  const detail = text('detail')?.slice(0, longestDetail) ?? null;
  return { ticket: text('ticket'), code: text('code'), detail, fields };
}
