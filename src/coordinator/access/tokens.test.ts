import { expect, test } from 'vitest';
import { writeToken } from '../../protocol/token-text.ts';
import type { TokenRow } from '../../store/rows.ts';
import { createRealRuntime } from '../real-runtime.ts';
import type { Batch } from '../writer/batch.ts';
import { Tokens } from './tokens.ts';

/** Tokens over a store of one worker's token, whose reads end when the test says so. */
function tokensOfOneWorker(given: Partial<TokenRow> = {}) {
  const runtime = createRealRuntime();
  const text = writeToken({ kind: 'worker', id: '00000000', secret: 'a'.repeat(32) });
  const hash = runtime.hash(text);
  const limits = { revokedAt: null, expiresAt: null, usesLeft: null, quota: {} };
  const came = { joinedBy: null, label: null, givenName: null, needsApproval: false };
  const whose = { id: '00000000', kind: 'worker', hash, workerId: 'w', labels: {} } as const;
  const disk = { row: { ...whose, ...limits, ...came, ...given } as TokenRow };
  const taken = { over: false };
  const reads: (() => void)[] = [];
  const findToken = () => {
    const read = disk.row;
    return new Promise<TokenRow>((resolve) => void reads.push(() => resolve(read)));
  };
  const tokens = new Tokens({
    store: { findToken } as never,
    runtime,
    loop: {} as never,
    confirm: async () => {
      if (taken.over) throw new Error('taken over');
    },
    isRegistered: () => false,
    waitingBy: () => [],
    stored: [],
  });
  const change = (changed: Partial<TokenRow>) => {
    disk.row = { ...disk.row, ...changed };
  };
  const batch = {
    at: 0,
    about: () => undefined,
    revokeToken: () => change({ revokedAt: 1 }),
    addToken: change,
    afterCommit: (act: () => void) => act(),
  } as unknown as Batch;
  /** Reads end one after the other, also those that are begun meanwhile. */
  const endReads = async () => {
    while (reads.length > 0) {
      reads.shift()!();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { tokens, text, hash, disk, batch, endReads, taken };
}

test('does not remember what was read of a token of a worker before it was revoked', async () => {
  const { tokens, text, hash, batch, endReads } = tokensOfOneWorker();
  const checked = tokens.check(text);
  tokens.revokeOfWorker(batch, hash);
  await endReads();
  expect(await checked).toMatchObject({ is: 'revoked' });
});

test('turns nobody away when another coordinator has taken over, which may have let it in', async () => {
  const { tokens, text, endReads, taken } = tokensOfOneWorker({ needsApproval: true });
  taken.over = true;
  const checked = tokens.check(text).catch((error: unknown) => error);
  await endReads();
  expect(await checked).toMatchObject({ message: 'taken over' });
});

test('does not remember what was read of a token of a worker before somebody let it in', async () => {
  const { tokens, text, disk, batch, endReads } = tokensOfOneWorker({ needsApproval: true });
  const checked = tokens.check(text);
  tokens.keepOfWorker(batch, disk.row, { givenName: 'desk', needsApproval: false });
  await endReads();
  expect(await checked).toMatchObject({ is: 'good', bearer: { givenName: 'desk' } });
});

test('a worker that registers anew has the name that it was given after its socket was opened', async () => {
  const { tokens, text, disk, batch, endReads } = tokensOfOneWorker();
  const checked = tokens.check(text);
  await endReads();
  const opened = await checked;
  tokens.keepOfWorker(batch, disk.row, { givenName: 'desk', needsApproval: false });
  const bearer = opened.is === 'good' ? opened.bearer : null;
  expect(tokens.admit(batch, bearer, 'anew')).toMatchObject({ token: text, givenName: 'desk' });
});
