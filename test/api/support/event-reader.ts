// Reads `GET /api/events` as the standard for Server-Sent Events says, one connection at a time.

import { type ClientRequest, request } from 'node:http';

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

export class EventReader {
  readonly events: ReceivedEvent[] = [];
  readonly comments: string[] = [];
  status = 0;
  contentType = '';
  /** Resolves when the headers are there. */
  readonly opened: Promise<void>;
  readonly closed: Promise<void>;
  private readonly request: ClientRequest;
  private pending = '';
  /** Also told before the first event. */
  lastEventId: string | undefined;

  constructor(url: string, query = '', lastEventId?: string) {
    this.lastEventId = lastEventId;
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    this.request = request(`${url}/api/events${query}`, { headers });
    this.closed = new Promise((resolve) => this.request.once('close', () => resolve()));
    this.request.on('error', () => {});
    this.opened = new Promise((resolve) => {
      this.request.once('close', () => resolve());
      this.request.once('response', (response) => {
        this.status = response.statusCode!;
        this.contentType = response.headers['content-type'] ?? '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => this.take(text));
        response.on('error', () => {});
        resolve();
      });
    });
    this.request.end();
  }

  cut(): Promise<void> {
    this.request.destroy();
    return this.closed;
  }

  /** An event counts when the empty line behind it has come. */
  private take(text: string): void {
    this.pending += text;
    const blocks = this.pending.split('\n\n');
    this.pending = blocks.pop()!;
    for (const block of blocks) {
      const fields = { id: '', event: '', data: '' };
      for (const line of block.split('\n')) {
        const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line)!;
        if (name === '') this.comments.push(value);
        else if (name in fields) fields[name as keyof typeof fields] += value;
      }
      const { id, event: type, data } = fields;
      if (id !== '') this.lastEventId = id;
      if (data !== '') this.events.push({ id, type, data });
    }
  }
}
