// Opens the two places of a move, and moves.

import { dirname } from 'node:path';
import { type MoveOptions, move, type MoveReport } from '../../store/move/move.ts';
import type { MoveSource, MoveTarget } from '../../store/move/sides.ts';
import { CommandFailure } from '../command-failure.ts';
import { makeFolder } from './private-files.ts';
import { type StorePlace, storePlace } from './store-place.ts';
import { refuseUnusable } from './verified-copy.ts';

export interface MovePlaces {
  readonly from: StorePlace;
  readonly to: StorePlace;
}

export interface Moved extends MoveReport {
  /** As they are given to the command, without passwords. */
  readonly from: string;
  readonly to: string;
}

/** Relative paths begin in `folder`. */
export function movePlaces(from: string, to: string, folder: string): MovePlaces {
  const [source, target] = [from, to].map((store) => storePlace({ store, dataDir: '' }, folder));
  if (source!.kind === 'memory' || target!.kind === 'memory') {
    throw new CommandFailure('usage', 'What is kept in memory only is moved nowhere.');
  }
  return { from: source!, to: target! };
}

/** `note` hears why it has to wait. Throws `StoreFault` and `CommandFailure`. */
export async function moveStore(
  { from, to }: MovePlaces,
  options: MoveOptions & { readonly note: (sentence: string) => void },
): Promise<Moved> {
  const { note } = options;
  const source = await openSource(from, note);
  let target: MoveTarget | undefined;
  try {
    target = await openTarget(to, source.identity, note);
    const report = await move(source, target, options);
    return { ...report, from: source.address, to: target.address };
  } finally {
    await target?.close();
    await source.close();
  }
}

function waiting(note: (sentence: string) => void) {
  const onWaiting = () =>
    note('Who worked on the database before has not said goodbye: waiting whether it still does.');
  return { onWaiting, onTrouble: note };
}

async function openSource(
  place: StorePlace,
  note: (sentence: string) => void,
): Promise<MoveSource> {
  if (place.kind === 'server') {
    const { openServerSource } = await import('../../store/postgres/move/source.ts');
    return openServerSource(place.address, waiting(note));
  }
  const { path } = fileIn(place);
  const { openFileSource } = await import('../../store/sqlite/move/source.ts');
  refuseUnusable(path);
  return openFileSource(path);
}

async function openTarget(
  place: StorePlace,
  source: string,
  note: (sentence: string) => void,
): Promise<MoveTarget> {
  if (place.kind === 'server') {
    const { openServerTarget } = await import('../../store/postgres/move/target.ts');
    return openServerTarget(place.address, { source, ...waiting(note) });
  }
  const { path } = fileIn(place);
  const { openFileTarget } = await import('../../store/sqlite/move/target.ts');
  makeFolder(dirname(path));
  return openFileTarget(path, source);
}

function fileIn(place: StorePlace): { readonly path: string } {
  if (place.kind === 'file') return place;
  throw new Error('a place that is no file');
}
