// Where the built pages lie. In a checkout they are built at the first start, in a process of its own, and lie
// in a folder that is named by the hash of their sources; a published package brings them along.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { PagesOrder } from './build-order.ts';
import { pageFiles } from './page-files.ts';
import { type BuiltPages, readPages } from './read-pages.ts';
import { hashSources } from './source-hash.ts';

const here = dirname(fileURLToPath(import.meta.url));
const isCheckout = extname(fileURLToPath(import.meta.url)) === '.ts';
/** The sources lie beside this room, in `src/`. */
const sources = dirname(here);
const root = dirname(sources);
const publishedFolder = publishedFolderIn(sources);
/** What a builder has said last, for the log. */
const mostToldBytes = 4_000;
const mostFaultCharacters = 300;

/** The pages of this program: there, being built, or not to be had. */
export class PagesFolder {
  #pages: BuiltPages | null = null;
  #building: Promise<void> | null = null;
  #fault: Error | null = null;
  #builder: ChildProcess | null = null;
  readonly #order: PagesOrder | null;

  constructor(order: PagesOrder | null = isCheckout ? orderOfCheckout() : null) {
    this.#order = order;
  }

  /** Null while they are not there. */
  get pages(): BuiltPages | null {
    this.#pages ??= readPages(this.#order?.target ?? publishedFolder, pageFiles);
    return this.#pages;
  }

  /** Why they cannot be had. */
  get fault(): Error | null {
    return this.#fault;
  }

  /** Builds what is not there. Once: what failed would fail again, until the sources are others. */
  build(): Promise<void> {
    if (this.pages !== null) return Promise.resolve();
    this.#building ??= this.#build();
    return this.#building;
  }

  /** The process does not wait for a build: it goes on by itself, and the next start finds what it has made. */
  leaveBuilder(): void {
    this.#builder?.unref();
    (this.#builder?.stderr as Socket | null | undefined)?.unref();
  }

  async #build(): Promise<void> {
    try {
      if (this.#order === null) throw new Error(`${publishedFolder} does not hold them`);
      await runBuilder(this.#order, (builder) => {
        this.#builder = builder;
      });
      if (this.pages === null) throw new Error(`${this.#order.target} is not as it was built`);
    } catch (error) {
      this.#fault = error as Error;
    }
  }
}

/** Where a published package has them. `lib`: the folder with its rooms. */
export function publishedFolderIn(lib: string): string {
  return join(lib, 'pages', 'built');
}

/** In a checkout: its folder is named by the hash of the sources. */
export function orderOfCheckout(): PagesOrder {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  const build = hashSources(sources, [join(root, 'package-lock.json')], version);
  return {
    sources,
    version,
    target: join(root, '.built', 'pages', build),
    removesOthers: true,
  };
}

function runBuilder(order: PagesOrder, onStarted: (builder: ChildProcess) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const args = [join(here, 'main.ts'), JSON.stringify(order)];
    const builder = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
    });
    onStarted(builder);
    let told = '';
    builder.stderr.on('data', (chunk: Buffer) => {
      told = (told + chunk.toString()).slice(-mostToldBytes);
    });
    builder.on('error', reject);
    builder.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(faultIn(told) ?? `the builder ended with ${code}`));
    });
  });
}

/** What Node prints of an error that ends a process has its message between the source and the stack. */
function faultIn(printed: string): string | null {
  const [, message] =
    /^\w*Error: ([^]*?)(?=\n\s+at |\n\n|$(?![^]))/m.exec(stripVTControlCharacters(printed)) ?? [];
  return message === undefined
    ? null
    : message.replaceAll(/\s+/g, ' ').slice(0, mostFaultCharacters);
}
