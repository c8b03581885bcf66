// The smallest sources of pages that there can be, for tests of how pages are built and served.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildFolder } from '../build-folder.ts';
import { pageFiles } from '../page-files.ts';
import { type BuiltPages, readPages } from '../read-pages.ts';

const text = 'a line that is long enough to be smaller when it is compressed\n'.repeat(20);

const smallSources: Readonly<Record<string, string>> = {
  'dashboard/app/index.html':
    '<!doctype html><title>Muster</title><script type="module" src="/app/app.js"></script>',
  'dashboard/app/main.tsx': `
    const load = (): Promise<typeof import('./pages/one.tsx')> => import('./pages/one.tsx');
    void load().then(({ title }) => { document.title = title; });
  `,
  'dashboard/app/pages/one.tsx': "export const title: string = 'loaded when it is needed';\n",
  'dashboard/app/pages/one.css': 'p { color: blue; }\n',
  'dashboard/app/shell/frame.css': '/* said by nobody */ p { color: green; }\n',
  'dashboard/app/parts/button.css': 'b {\n  color: red;\n}\n',
  'dashboard/app/look/tokens.css': ':root { --ink: black; }\n',
  'dashboard/worker/worker.html': `<!doctype html><html data-version="unknown"><title>Help</title><script type="module" src="/worker/page.js"></script>${text}`,
  'dashboard/worker/worker.css': `/* ${text} */\n`,
  'dashboard/worker/offline.html':
    '<!doctype html><title>Offline</title><style>p { color: red }</style><p>No network',
  'client/python/muster.py': 'print(1)\n',
  'dashboard/worker/manifest.webmanifest': '{ "name": "Muster" }',
  'dashboard/worker/icon-192.png': 'an image',
  'dashboard/worker/icon-512.png': 'an image',
  'dashboard/worker/icon-maskable.png': 'an image',
  'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2': 'a font',
  'dashboard/worker/main.ts': `
    import { greeting } from './greeting.ts';
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.src = '/worker/frame';
    addEventListener('message', async ({ source, data }) => {
      if (source !== frame.contentWindow) return;
      const agent = new Worker('/worker/agent.js', { type: 'module' });
      agent.onmessage = (event) => {
        document.title = greeting(data, event.data);
      };
      agent.postMessage('open');
    });
    document.body.append(frame);
  `,
  'dashboard/worker/greeting.ts':
    'export const greeting = (frame: string, agent: string): string => `${frame}, ${agent}`;\n',
  'dashboard/worker/sw.ts': "addEventListener('fetch', () => {});\n",
  'dashboard/frame/frame.ts': `
    const closing: string = '</script><!--';
    let reached = 'reaches nothing';
    try {
      void parent.document.title;
      reached = 'reaches the page';
    } catch {}
    const code = new Blob(['postMessage(eval("20 + 1"))'], { type: 'text/javascript' });
    new Worker(URL.createObjectURL(code)).onmessage = ({ data }) => {
      parent.postMessage([reached, closing, data].join(' '), '*');
    };
  `,
  'worker/browser/agent-main.ts': `
    onmessage = () => {
      const socket = new WebSocket(location.origin.replace(/^http/, 'ws') + '/api/workers/connect');
      socket.onopen = () => {
        postMessage('the socket is open');
        socket.close();
      };
      socket.onerror = () => postMessage('no socket');
    };
  `,
  'worker/browser/library.ts': 'export function loadLibrary(): void { throw new Error(); }\n',
  'worker/browser/slot-main.ts': `
    import { loadLibrary } from './library.ts';
    loadLibrary();
    const isStrict = (function (this: unknown) { return this === undefined; })();
    class NamedClass {}
    const { name } = NamedClass;
    Object.assign(globalThis, { told: [typeof lockdown, typeof Compartment, isStrict, name] });
  `,
};

export function writeSources(
  folder: string,
  sources: Readonly<Record<string, string>> = smallSources,
): void {
  for (const [path, content] of Object.entries(sources)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** Builds them below of the folder. */
export async function buildSmallPages(folder: string): Promise<BuiltPages> {
  const sources = join(folder, 'src');
  const target = join(folder, 'built');
  writeSources(sources);
  await buildFolder({ sources, target, version: '1.2.3', removesOthers: false });
  return readPages(target, pageFiles)!;
}
