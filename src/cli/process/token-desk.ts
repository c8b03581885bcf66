// Where tokens are made and revoked: at the coordinator that was named; else at the one that serves the data
// folder, or, while none does, in its database. The last is how the first token comes to be, and how a person
// gets in again.

import { existsSync } from 'node:fs';
import type { TokenClient } from '../../client/index.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailure } from '../command-failure.ts';
import { type Context, openClient } from '../context.ts';
import { isSameCoordinator, showTo, type TokenFlags } from '../settings/token-flags.ts';
import { readAddress } from './access-files.ts';
import { adminTokenLost } from './admin-token-lost.ts';
import { keepFilesPrivate, makeFolderPrivate } from './private-files.ts';
import { openStore, storePlace } from './store-place.ts';

export interface DeskFlags extends TokenFlags {
  readonly dataDir: string;
  readonly store?: string;
  /** Only when it was named: otherwise the one that serves the data folder is meant. */
  readonly url?: string;
  readonly pin?: string;
}

export interface TokenDesk extends TokenClient {
  /** Undefined for a coordinator that may be on another machine. */
  readonly dataDir: string | undefined;
  close(): Promise<void>;
}

/** `dataDir`: as a whole path. Undefined when there is nothing to look into, and nothing is to be made. */
export async function openTokenDesk(
  flags: DeskFlags,
  dataDir: string,
  context: Context,
  mayMake: boolean,
): Promise<TokenDesk | undefined> {
  if (flags.url !== undefined) return deskOfNamed(flags.url, flags, dataDir, context);
  const place = storePlace(flags, context.folder);
  if (place.kind === 'memory') return deskOfServed(flags, dataDir, context);
  if (!mayMake && place.kind === 'file' && !existsSync(place.path)) return undefined;
  keepFilesPrivate();
  makeFolderPrivate(dataDir, context.folder);
  try {
    return await deskInStore(await openStore(place), dataDir);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'store_locked') throw error;
    return deskOfServed(flags, dataDir, context, error);
  }
}

/** Of a coordinator elsewhere nothing is kept in the data folder, and nothing is made there. */
async function deskOfNamed(
  url: string,
  flags: DeskFlags,
  dataDir: string,
  context: Context,
): Promise<TokenDesk> {
  const served = readAddress(dataDir);
  const isHere = served !== undefined && isSameCoordinator(served, url);
  return deskAt(url, flags, isHere ? dataDir : undefined, context, flags.pin);
}

async function deskOfServed(
  flags: DeskFlags,
  dataDir: string,
  context: Context,
  locked?: unknown,
): Promise<TokenDesk> {
  const url = readAddress(dataDir);
  if (url !== undefined) return deskAt(url, flags, dataDir, context);
  if (locked instanceof Error) throw locked;
  throw new CommandFailure(
    'unreachable',
    `No coordinator serves the data folder ${dataDir}, and its store keeps nothing.`,
    ['Start one with `muster serve`, or name another with --url.'],
  );
}

async function deskAt(
  url: string,
  flags: DeskFlags,
  dataDir: string | undefined,
  context: Context,
  pin?: string,
): Promise<TokenDesk> {
  const shown = showTo(url, flags, dataDir ?? flags.dataDir, context);
  const { tokens } = await openClient({ ...shown, ...(pin === undefined ? {} : { pin }) });
  const isLost = dataDir !== undefined && shown.token === undefined;
  const lost = isLost ? adminTokenLost(dataDir, context.folder)?.sentence : undefined;
  return {
    dataDir,
    create: (asked) => tokens.create(asked).catch(orLost(lost)),
    list: (options) => tokens.list(options).catch(orLost(lost)),
    setQuota: (tokenId, quota) => tokens.setQuota(tokenId, quota).catch(orLost(lost)),
    revoke: (tokenId) => tokens.revoke(tokenId).catch(orLost(lost)),
    close: async () => undefined,
  };
}

function orLost(lost: string | undefined): (error: unknown) => never {
  return (error) => {
    const isUnauthorized = (error as { code?: unknown }).code === 'unauthorized';
    throw isUnauthorized && lost !== undefined
      ? new CommandFailure('refused', lost, [], error)
      : error;
  };
}

async function deskInStore(store: Store, dataDir: string): Promise<TokenDesk> {
  const [{ TokensAtRest }, { createRealRuntime }] = await Promise.all([
    import('../../coordinator/access/tokens-at-rest.ts'),
    import('../../coordinator/real-runtime.ts'),
  ]);
  const tokens = new TokensAtRest(store, createRealRuntime());
  return {
    dataDir,
    async create({ expiresInSeconds, ...asked }) {
      const more = expiresInSeconds === undefined ? {} : { expiresInMs: expiresInSeconds * 1_000 };
      const { resource, token } = accepted(await tokens.create({ ...asked, ...more }));
      return { ...resource, token };
    },
    list: (options) => (options?.workers === true ? tokens.listOfWorkers() : tokens.list()),
    setQuota: async (tokenId, quota) => accepted(await tokens.setQuota(tokenId, quota)),
    revoke: async (tokenId) => accepted(await tokens.revoke(tokenId)),
    close: () => store.close(),
  };
}

type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly rejection: { readonly detail: string } };

function accepted<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new CommandFailure('refused', result.rejection.detail);
}
