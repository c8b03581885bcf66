// The door of the room: the worker on a PC, and the parts that others drive or replace.

export type { RunningWorker, WorkerEnd, WorkerLogEntry } from '../agent.ts';
export type { Executor, ExecutorEvent, ExecutorListener } from '../executor.ts';
export type {
  MachineInput,
  MachineOptions,
  MachineOutput,
  MachineTimer,
  MachineTuning,
  WorkerIdentity,
} from '../machine/machine.ts';
export { defaultTuning, exitCodes, WorkerMachine } from '../machine/machine.ts';
export {
  bubblewrapAdvice,
  chooseConfinement,
  IsolationError,
  type IsolationUse,
  isolationUses,
} from './confinement.ts';
export { createNodeExecutor, type NodeExecutor } from './node-executor.ts';
export type { WorkerOptions } from './run-worker.ts';
export { runWorker, WorkerAddressError } from './run-worker.ts';
export { StateDirectory, StateDirectoryError } from './state-directory.ts';
