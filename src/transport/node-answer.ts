// An answer as Node's own `http` gives it, read without the streams of the web.

import type { Answer, TextReader } from './answer.ts';
import { MessageReader } from './message-reader.ts';
import type { HttpAnswer } from './node-modules.ts';

export class NodeAnswer implements Answer {
  readonly status: number;
  readonly type = 'basic';
  readonly body = null;
  readonly #message: HttpAnswer;

  constructor(message: HttpAnswer) {
    this.#message = message;
    this.status = message.statusCode ?? 0;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get headers(): Answer['headers'] {
    const { headers } = this.#message;
    return {
      get: (name) => {
        const value = headers[name.toLowerCase()];
        return value === undefined ? null : String(value);
      },
    };
  }

  async text(): Promise<string> {
    this.#message.setEncoding('utf8');
    let text = '';
    for await (const piece of this.#message) text += piece as string;
    return text;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of this.#message) {
      pieces.push(piece as Uint8Array);
      length += (piece as Uint8Array).length;
    }
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes.buffer;
  }

  readonly texts = (): TextReader => new MessageReader(this.#message);
}
