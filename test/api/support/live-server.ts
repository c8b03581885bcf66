// A real coordinator over a real (in-memory) database behind a real socket, for one test file. Every
// answer that goes through `call` is validated against the published document.

import { pino } from 'pino';
import type { CoordinatorOptions } from '../../../src/coordinator/coordinator-options.ts';
import { createCoordinator, type RunningCoordinator } from '../../../src/coordinator/index.ts';
import { createRealRuntime } from '../../../src/coordinator/real-runtime.ts';
import type { CoreSettings } from '../../../src/core/settings.ts';
import { defaultLimits, type Limits } from '../../../src/protocol/limits.ts';
import type { DeviceDescription } from '../../../src/protocol/messages.ts';
import { createServer, type Server, type ServerOptions } from '../../../src/server/server.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { type OpenApiDocument, PublishedDocument } from './published-document.ts';
import { ScriptedWorker, type Work } from './scripted-worker.ts';

/** What a test looks into without describing it first. */
export type Loose = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is something else. */
  readonly body: Loose;
}

export interface LiveServer {
  readonly url: string;
  readonly server: Server;
  readonly coordinator: RunningCoordinator;
  readonly document: PublishedDocument;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Submits a job of these inputs and gives its id. */
  submit(inputs: unknown, more?: object): Promise<string>;
  worker(work: Work, more?: Partial<DeviceDescription>): Promise<ScriptedWorker>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly json?: unknown;
  readonly body?: RequestInit['body'];
  readonly headers?: Record<string, string>;
}

/** By what the server was started with. To make one anew, and its checks, takes longer than most tests. */
const documents = new Map<string, PublishedDocument>();

async function documentOf(url: string, limits: Limits, others: object): Promise<PublishedDocument> {
  // Of parts of the program it counts whether they are there.
  const parts = Object.entries(others).map(([name, value]) => [
    name,
    typeof value === 'object' ? value !== null : value,
  ]);
  const key = JSON.stringify([limits, parts], (_, value: unknown) =>
    typeof value === 'function' ? 'function' : value,
  );
  const known = documents.get(key);
  if (known !== undefined) return known;
  const response = await fetch(`${url}/openapi.json`);
  const document = new PublishedDocument((await response.json()) as OpenApiDocument);
  documents.set(key, document);
  return document;
}

/** The store is closed with it. */
export async function startLiveServer(
  limits: Partial<Limits> = {},
  store: Store = openSqliteStore(':memory:'),
  settings: Partial<CoreSettings> = {},
  others: Pick<
    CoordinatorOptions,
    'coordinatorName' | 'decisionLogBytes' | 'deliver' | 'inboxMarks' | 'onEvents' | 'onCommit'
  > &
    Pick<
      ServerOptions,
      | 'coordinatorName'
      | 'disk'
      | 'isOpen'
      | 'metrics'
      | 'pages'
      | 'pressure'
      | 'storeHealth'
      | 'webhooks'
    > = {},
): Promise<LiveServer> {
  const all = { ...defaultLimits, ...limits };
  const coordinator = await createCoordinator({
    store,
    runtime: createRealRuntime(),
    limits: all,
    settings,
    ...others,
  });
  const log = pino({ level: 'silent' });
  const server = createServer({ ...others, coordinator, limits: all, log, version: '1.2.3' });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const document = await documentOf(url, all, others);
  const workers: ScriptedWorker[] = [];

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const answer = await send(url, method, path, options);
    document.check(method, path, answer);
    return answer;
  }

  return {
    url,
    server,
    coordinator,
    document,
    call,
    async submit(inputs, more = {}) {
      const json = { program, inputs, ...more };
      const { status, body } = await call('POST', '/api/jobs', { json });
      if (status !== 201) throw new Error(`not submitted: ${JSON.stringify(body)}`);
      return body.id;
    },
    async worker(work, more = {}) {
      const worker = await ScriptedWorker.connect(url, work, more);
      workers.push(worker);
      return worker;
    },
    async close() {
      for (const worker of workers) worker.end();
      await coordinator.stop();
      await server.close();
      await store.close();
    },
  };
}

export const program = { kind: 'javascript', source: 'export default (n) => n' };

async function send(
  url: string,
  method: string,
  path: string,
  { json, body, headers = {} }: CallOptions,
): Promise<Answer> {
  const isJson = json !== undefined;
  const request = {
    method,
    headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(isJson ? { body: JSON.stringify(json) } : body === undefined ? {} : { body }),
    // Of Node: types of browsers do not know it.
    duplex: 'half' as const,
  };
  const response = await fetch(`${url}${path}`, request);
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const isJsonAnswer = text !== '' && type.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJsonAnswer ? JSON.parse(text) : undefined,
  };
}

/** Repeats a request until its answer fulfils the condition; only the test's time limit ends it. */
export async function eventually<T>(ask: () => Promise<T>, isThere: (value: T) => boolean) {
  for (;;) {
    const value = await ask();
    if (isThere(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
