// A worker over plain HTTP that does nothing by itself: a test says what it measures and reports. What
// is assigned to it can be seen in the job at once, before it has claimed anything.

import type { Telemetry } from '../../../src/protocol/messages.ts';
import type { LiveServer, Loose } from './live-server.ts';

export class HandWorker {
  readonly id: string;
  private readonly live: LiveServer;
  private readonly headers: Record<string, string>;

  static async register(live: LiveServer, device: object = {}): Promise<HandWorker> {
    const json = { type: 'pc', platform: 'linux', slots: 64, ...device };
    const { status, body } = await live.call('POST', '/api/workers', { json });
    if (status !== 201) throw new Error(body.detail);
    return new HandWorker(live, body.worker_id, body.worker_token);
  }

  private constructor(live: LiveServer, id: string, token: string) {
    this.live = live;
    this.id = id;
    this.headers = { authorization: `Bearer ${token}` };
  }

  /** `said`: what it says of itself beside that. */
  async heartbeat(
    telemetry: Telemetry,
    running: readonly object[] = [],
    said: object = {},
  ): Promise<Loose> {
    return this.call('heartbeat', { telemetry, running, ...said });
  }

  /** Everything that waits for it. */
  async claim(): Promise<Loose[]> {
    return (await this.call('claim', {})).assignments;
  }

  async report(report: object): Promise<Loose> {
    return this.call('report', report);
  }

  /** Claims, and completes what it has got with these measurements. */
  async completeAll(measured: object = {}): Promise<number> {
    const results = (await this.claim()).map(({ task_id, attempt, token, input }) => ({
      task_id,
      attempt,
      token,
      value: input,
      ...measured,
    }));
    await this.report({ results });
    return results.length;
  }

  async row(): Promise<Loose> {
    const { body } = await this.live.call('GET', '/api/workers');
    return body.find((each: Loose) => each.id === this.id);
  }

  private async call(name: string, json: object): Promise<Loose> {
    const { headers } = this;
    const path = `/api/workers/${this.id}/${name}`;
    const { status, body } = await this.live.call('POST', path, { json, headers });
    if (status !== 200) throw new Error(body.detail);
    return body;
  }
}
