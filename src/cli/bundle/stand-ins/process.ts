// Stands in for `process` in a bundle: what packages look at to learn where they are. It tells of no device.

type Listener = (...args: unknown[]) => void;

const nothing = (): void => {};

const standIn = {
  title: 'task',
  browser: true,
  env: { NODE_ENV: 'production' } as Record<string, string | undefined>,
  argv: [] as string[],
  execArgv: [] as string[],
  version: '',
  versions: {} as Record<string, string>,
  platform: 'task',
  arch: 'task',
  pid: 1,
  cwd: () => '/',
  uptime: () => 0,
  hrtime: Object.assign(() => [0, 0], { bigint: () => 0n }),
  memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
  nextTick: (listener: Listener, ...args: unknown[]) => {
    queueMicrotask(() => {
      listener(...args);
    });
  },
  emitWarning: nothing,
  on: nothing,
  once: nothing,
  off: nothing,
  addListener: nothing,
  removeListener: nothing,
  emit: () => false,
};

export const {
  argv,
  arch,
  browser,
  cwd,
  emitWarning,
  env,
  hrtime,
  nextTick,
  pid,
  platform,
  version,
  versions,
} = standIn;

// oxlint-disable-next-line import/no-default-export -- because Node's module has one
export default standIn;
