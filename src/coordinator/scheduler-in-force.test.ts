import { expect, test } from 'vitest';
import { createMemoryDisk } from '../store/memory/memory-disk.ts';
import { createMemoryStore } from '../store/memory/memory-store.ts';
import { createCoordinator } from './coordinator.ts';
import { createRealRuntime } from './real-runtime.ts';

test('what was in force begins with the first start, whose own option may set it', async () => {
  const disk = createMemoryDisk();
  const told = async (algorithm?: 'edas' | 'wrr' | 'mabac') => {
    const coordinator = await createCoordinator({
      store: createMemoryStore(disk),
      runtime: createRealRuntime(),
      ...(algorithm && { algorithm }),
    });
    const history = await coordinator.scheduler.history(9);
    await coordinator.stop();
    return history.map((entry) => entry.algorithm);
  };
  expect(await told('edas')).toEqual(['edas']);
  expect(await told('wrr')).toEqual(['wrr', 'edas']);
  expect(await told()).toEqual(['wrr', 'edas']);
  // Of a database of before, in which the first one was not noted.
  disk.schedulerChanges = [];
  expect(await told()).toEqual(['wrr']);
  expect(await told('mabac')).toEqual(['mabac', 'wrr']);
});
