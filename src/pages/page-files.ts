// What is served to browsers that work: the files, where each comes from, and the index that lies beside
// them once they are built.

/** What a document of this kind may do; the texts of the policies are the server's. */
export type PagePolicy = 'page' | 'frame';

/** How a file is made from the sources. */
export type PageSource =
  /** TypeScript and what it imports, as one module. */
  | { readonly module: string }
  /** The same as one classic script. */
  | { readonly script: string }
  /** The same as one classic script in strict code, with the text of the hardened realm in it. */
  | { readonly thread: string }
  /** A document with this script in it, and nothing else. */
  | { readonly frame: string }
  /** TypeScript and what it imports, in parts that are loaded when they are needed. */
  | { readonly app: string }
  /** All styles in a folder, as one. */
  | { readonly styles: string }
  /** A text or an image as it is. */
  | { readonly copy: string }
  /** The same, out of a package. */
  | { readonly packaged: string };

export interface PageFile {
  readonly name: string;
  readonly url: string;
  readonly type: string;
  /** Absent for what is no document. */
  readonly policy?: PagePolicy;
  /** Path under the sources. */
  readonly from: PageSource;
}

const html = 'text/html; charset=utf-8';
const javascript = 'text/javascript; charset=utf-8';

export const pageFiles: readonly PageFile[] = [
  {
    name: 'muster.py',
    url: '/client/muster.py',
    type: 'text/x-python; charset=utf-8',
    from: { copy: 'client/python/muster.py' },
  },
  {
    name: 'app.html',
    url: '/',
    type: html,
    policy: 'page',
    from: { copy: 'dashboard/app/index.html' },
  },
  {
    name: 'app.js',
    url: '/app/app.js',
    type: javascript,
    from: { app: 'dashboard/app/main.tsx' },
  },
  {
    name: 'app.css',
    url: '/app/app.css',
    type: 'text/css; charset=utf-8',
    from: { styles: 'dashboard/app' },
  },
  {
    name: 'worker.html',
    url: '/worker',
    type: html,
    policy: 'page',
    from: { copy: 'dashboard/worker/worker.html' },
  },
  {
    name: 'offline.html',
    url: '/worker/offline',
    type: html,
    policy: 'page',
    from: { copy: 'dashboard/worker/offline.html' },
  },
  {
    name: 'frame.html',
    url: '/worker/frame',
    type: html,
    policy: 'frame',
    from: { frame: 'dashboard/frame/frame.ts' },
  },
  {
    name: 'page.js',
    url: '/worker/page.js',
    type: javascript,
    from: { module: 'dashboard/worker/main.ts' },
  },
  {
    name: 'page.css',
    url: '/worker/page.css',
    type: 'text/css; charset=utf-8',
    from: { copy: 'dashboard/worker/worker.css' },
  },
  {
    name: 'agent.js',
    url: '/worker/agent.js',
    type: javascript,
    // A worker has the policy of its own script, not that of the page that starts it.
    policy: 'page',
    from: { module: 'worker/browser/agent-main.ts' },
  },
  {
    name: 'thread.js',
    url: '/worker/thread.js',
    type: javascript,
    from: { thread: 'worker/browser/slot-main.ts' },
  },
  {
    name: 'sw.js',
    url: '/worker/sw.js',
    type: javascript,
    policy: 'page',
    from: { script: 'dashboard/worker/sw.ts' },
  },
  {
    name: 'manifest.webmanifest',
    url: '/worker/manifest.webmanifest',
    type: 'application/manifest+json; charset=utf-8',
    from: { copy: 'dashboard/worker/manifest.webmanifest' },
  },
  ...['icon-192.png', 'icon-512.png', 'icon-maskable.png'].map((name) => ({
    name,
    url: `/worker/${name}`,
    type: 'image/png',
    from: { copy: `dashboard/worker/${name}` },
  })),
  {
    name: 'inter.woff2',
    url: '/worker/inter.woff2',
    type: 'font/woff2',
    from: { packaged: '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2' },
  },
];

/** Views of the dashboard: the same document at each of these paths, and the script shows what is asked for. */
export const appPaths: readonly string[] = [
  '/jobs',
  '/jobs/:job',
  '/jobs/:job/tasks/:index',
  '/workers',
  '/workers/:worker',
  '/scheduler',
  '/evaluation',
  '/timeline',
  '/recovery',
  '/connect',
  '/submit',
  '/settings',
];

/** Where the parts of the dashboard's script lie, by names that change with what is in them. */
export const partsFolder = '/app/';

/** Where a document has this, it is told the version of the program when it is built. */
export const versionMark = 'data-version="unknown"';

/** The last file that is written: where it is, all others are. */
export const indexName = 'pages.json';

export interface PagesIndex {
  /** SHA-256 of the script in the frame, in base64, as its policy names it. */
  readonly frameScript: string;
  /** The same of the styles that documents have in them, by the name of the file. */
  readonly styles: Readonly<Record<string, readonly string[]>>;
  /** Parts of the dashboard's script beside its entry, by the names of their files. */
  readonly parts: readonly string[];
  /** Packages that have something in the files. */
  readonly packages: readonly string[];
  /** Hash of each file by its name, in hex. */
  readonly hashes: Readonly<Record<string, string>>;
}

/** Files beside a file that are the same, compressed. What a compression does not make smaller has none. */
export const encodings = [
  { encoding: 'br', extension: '.br' },
  { encoding: 'gzip', extension: '.gz' },
] as const;
