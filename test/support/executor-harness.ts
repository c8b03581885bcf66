// The executor of a PC, with processes for children.

import {
  createNodeExecutor,
  type NodeExecutor,
  type NodeExecutorOptions,
} from '../../src/worker/node/node-executor.ts';
import { TaskHarness } from './task-harness.ts';
import { builtCodeDir } from './warm-machine.ts';

export class ExecutorHarness extends TaskHarness {
  readonly executor: NodeExecutor;

  constructor(options: Partial<NodeExecutorOptions> = {}) {
    super();
    this.executor = createNodeExecutor({
      slots: 1,
      memoryLimitMb: 256,
      softKillMs: 100,
      codeDir: builtCodeDir,
      ...options,
      listener: (event) => {
        this.hear(event);
      },
      onOutput: (_slot, key, text) => {
        this.hearOutput(key, text);
      },
    });
  }

  children(): readonly number[] {
    return this.executor.childPids();
  }

  crash(): void {
    process.kill(this.executor.childPids()[0]!, 'SIGKILL');
  }
}
