// Who may decide in a run: one of the nine algorithms by its id, or a scheduler of one's own from a module.

import { registerHooks } from 'node:module';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { algorithmIds } from '../core/snapshot.ts';
import { isAlgorithmId } from '../scheduling/registry.ts';
import { ContenderFault } from './contender-fault.ts';
import { guarded, sayThrown } from './guarded-scheduler.ts';
import type { Contender } from './simulation.ts';

/** By the id of an algorithm, or the absolute path of a module. */
export function readContender(
  named: { readonly algorithm: string } | { readonly file: string },
): Contender | Promise<Contender> {
  return 'file' in named ? ownContender(named.file, '/') : algorithmContender(named.algorithm);
}

export function algorithmContender(id: string): Contender {
  if (!isAlgorithmId(id)) {
    throw new ContenderFault(
      `There is no algorithm "${id}". There are ${algorithmIds.join(', ')}.`,
    );
  }
  return { name: id, algorithm: id };
}

/**
 * A module whose default export makes schedulers (`SchedulerFactory` of `muster/scheduling`); its file name is the
 * name of the contender. It runs as part of this process, so it must be trusted as any program that is started.
 */
export async function ownContender(path: string, folder: string): Promise<Contender> {
  const file = resolve(folder, path);
  offerScheduling();
  let found: unknown;
  try {
    found = ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  } catch (error) {
    throw new ContenderFault(`The scheduler ${path} cannot be loaded: ${sayThrown(error)}`);
  }
  const name = basename(file, extname(file));
  if (isAlgorithmId(name)) {
    throw new ContenderFault(`The scheduler ${path} is named as one of the nine: rename the file.`);
  }
  return { name, algorithm: 'fifo', createScheduler: guarded(found, file) };
}

const offered = 'muster/scheduling';
let isOffered = false;

/** A module anywhere on the disk finds `muster/scheduling`: its own if it has one, else that of this program. */
function offerScheduling(): void {
  if (isOffered) return;
  isOffered = true;
  const own = new URL(`../scheduling/index${extname(import.meta.url)}`, import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier !== offered) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return { url: own, shortCircuit: true };
      }
    },
  });
}
