// One WebSocket to a coordinator: frames in, frames out, and a sentence for every way to fail. Every
// connection has an object of its own; once it is closed, its listener hears nothing more.

import type { Readable } from 'node:stream';
import { type ClientOptions, type RawData, WebSocket } from 'ws';
import { encodeFrame } from '../../protocol/codec.ts';
import type { WorkerMessage } from '../../protocol/messages.ts';
import {
  type ConnectCallback,
  type ConnectTarget,
  connectPinned,
  explainUntrusted,
  findNodeModules,
} from '../../transport/pinning.ts';
import type { PinnedAddress } from '../../transport/index.ts';
import type { AgentSocket, SocketListener } from '../agent.ts';
import { checkMessages } from '../machine/message-check.ts';
import { FrameMasks } from './frame-masks.ts';
import { readFrame } from './frame-reading.ts';

/** More than a coordinator with the default limits sends in one frame. */
const maxFrameBytes = 64 * 1024 * 1024;
/**
 * The bound of the machine (`frameCharacters`): its frames are not joined into larger ones here.
 */
const maxFrameCharacters = 512 * 1024;
const maxRefusalBytes = 64 * 1024;
const closeAfterMs = 1_000;

/**
 * The status under which a certificate that was not taken is told: like that of a wrong address, it ends a
 * worker that was never welcome, and others try again.
 */
const untrustedStatus = 421;

/** The HTTP answer to an upgrade that was not granted. */
type RefusedUpgrade = Readable & { readonly statusCode?: number | undefined };

export class CoordinatorSocket implements AgentSocket {
  private readonly url: string;
  private readonly socket: WebSocket;
  private listener: SocketListener | null;
  private texts: string[] = [];
  private isFlushSet = false;
  private lastError: NodeJS.ErrnoException | null = null;

  constructor(address: PinnedAddress, token: string | undefined, listener: SocketListener) {
    const { url, pin } = address;
    this.url = url;
    this.listener = listener;
    const masks = new FrameMasks();
    this.socket = new WebSocket(new URL('/api/workers/connect', url).href.replace(/^http/, 'ws'), {
      maxPayload: maxFrameBytes,
      perMessageDeflate: false,
      generateMask: masks.fill,
      ...(pin === undefined ? {} : { createConnection: pinnedTo(pin) }),
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    });
    this.socket.on('upgrade', ({ socket }) => masks.connected(socket));
    this.socket.on('open', () => this.listener?.opened());
    this.socket.on('message', (data, isBinary) => this.onFrame(data, isBinary));
    this.socket.on('unexpected-response', (_request, response) => this.onRefused(response));
    this.socket.on('error', (error) => {
      this.lastError = error;
    });
    this.socket.on('close', (code, reason) => void this.onClosed(code, String(reason)));
  }

  /** What is sent within one turn of the event loop leaves as one frame. */
  send(messages: readonly WorkerMessage[]): void {
    for (const message of messages) this.texts.push(encodeFrame([message]));
    if (this.isFlushSet) return;
    this.isFlushSet = true;
    setImmediate(() => this.flush());
  }

  /** Sends what is left, then closes; the listener hears nothing more. */
  close(): Promise<void> {
    this.listener = null;
    const { socket } = this;
    if (socket.readyState === WebSocket.CLOSED) return Promise.resolve();
    if (socket.readyState === WebSocket.CONNECTING) {
      socket.terminate();
      return Promise.resolve();
    }
    this.flush();
    return new Promise((resolve) => {
      const impatience = setTimeout(() => socket.terminate(), closeAfterMs);
      socket.once('close', () => {
        clearTimeout(impatience);
        resolve();
      });
      socket.close();
    });
  }

  private flush(): void {
    this.isFlushSet = false;
    const { texts } = this;
    this.texts = [];
    if (this.socket.readyState !== WebSocket.OPEN) return;
    let from = 0;
    let characters = 0;
    for (let i = 0; i < texts.length; i++) {
      const length = texts[i]!.length;
      if (i > from && characters + length > maxFrameCharacters) {
        this.socket.send(frameOf(texts, from, i));
        from = i;
        characters = 0;
      }
      characters += length;
    }
    if (from < texts.length) this.socket.send(frameOf(texts, from, texts.length));
  }

  private onFrame(data: RawData, isBinary: boolean): void {
    if (this.listener === null) return;
    if (isBinary) return this.listener.complaint('A binary frame; frames are text.');
    const frame = readFrame(data as Buffer);
    if (!frame.ok) return this.listener.complaint(frame.detail);
    const { messages, complaints } = checkMessages(frame.messages);
    for (const complaint of complaints) this.listener?.complaint(complaint);
    if (messages.length > 0) this.listener?.frame(messages);
  }

  private onRefused(response: RefusedUpgrade): void {
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      body += chunk;
      if (body.length > maxRefusalBytes) response.destroy();
    });
    response.once('close', () => {
      const { code, detail } = readRefusal(body);
      const status = response.statusCode ?? 0;
      const { listener } = this;
      this.listener = null;
      this.socket.terminate();
      listener?.refused(status, code, refusalSentence(this.url, status, detail));
    });
  }

  private async onClosed(code: number, reason: string): Promise<void> {
    const why = await explainUntrusted(this.url, this.lastError);
    if (why === undefined) return this.end(this.whyClosed(code, reason));
    const { listener } = this;
    this.listener = null;
    listener?.refused(untrustedStatus, why.code, why.message);
  }

  private end(detail: string): void {
    const { listener } = this;
    this.listener = null;
    listener?.closed(detail);
  }

  private whyClosed(code: number, reason: string): string {
    const { lastError, url } = this;
    if (lastError === null) {
      return `The coordinator at ${url} closed the connection (${code}${reason && `: ${reason}`}).`;
    }
    const sentence = faults[lastError.code ?? ''];
    if (sentence !== undefined) return sentence.replace('URL', url);
    return `The connection to ${url} failed: ${lastError.message || lastError.code}.`;
  }
}

/** The package's type says that the connection is returned; it may be handed on later, as here. */
function pinnedTo(pin: string): NonNullable<ClientOptions['createConnection']> {
  const connect = (target: ConnectTarget, callback: ConnectCallback) => {
    connectPinned(findNodeModules()!, target, pin, callback);
  };
  return connect as never;
}

const faults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens at URL. Is the coordinator running?',
  ENOTFOUND: 'The host of URL is not known. Is the address right?',
  EHOSTUNREACH: 'There is no way to the host of URL.',
  ENETUNREACH: 'There is no network to reach URL by.',
  ETIMEDOUT: 'URL does not answer.',
  ECONNRESET: 'URL cut the connection.',
};

function refusalSentence(url: string, status: number, detail: string | null): string {
  const said = detail === null ? '' : ` It said: ${detail}`;
  if (status === 401) return `The coordinator at ${url} asks for a token.${said}`;
  if (status === 403) return `The coordinator at ${url} does not let this worker in.${said}`;
  if (status === 404) return `There is no coordinator at ${url}: no such path.${said}`;
  return `${url} answered with HTTP ${status}.${said}`;
}

function readRefusal(body: string): { code: string | null; detail: string | null } {
  try {
    const { code, detail } = JSON.parse(body) as { code?: unknown; detail?: unknown };
    return {
      code: typeof code === 'string' ? code : null,
      detail: typeof detail === 'string' ? detail : null,
    };
  } catch {
    return { code: null, detail: null };
  }
}

function frameOf(texts: readonly string[], from: number, to: number): string {
  return to - from === 1 ? texts[from]! : `[${texts.slice(from, to).join(',')}]`;
}
