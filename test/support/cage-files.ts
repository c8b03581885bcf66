// What a browser needs to run tasks, bundled from the sources and served with the policies that frames have:
// a page that makes frames, an agent with an executor, the thread, and the document of a frame.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { basename, extname, join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const sources = join(import.meta.dirname, '..', '..', 'src');
const sesPath = createRequire(import.meta.url).resolve('ses');

/** Hands the orders of the test to executors, and their events to the test. */
const agent = `
import { createBrowserExecutor } from ${JSON.stringify(join(sources, 'worker/browser/browser-executor.ts'))};
let executor;
const tell = (what) => postMessage({ type: 'told', children: executor?.childPids() ?? [], ...what });
const calls = {
  create: (options) => {
    executor = createBrowserExecutor({
      ...options,
      listener: (event) => tell({ event }),
      onOutput: (slot, key, text) => tell({ output: { key, text } }),
      onUnsaved: (key, why) => tell({ unsaved: { key, why } }),
      onFrameless: (why) => tell({ frameless: why }),
      tellPage: (message) => postMessage(message),
    });
  },
  close: async (call) => {
    await executor.close();
    tell({ closed: true });
  },
};
onmessage = ({ data }) => {
  if (data.type === 'frame_opened' || data.type === 'frame_failed') executor.heard(data);
  else if (data.name in calls) calls[data.name](...data.args);
  else executor[data.name](...data.args);
};
`;

/** Makes the frames of agents; the test calls `openCage` and `callCage`. */
const page = `
import { Frames } from ${JSON.stringify(join(sources, 'dashboard/worker/frames.ts'))};
globalThis.cages = new Map();
globalThis.openCage = (id) => {
  const agent = new Worker('/agent.js', { type: 'module' });
  const frames = new Frames({
    address: '/frame',
    code: async () => (await fetch('/thread.js')).text(),
    tellAgent: (message, ports) => agent.postMessage(message, ports),
  });
  agent.onmessage = ({ data }) => {
    if (data.type === 'told') tellTest(JSON.stringify({ id, ...data }));
    else frames.heard(data);
  };
  agent.onerror = (event) => tellTest(JSON.stringify({ id, fault: event.message }));
  cages.set(id, { agent, frames });
};
globalThis.callCage = (id, name, args) => cages.get(id).agent.postMessage({ name, args });
`;

export interface CageFiles {
  readonly url: string;
  close(): void;
}

export async function serveCageFiles(): Promise<CageFiles> {
  const [agentCode, pageCode, threadCode, frameScript] = [
    await bundle('agent', { agent }),
    await bundle('page', { page }),
    await bundleThread(),
    await bundle(join(sources, 'dashboard/frame/frame.ts'), {}, 'iife'),
  ];
  const html = 'text/html; charset=utf-8';
  const javascript = 'text/javascript; charset=utf-8';
  const frame = `<!doctype html><meta charset="utf-8"><title>Muster</title><script>${frameScript}</script>`;
  const hash = createHash('sha256').update(frameScript).digest('base64');
  const files: Readonly<Record<string, readonly [type: string, body: string]>> = {
    '/': [
      html,
      '<!doctype html><meta charset="utf-8"><body><script type="module" src="/page.js"></script>',
    ],
    '/page.js': [javascript, pageCode],
    '/agent.js': [javascript, agentCode],
    '/thread.js': [javascript, threadCode],
    '/frame': [html, frame],
  };
  const server = createServer(({ url = '' }, response) => {
    const file = files[url];
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('content-type', file[0]);
    response.setHeader(
      'content-security-policy',
      url === '/frame' ? framePolicy(hash) : pagePolicy,
    );
    response.end(file[1]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: addressOf(server), close: () => server.close() };
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const pagePolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function framePolicy(hash: string): string {
  return `sandbox allow-scripts; default-src 'none'; script-src 'unsafe-eval' 'wasm-unsafe-eval' blob: 'sha256-${hash}'; worker-src blob:; connect-src 'none'; img-src 'none'; frame-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;
}

async function bundleThread(): Promise<string> {
  const entry = join(sources, 'worker/browser/slot-main.ts');
  const code = await bundle(entry, {}, 'iife', [libraryWithin]);
  // The library does not run in strict code, the thread runs in nothing else.
  return `((loadLibrary) => {'use strict';\n${code}\n})(() => {${readFileSync(sesPath, 'utf8')}\n});\n`;
}

async function bundle(
  input: string,
  texts: Readonly<Record<string, string>>,
  format: 'es' | 'iife' = 'es',
  plugins: readonly Plugin[] = [],
): Promise<string> {
  const bundler = await rolldown({
    input,
    platform: 'browser',
    logLevel: 'silent',
    plugins: [textsWithin(texts), ...plugins],
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

const libraryWithin: Plugin = {
  name: 'test:library',
  load(id) {
    if (basename(id, extname(id)) !== 'library') return null;
    return { code: 'const within = loadLibrary; export { within as loadLibrary };' };
  },
};
