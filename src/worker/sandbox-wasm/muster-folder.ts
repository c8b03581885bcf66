// The folder `/muster`, by which an ordinary program has checkpoints, progress and the order to stop without any
// library. `stop` and `due` are there while they are true. A program offers a state, or tells its progress, by
// writing the file and closing it, or by renaming another one to its name.

import type { GuestTask } from '../sandbox/guest.ts';
import { TextPieces } from './engine.ts';
import { type FileNode, FolderNode, type Node } from './file-nodes.ts';
import type { FileTree, OpenOptions } from './file-tree.ts';

const stateName = 'state';
const progressName = 'progress';
const sharedName = 'shared';
const stopName = 'stop';
const dueName = 'due';

const nothing = new Uint8Array(0);
/** A report of progress is short; what is behind that is not looked at. */
const progressBytes = 1024;

const writing: OpenOptions = {
  creates: true,
  isExclusive: false,
  wantsFolder: false,
  truncates: true,
  writes: true,
};

export interface FolderPorts {
  readonly task: () => GuestTask;
  /** The program has looked whether it shall stop: it means to stop by itself. */
  readonly askedWhetherToStop: () => void;
  readonly offer: (state: Uint8Array) => void;
}

export class MusterFolder extends FolderNode {
  readonly #ports: FolderPorts;
  readonly #stop: FileNode;
  readonly #due: FileNode;

  constructor(tree: FileTree, ports: FolderPorts) {
    super(tree.nextId(), tree.root, true);
    this.#ports = ports;
    this.#stop = tree.given(nothing);
    this.#due = tree.given(nothing);
    tree.root.set('muster', this);
  }

  /** Those are the runner's. */
  override accepts(name: string): boolean {
    return name !== stopName && name !== dueName && name !== sharedName;
  }

  /** The value that all tasks of the job share. */
  share(file: FileNode): void {
    this.set(sharedName, file);
  }

  /** Another attempt begins. */
  clear(tree: FileTree): void {
    for (const name of [stateName, progressName]) {
      if (super.find(name) !== undefined) tree.removeFile(this, name);
    }
  }

  /** Puts the state that an attempt resumes from where the program looks for it. */
  place(tree: FileTree, state: Uint8Array): void {
    const file = tree.open(this, stateName, writing);
    if (typeof file !== 'number' && file.type === 'file') file.write(0, state);
  }

  override find(name: string): Node | undefined {
    if (name === stopName) {
      this.#ports.askedWhetherToStop();
      return this.#ports.task().isStopped() ? this.#stop : undefined;
    }
    if (name === dueName) return this.#ports.task().isCheckpointDue() ? this.#due : undefined;
    return super.find(name);
  }

  override names(): string[] {
    const task = this.#ports.task();
    this.#ports.askedWhetherToStop();
    return [
      ...super.names(),
      ...(task.isStopped() ? [stopName] : []),
      ...(task.isCheckpointDue() ? [dueName] : []),
    ];
  }

  /** A file was written and closed, or moved. Is it one of those that say something? */
  settled(node: Node): void {
    if (node.type !== 'file') return;
    if (super.find(stateName) === node) return this.#offer(node);
    if (super.find(progressName) === node) this.#report(node);
  }

  #offer(file: FileNode): void {
    if (file.size > 0) this.#ports.offer(file.content());
  }

  #report(file: FileNode): void {
    const text = new TextPieces().next(file.content().subarray(0, progressBytes));
    const [share = '', ...rest] = text.split('\n');
    const message = rest.join('\n').trim();
    if (share.trim() !== '')
      this.#ports.task().report(Number(share), message === '' ? null : message);
  }
}
