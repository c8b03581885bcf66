// What a bundle has in place of Node's own modules: a stand-in where there is one, and otherwise a module that
// says what is missing when somebody uses it. Modules that a package leaves out for browsers stay left out.

import { createRequire, isBuiltin } from 'node:module';
import { extname, join } from 'node:path';
import type { Plugin } from 'rolldown';

const folder = join(import.meta.dirname, 'stand-ins');
const ending = extname(import.meta.filename);
const own = (name: string) => join(folder, `${name}${ending}`);

const STAND_INS: Readonly<Record<string, string>> = {
  buffer: own('buffer'),
  crypto: own('crypto'),
  events: createRequire(import.meta.url).resolve('events/events.js'),
  path: own('path'),
  'path/posix': own('path'),
  process: own('process'),
  timers: own('timers'),
  url: own('url'),
  util: own('inherits'),
};

/** Names that Node has and modules use without importing them. */
export const INJECTED: Readonly<Record<string, [module: string, name: string]>> = {
  Buffer: [own('buffer'), 'Buffer'],
  process: [own('process'), 'default'],
  setImmediate: [own('timers'), 'setImmediate'],
  clearImmediate: [own('timers'), 'clearImmediate'],
};

/** Whether a file is the person's own, and not of a package or of Muster. */
export function isOwnFile(file: string): boolean {
  return !/[/\\]node_modules[/\\]/.test(file) && !isStandIn(file);
}

export function isStandIn(file: string): boolean {
  return file.startsWith(folder);
}

/** Rows of data: they are inputs of a job and no module, and some would even be read as JavaScript. */
export function isTable(specifier: string): boolean {
  return /\.[ct]sv$/i.test(specifier);
}

/** A module of Node for which there is no stand-in, or what is none. */
export interface MissingModule {
  readonly specifier: string;
  /** The first file that imports it. */
  readonly importer: string;
}

const PREFIX = '\0muster:missing:';

export class NodeModules {
  /** By the id in the bundle: those of the person's own files and those of packages are apart. */
  readonly #missing = new Map<string, MissingModule>();
  /** By what is imported: the first file that does. */
  readonly importers = new Map<string, string>();

  missing(id: string): MissingModule | undefined {
    return this.#missing.get(id);
  }

  plugin(): Plugin {
    const { importers } = this;
    const missing = this.#missing;
    return {
      name: 'muster:node-modules',
      async resolveId(specifier, importer, { kind }) {
        if (importer === undefined) return null;
        if (!importers.has(specifier)) importers.set(specifier, importer);
        if (!isBuiltin(specifier) && !isTable(specifier)) return null;
        if (!isTable(specifier)) {
          const found = await this.resolve(specifier, importer, { skipSelf: true, kind });
          if (found !== null && found.external === false) return found;
          const standIn = STAND_INS[specifier.replace(/^node:/, '')];
          if (standIn !== undefined) return { id: standIn, moduleSideEffects: false };
        }
        const id = `${PREFIX}${isOwnFile(importer) ? 'own' : 'package'}:${specifier}`;
        if (!missing.has(id)) missing.set(id, { specifier, importer });
        return { id, moduleSideEffects: false };
      },
      load(id) {
        const module = missing.get(id);
        if (module === undefined) return null;
        return { code: missingSource(module.specifier), moduleSideEffects: false };
      },
    };
  }
}

/** Anything can be taken from it, as a package does at its top level; what is taken throws when it is used. */
function missingSource(specifier: string): string {
  const sentence = isTable(specifier)
    ? ' is no module'
    : ' is a part of Node, and tasks run in a sandbox without it';
  return `const missing = (path) => {
  const refuse = function () { throw new Error(path + ${JSON.stringify(sentence)}); };
  const get = (of, key) => typeof key === 'symbol' || key === 'then' || key === '__esModule'
    ? undefined : missing(path + '.' + key);
  return Object.setPrototypeOf(refuse, new Proxy({}, { get }));
};
module.exports = missing(${JSON.stringify(specifier)});
`;
}
