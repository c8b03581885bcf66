// What an owner keeps while the store is asked and blobs land at the same time.

import { expect, test } from 'vitest';
import { ScriptedCore } from '../../core/testing/scripted-core.ts';
import { OwnerBytes } from './owner-bytes.ts';

function stage() {
  const asked: PromiseWithResolvers<number>[] = [];
  const store = {
    blobBytesOf: () => {
      const answer = Promise.withResolvers<number>();
      asked.push(answer);
      return answer.promise;
    },
  };
  return { bytes: new OwnerBytes(new ScriptedCore().state, store), asked };
}

test('what lands while the store is asked counts, whatever the answer knew of it', async () => {
  const { bytes, asked } = stage();
  const first = bytes.hold('ann');
  asked[0]!.resolve(100);
  const upload = await first;
  upload.take(5);
  expect(upload.used).toBe(105);
  const second = bytes.hold('ann');
  upload.land();
  asked[1]!.resolve(100);
  const other = await second;
  expect(other.used).toBe(105);
  upload.leave();
  expect(other.used).toBe(105);
  const third = bytes.hold('ann');
  asked[2]!.resolve(105);
  expect((await third).used).toBe(105);
});

test('who has nothing on the way is forgotten, and asked for anew', async () => {
  const { bytes, asked } = stage();
  for (const stored of [7, 9]) {
    const holding = bytes.hold('ann');
    asked.at(-1)!.resolve(stored);
    const { used, leave } = await holding;
    expect(used).toBe(stored);
    leave();
  }
  const failing = bytes.hold('ann');
  asked.at(-1)!.reject(new Error('the disk is gone'));
  await expect(failing).rejects.toThrow('the disk is gone');
});
