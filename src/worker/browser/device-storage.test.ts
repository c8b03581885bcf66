import { afterEach, describe, expect, test, vi } from 'vitest';
import type { KeptReport } from '../machine/machine.ts';
import { DeviceStorage, nothingKept } from './device-storage.ts';
import { MemoryEntries } from './testing/memory-entries.ts';

afterEach(() => void vi.useRealTimers());

const identity = { workerId: 'w1', workerToken: 'secret' };
const report = (key: string): KeptReport => ({
  key,
  taskId: 'job-1',
  attempt: 1,
  token: 't',
  kind: 'result',
  entryJson: '{"value":1}',
});
const ref = { task_id: 'job-1', attempt: 1, token: 't' };

describe('a storage', () => {
  test('gives back what was kept', async () => {
    const entries = new MemoryEntries();
    const storage = new DeviceStorage(entries);
    storage.saveIdentity(identity);
    storage.saveCoordinatorName('Lab');
    storage.saveRules({ slots: 2 });
    storage.savePaused(true);
    storage.keep([report('a'), report('b')], 'w1');
    storage.letGo(['a']);
    storage.saveHeld([ref]);
    await storage.written();
    expect(await new DeviceStorage(entries).read()).toEqual({
      identity,
      coordinatorName: 'Lab',
      rules: { slots: 2 },
      tally: null,
      isPaused: true,
      reports: [report('b')],
      heldBefore: [ref],
      holding: [],
    });
  });

  test('keeps everything again when the browser or a person has removed it', async () => {
    const entries = new MemoryEntries();
    entries.entries.set('identity', identity);
    const storage = new DeviceStorage(entries);
    await storage.read();
    storage.saveRules({ slots: 2 });
    storage.keep([report('a'), report('b')], 'w1');
    storage.letGo(['a']);
    await storage.written();
    const before = structuredClone(entries.entries);
    entries.entries.clear();
    entries.onLost();
    await storage.written();
    expect(entries.entries).toEqual(before);
    expect([...before.keys()]).toEqual(['identity', 'rules', 'report:b']);
  });

  test('keeps nothing again that it was told to forget', async () => {
    const entries = new MemoryEntries();
    const storage = new DeviceStorage(entries);
    storage.saveIdentity(identity);
    await storage.written();
    await storage.clear();
    entries.onLost();
    await storage.written();
    expect(entries.entries).toEqual(new Map());
  });

  test('writes what changes together at once, and in the order of the changes', async () => {
    const entries = new MemoryEntries();
    const storage = new DeviceStorage(entries);
    storage.saveHeld([ref]);
    storage.saveIdentity(identity);
    await Promise.resolve();
    storage.saveHeld(null);
    await storage.written();
    expect(entries.written.map((changes) => [...changes.keys()])).toEqual([
      ['heldBefore', 'identity'],
      ['heldBefore'],
    ]);
    expect(entries.entries).toEqual(new Map([['identity', identity]]));
  });

  test('gathers reports for a moment, and never writes what is let go before', async () => {
    vi.useFakeTimers();
    const entries = new MemoryEntries();
    const storage = new DeviceStorage(entries);
    storage.keep([report('a'), report('b')], 'w1');
    storage.letGo(['a']);
    await vi.advanceTimersByTimeAsync(50);
    expect(entries.written).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    storage.keep([report('c')], 'w1');
    storage.letGo(['b', 'c']);
    await vi.advanceTimersByTimeAsync(100);
    expect(entries.written.map((changes) => [...changes])).toEqual([
      [['report:b', { workerId: 'w1', report: report('b') }]],
      [['report:b', undefined]],
    ]);
    expect(entries.entries.size).toBe(0);
  });

  test('removes reports of an earlier life once they are let go', async () => {
    const entries = new MemoryEntries();
    const before = new DeviceStorage(entries);
    before.saveIdentity(identity);
    before.keep([report('a')], 'w1');
    await before.written();
    const storage = new DeviceStorage(entries);
    await storage.read();
    storage.letGo(['a']);
    await storage.written();
    expect([...entries.entries.keys()]).toEqual(['identity']);
  });

  test('has begun to write when it is told that there is no later', () => {
    const entries = new MemoryEntries();
    const write = vi.spyOn(entries, 'write');
    const storage = new DeviceStorage(entries);
    storage.saveHeld([ref]);
    storage.flush();
    expect(write).toHaveBeenCalledOnce();
  });

  test('does not hand out the reports of another worker, and removes them', async () => {
    const entries = new MemoryEntries();
    const storage = new DeviceStorage(entries);
    storage.saveIdentity(identity);
    storage.keep([report('a')], 'w0');
    storage.keep([report('b')], 'w1');
    await storage.written();
    const next = new DeviceStorage(entries);
    expect((await next.read()).reports).toEqual([report('b')]);
    await next.written();
    expect([...entries.entries.keys()]).toEqual(['identity', 'report:b']);
  });

  test('takes nothing that is damaged', async () => {
    const entries = new MemoryEntries();
    entries.entries.set('identity', { workerId: 'w1', workerToken: 'secret' });
    entries.entries.set('report:a', { workerId: 'w1', report: { key: 'a' } });
    entries.entries.set('report:b', 7);
    entries.entries.set('heldBefore', [ref, { task_id: 1 }, null]);
    entries.entries.set('tally', 'x');
    const kept = await new DeviceStorage(entries).read();
    expect(kept).toMatchObject({ identity, tally: null, reports: [], heldBefore: [ref] });
  });

  test('without an identity held nothing before', async () => {
    const entries = new MemoryEntries();
    entries.entries.set('heldBefore', [ref]);
    expect((await new DeviceStorage(entries).read()).heldBefore).toBeNull();
  });

  test('is empty once it was cleared, whatever was to be written', async () => {
    const entries = new MemoryEntries();
    const storage = new DeviceStorage(entries);
    storage.saveIdentity(identity);
    await storage.written();
    storage.saveRules({});
    await storage.clear();
    await storage.written();
    expect(entries.entries.size).toBe(0);
  });
});

describe('a storage that is withheld', () => {
  test('keeps nothing and says so', async () => {
    const storage = new DeviceStorage(null);
    storage.saveIdentity(identity);
    await storage.written();
    expect([storage.isWithheld, await storage.read()]).toEqual([true, nothingKept]);
  });

  test('because it fails says so until it works again', async () => {
    const entries = new MemoryEntries();
    const said: boolean[] = [];
    const storage = new DeviceStorage(entries, () => said.push(storage.isWithheld));
    entries.mood = 'fails';
    expect(await storage.read()).toEqual(nothingKept);
    entries.mood = 'well';
    storage.saveIdentity(identity);
    await storage.written();
    expect(said).toEqual([true, false]);
  });

  test('because it does not answer blocks nobody for more than two seconds', async () => {
    vi.useFakeTimers();
    const entries = new MemoryEntries();
    entries.mood = 'silent';
    const storage = new DeviceStorage(entries);
    const reading = storage.read();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await reading).toEqual(nothingKept);
    storage.saveIdentity(identity);
    const writing = storage.written();
    await vi.advanceTimersByTimeAsync(2_000);
    await writing;
    expect(storage.isWithheld).toBe(true);
  });
});
