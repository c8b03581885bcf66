// A worker over plain HTTP that is made up: it measures what a test says and computes nothing. It
// holds what it has claimed until the test lets it complete.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Assignment, Telemetry } from '../../src/protocol/messages.ts';

/** What it says of each task that it completes. */
export interface MadeUpRun {
  readonly run_ms?: number;
  readonly energy_joules?: number;
}

export interface HttpDevice {
  readonly slots?: number;
  readonly telemetry?: Telemetry;
  readonly run?: MadeUpRun;
}

const MOST_SECONDS_TO_WAIT = 30;

export class HttpWorker {
  /** What a test calls it; jobs can require it as the label `name`. */
  readonly name: string;
  readonly id: string;
  /** As told with its completions. */
  run: MadeUpRun;
  private readonly url: string;
  private readonly token: string;
  private telemetry: Telemetry;
  private held: readonly Assignment[] = [];

  static async join(url: string, name: string, device: HttpDevice = {}): Promise<HttpWorker> {
    const { slots = 64, telemetry = {} } = device;
    const registration = {
      name,
      type: 'pc',
      platform: 'linux',
      slots,
      labels: { name },
      telemetry,
    };
    const { worker_id, worker_token } = await post<Registered>(`${url}/api/workers`, registration);
    return new HttpWorker(`${url}/api/workers/${worker_id}`, name, worker_id, worker_token, device);
  }

  private constructor(url: string, name: string, id: string, token: string, device: HttpDevice) {
    this.url = url;
    this.name = name;
    this.id = id;
    this.token = token;
    this.telemetry = device.telemetry ?? {};
    this.run = device.run ?? {};
  }

  /** A heartbeat; without telemetry the newest one is said again. */
  async beat(telemetry: Telemetry = this.telemetry): Promise<void> {
    this.telemetry = telemetry;
    await this.post('heartbeat', { telemetry, running: this.held.map(refOf) });
  }

  /** Ids of the next tasks that it is given, in the order in which it is given them. */
  async claim(count = 1): Promise<readonly string[]> {
    const claimed: Assignment[] = [];
    while (claimed.length < count) {
      const ask = { max: count - claimed.length, wait_seconds: MOST_SECONDS_TO_WAIT };
      const { assignments } = await this.post<Claimed>('claim', ask);
      if (assignments.length === 0) throw new Error(`no task for ${this.name}`);
      claimed.push(...assignments);
    }
    this.held = [...this.held, ...claimed];
    return claimed.map(({ task_id }) => task_id);
  }

  /** All that it holds, with any values. */
  async complete(): Promise<void> {
    await this.finish({
      results: this.held.map((task) => ({ ...refOf(task), value: null, ...this.run })),
    });
  }

  /** All that it holds. */
  async fail(): Promise<void> {
    const error = { error_type: 'Error', error_message: 'made up', retryable: false };
    await this.finish({ failures: this.held.map((task) => ({ ...refOf(task), ...error })) });
  }

  private async finish(report: object): Promise<void> {
    const { rejected } = await this.post<Reported>('report', report);
    if (rejected.length > 0) throw new Error(`${this.name}: ${JSON.stringify(rejected)}`);
    this.held = [];
  }

  private post<T>(call: string, body: object): Promise<T> {
    return post<T>(`${this.url}/${call}`, body, { authorization: `Bearer ${this.token}` });
  }
}

interface Registered {
  readonly worker_id: string;
  readonly worker_token: string;
}

interface Claimed {
  readonly assignments: readonly Assignment[];
}

interface Reported {
  readonly rejected: readonly object[];
}

function refOf({ task_id, attempt, token }: Assignment) {
  return { task_id, attempt, token };
}

async function post<T>(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<T> {
  for (;;) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as T;
    if (!isBusy(response, text)) throw new Error(`${url}: ${response.status} ${text}`);
    await sleep(Number(response.headers.get('retry-after')) * 1_000);
  }
}

/** What a coordinator on a starved machine says to who is new, with the time to wait. */
function isBusy({ status }: Response, text: string): boolean {
  return status === 503 && (JSON.parse(text) as { code?: string }).code === 'busy';
}
