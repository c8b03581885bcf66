// The files that a program sees: a tree in memory, with what was given with the program, the folder `/muster`, and
// `/tmp` to begin with. Nothing of the device is in it. Paths are relative to a folder and never lead above it.

import { errno, type Errno } from './errno.ts';
import { FileBudget } from './file-budget.ts';
import { FileNode, FolderNode, isWithin, type Node } from './file-nodes.ts';

const pathMost = 4096;
const nameMost = 255;

/** Where a path leads to: perhaps to nothing yet. */
interface Place {
  readonly folder: FolderNode;
  /** Empty: the folder itself. */
  readonly name: string;
  readonly node: Node | undefined;
  /** The path ends with a slash: it means a folder. */
  readonly wantsFolder: boolean;
}

export interface OpenOptions {
  readonly creates: boolean;
  readonly isExclusive: boolean;
  readonly wantsFolder: boolean;
  readonly truncates: boolean;
  readonly writes: boolean;
}

export class FileTree {
  readonly root: FolderNode;
  readonly #budget: FileBudget;
  /** A program in steps may write no files: its checkpoints would not have them. */
  readonly #isReadOnly: boolean;
  #lastId = 1;

  constructor(mostBytes: number, isReadOnly: boolean) {
    this.#budget = new FileBudget(mostBytes);
    this.#isReadOnly = isReadOnly;
    this.root = new FolderNode(1, null, true);
    this.root.set('tmp', new FolderNode(this.nextId(), this.root, true));
  }

  nextId(): number {
    return ++this.#lastId;
  }

  /** A file of the program, with all folders on its way. */
  give(path: string, bytes: Uint8Array): void {
    const names = path.split('/').filter((name) => name !== '');
    const last = names.pop();
    if (last === undefined) return;
    let folder = this.root;
    for (const name of names) {
      let next = folder.find(name);
      if (next === undefined) {
        next = new FolderNode(this.nextId(), folder, true);
        folder.set(name, next);
      }
      if (next.type !== 'folder') return;
      folder = next;
    }
    folder.set(last, this.given(bytes));
  }

  /** A file that cannot be changed and counts for nothing. */
  given(bytes: Uint8Array): FileNode {
    return new FileNode(this.nextId(), this.#budget, bytes);
  }

  find(base: FolderNode, path: string): Node | Errno {
    const place = this.#resolve(base, path);
    if (typeof place === 'number') return place;
    return place.node ?? errno.noEntry;
  }

  open(base: FolderNode, path: string, options: OpenOptions): Node | Errno {
    const place = this.#resolve(base, path);
    if (typeof place === 'number') return place;
    const { folder, name, node, wantsFolder } = place;
    if (node === undefined) {
      if (!options.creates) return errno.noEntry;
      if (wantsFolder || options.wantsFolder) return errno.invalid;
      return this.#create(folder, name);
    }
    if (options.creates && options.isExclusive) return errno.exists;
    if (node.type === 'folder') {
      return options.writes || options.truncates ? errno.isFolder : node;
    }
    if (options.wantsFolder) return errno.notFolder;
    if ((options.writes || options.truncates) && this.#cannotChange(node)) return errno.readOnly;
    if (options.truncates) node.resize(0);
    return node;
  }

  makeFolder(base: FolderNode, path: string): Errno {
    const place = this.#resolve(base, path);
    if (typeof place === 'number') return place;
    if (place.node !== undefined) return errno.exists;
    const fault = this.#takeEntry(place.folder, place.name);
    if (fault !== errno.success) return fault;
    place.folder.set(place.name, new FolderNode(this.nextId(), place.folder, false));
    return errno.success;
  }

  removeFolder(base: FolderNode, path: string): Errno {
    const place = this.#resolve(base, path);
    if (typeof place === 'number') return place;
    const { folder, name, node } = place;
    if (node === undefined) return errno.noEntry;
    if (node.type !== 'folder') return errno.notFolder;
    if (name === '') return errno.invalid;
    if (this.#cannotChange(node)) return errno.readOnly;
    if (!node.isEmpty) return errno.notEmpty;
    folder.delete(name);
    node.parent = null;
    this.#budget.giveBackEntry();
    return errno.success;
  }

  removeFile(base: FolderNode, path: string): Errno {
    const place = this.#resolve(base, path);
    if (typeof place === 'number') return place;
    const { folder, name, node } = place;
    if (node === undefined) return errno.noEntry;
    if (node.type === 'folder') return errno.isFolder;
    if (this.#cannotChange(node)) return errno.readOnly;
    folder.delete(name);
    node.unlinked();
    return errno.success;
  }

  rename(from: FolderNode, oldPath: string, to: FolderNode, newPath: string): Errno {
    const old = this.#resolve(from, oldPath);
    if (typeof old === 'number') return old;
    const next = this.#resolve(to, newPath);
    if (typeof next === 'number') return next;
    const { node } = old;
    if (node === undefined) return errno.noEntry;
    if (old.name === '' || next.name === '') return errno.invalid;
    if (node === next.node) return errno.success;
    const fault = this.#faultOfMove(node, next);
    if (fault !== errno.success) return fault;
    old.folder.delete(old.name);
    this.#drop(next.node);
    next.folder.set(next.name, node);
    return errno.success;
  }

  #faultOfMove(node: Node, next: Place): Errno {
    if (this.#cannotChange(node)) return errno.readOnly;
    if (!next.folder.accepts(next.name)) return errno.notPermitted;
    const replaced = next.node;
    if (node.type === 'folder') {
      if (isWithin(next.folder, node)) return errno.invalid;
      if (replaced === undefined) return errno.success;
      if (replaced.type !== 'folder') return errno.notFolder;
      if (!replaced.isEmpty) return errno.notEmpty;
      return this.#cannotChange(replaced) ? errno.readOnly : errno.success;
    }
    if (next.wantsFolder) return errno.notFolder;
    if (replaced === undefined) return errno.success;
    if (replaced.type === 'folder') return errno.isFolder;
    return this.#cannotChange(replaced) ? errno.readOnly : errno.success;
  }

  /** What a move puts another in the place of. */
  #drop(node: Node | undefined): void {
    if (node === undefined) return;
    if (node.type === 'file') return node.unlinked();
    node.parent = null;
    this.#budget.giveBackEntry();
  }

  #create(folder: FolderNode, name: string): FileNode | Errno {
    const fault = this.#takeEntry(folder, name);
    if (fault !== errno.success) return fault;
    const file = new FileNode(this.nextId(), this.#budget);
    folder.set(name, file);
    return file;
  }

  #takeEntry(folder: FolderNode, name: string): Errno {
    if (this.#isReadOnly) return errno.readOnly;
    if (!folder.accepts(name)) return errno.notPermitted;
    return this.#budget.takeEntry() ? errno.success : errno.noSpace;
  }

  /** Neither itself nor where it is. */
  #cannotChange(node: Node): boolean {
    return this.#isReadOnly || (node.type === 'file' ? node.isReadOnly : node.isKept);
  }

  #resolve(base: FolderNode, path: string): Place | Errno {
    if (path.length > pathMost) return errno.nameTooLong;
    if (path === '') return errno.noEntry;
    if (path.includes('\0')) return errno.invalid;
    if (path.startsWith('/')) return errno.notCapable;
    const way: FolderNode[] = [base];
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    const wantsFolder = /(?:^|\/)\.{0,2}$/.test(path);
    for (const [index, name] of names.entries()) {
      const folder = way.at(-1)!;
      if (name === '..') {
        way.pop();
        if (way.length === 0) return errno.notCapable;
        continue;
      }
      if (name.length > nameMost) return errno.nameTooLong;
      const node = folder.find(name);
      if (index === names.length - 1) {
        if (wantsFolder && node?.type === 'file') return errno.notFolder;
        return { folder, name, node, wantsFolder };
      }
      if (node === undefined) return errno.noEntry;
      if (node.type !== 'folder') return errno.notFolder;
      way.push(node);
    }
    const folder = way.at(-1)!;
    return { folder, name: '', node: folder, wantsFolder: true };
  }
}
