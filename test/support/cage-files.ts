// What a browser needs to run tasks, bundled from the sources and served with the policies that frames have:
// a page that makes frames, an agent with an executor, the thread, and the document of a frame.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { PagesFolder } from '../../src/pages/pages-folder.ts';
import { frameHeaders, pagePolicy } from '../../src/server/page-policies.ts';

/** Bytes and maps are spelled out in the JSON of calls and events; the same on either side. */
export const spelling = `
const spelled = (key, value) =>
  value instanceof Uint8Array ? { $bytes: [...value] } : value instanceof Map ? { $map: [...value] } : value;
const read = (key, value) =>
  Array.isArray(value?.$bytes) ? Uint8Array.from(value.$bytes) : Array.isArray(value?.$map) ? new Map(value.$map) : value;
`;
// oxlint-disable-next-line typescript/no-implied-eval -- the text above
const { spelled, read } = new Function(`${spelling} return { spelled, read }`)() as {
  readonly spelled: (key: string, value: unknown) => unknown;
  readonly read: (key: string, value: unknown) => unknown;
};

const sources = join(import.meta.dirname, '..', '..', 'src');

/** Hands the orders of the test to executors, and their events to the test. */
const agent = `
import { createBrowserExecutor } from ${JSON.stringify(join(sources, 'worker/browser/browser-executor.ts'))};
let executor;
const ports = new Map();
const tell = (what) => postMessage({ type: 'told', children: executor?.childPids() ?? [], ...what });
const calls = {
  create: (options) => {
    executor = createBrowserExecutor({
      ...options,
      listener: (event) => tell({ event }),
      onOutput: (slot, key, text) => tell({ output: { key, text } }),
      onUnsaved: (key, why) => tell({ unsaved: { key, why } }),
      onFrameless: (why) => tell({ frameless: why }),
      tellPage: (message) => {
        if (message.type === 'close_frame') ports.delete(message.id);
        postMessage(message);
      },
    });
  },
  // As a browser tells it that tells it at once: the other end of the port is there no more.
  lose: () => {
    for (const port of [...ports.values()]) port.dispatchEvent(new Event('close'));
  },
  close: async (call) => {
    await executor.close();
    tell({ closed: true });
  },
};
onmessage = ({ data }) => {
  if (data.type === 'frame_opened') ports.set(data.id, data.port);
  if (data.type === 'frame_opened' || data.type === 'frame_failed') executor.heard(data);
  else if (data.name in calls) calls[data.name](...data.args);
  else executor[data.name](...data.args);
};
`;

/**
 * Makes the frames of agents. Calls come and events go over the page's own connection to this server: what
 * drives the browser does not speak to a page any more of which one frame has crashed.
 */
const page = `
import { Frames } from ${JSON.stringify(join(sources, 'dashboard/worker/frames.ts'))};
${spelling}
const agents = new Map();
let telling = Promise.resolve();
let told = [];
const tell = (what) => {
  if (told.push(what) > 1) return;
  telling = telling.then(() => {
    const body = JSON.stringify(told, spelled);
    told = [];
    return fetch('/told', { method: 'POST', body });
  });
};
const open = (id) => {
  const agent = new Worker('/agent.js', { type: 'module' });
  const frames = new Frames({
    address: '/frame',
    code: async () => (await fetch('/thread.js')).text(),
    tellAgent: (message, ports) => agent.postMessage(message, ports),
  });
  agent.onmessage = ({ data }) => {
    if (data.type === 'told') tell({ id, ...data });
    else frames.heard(data);
  };
  agent.onerror = (event) => tell({ id, fault: event.message });
  agents.set(id, agent);
};
const calls = new EventSource('/calls');
calls.onmessage = ({ data }) => {
  const { id, name, args } = JSON.parse(data, read);
  if (!agents.has(id)) open(id);
  agents.get(id).postMessage({ name, args });
};
`;

/** A call for the agent with this number; the first one starts it. */
export interface CageCall {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export interface CageFiles {
  readonly url: string;
  /** Calls arrive in the order in which they are made. */
  call(call: CageCall): void;
  close(): void;
}

/** `onTold` hears what the agents tell. */
export async function serveCageFiles(onTold: (told: unknown) => void): Promise<CageFiles> {
  const html = 'text/html; charset=utf-8';
  const javascript = 'text/javascript; charset=utf-8';
  const frameScript = await bundle(join(sources, 'dashboard/frame/frame.ts'), {}, 'iife');
  const frame = `<!doctype html><meta charset="utf-8"><title>Muster</title><script>${frameScript}</script>`;
  const hash = createHash('sha256').update(frameScript).digest('base64');
  // Bundled when somebody asks for it: not every test needs all of them.
  const files: Readonly<
    Record<string, readonly [type: string, make: () => string | Promise<string>]>
  > = {
    '/': [
      html,
      () =>
        '<!doctype html><meta charset="utf-8"><body><script type="module" src="/page.js"></script>',
    ],
    // Of the same policy, for tests that make frames themselves.
    '/empty': [html, () => '<!doctype html><meta charset="utf-8"><title>empty</title><body>'],
    '/page.js': [javascript, () => bundle('page', { page })],
    '/agent.js': [javascript, () => bundle('agent', { agent })],
    '/thread.js': [javascript, builtThread],
    '/frame': [html, () => frame],
  };
  const made = new Map<string, Promise<string>>();
  const calls: CageCall[] = [];
  let stream: ServerResponse | null = null;
  const flush = (): void => {
    if (stream === null) return;
    for (const call of calls.splice(0)) stream.write(`data: ${JSON.stringify(call, spelled)}\n\n`);
  };
  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (url === '/told') {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        response.end();
        for (const told of JSON.parse(body, read) as unknown[]) onTold(told);
      });
      return;
    }
    if (url === '/calls') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      stream = response;
      flush();
      return;
    }
    const file = files[url];
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('content-type', file[0]);
    response.setHeaders(
      new Map(
        Object.entries(
          url === '/frame'
            ? frameHeaders(hash)
            : { 'content-security-policy': pagePolicy('http', request.headers.host, []) },
        ),
      ),
    );
    const [, make] = file;
    const body = made.get(url) ?? Promise.resolve(make());
    made.set(url, body);
    body.then(
      (text) => response.end(text),
      // The test sees that it does not go on; this says why.
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: addressOf(server),
    call: (call) => {
      calls.push(call);
      flush();
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** As coordinators serve it: built once for all tests. */
async function builtThread(): Promise<string> {
  const folder = new PagesFolder();
  await folder.build();
  const thread = folder.pages?.files.find(({ url }) => url === '/worker/thread.js');
  if (thread === undefined) throw folder.fault ?? new Error('No thread was built.');
  return thread.content.toString('utf8');
}

async function bundle(
  input: string,
  texts: Readonly<Record<string, string>>,
  format: 'es' | 'iife' = 'es',
): Promise<string> {
  const bundler = await rolldown({
    input,
    platform: 'browser',
    logLevel: 'silent',
    plugins: [textsWithin(texts)],
  });
  try {
    const { output } = await bundler.generate({ format, codeSplitting: false, comments: false });
    return output[0].code;
  } finally {
    await bundler.close();
  }
}

function textsWithin(texts: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'test:texts',
    resolveId: (id) => (Object.hasOwn(texts, id) ? id : null),
    load: (id) => (Object.hasOwn(texts, id) ? texts[id]! : null),
  };
}
