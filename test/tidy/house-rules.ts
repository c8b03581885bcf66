// The rules of the house that a machine can check, beside the import table. Each takes a file and
// returns sentences about what is wrong in it.

import { posix } from 'node:path';
import {
  commentsOf,
  importsOf,
  isCode,
  isTest,
  lineOf,
  type SourceFile,
  type SyntaxNode,
  visit,
} from './source-files.ts';

const LINES_WARN = 400;
const LINES_MAX = 600;
const LINES_MAX_TEST = 800;

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;
// A function that fits into no file means that a noun is missing; these names hide that.
const EMPTY_WORD = /^(utils?|common|helpers?|misc|managers?|services?|handlers?)$/;

export function nameFaults(file: SourceFile): string[] {
  return file.path.split('/').flatMap((part) => {
    if (/^[A-Z]+\.md$/.test(part)) return []; // README.md and its like, known by their capitals
    const [name = '', ...endings] = part.split('.');
    const faults: string[] = [];
    if (![name, ...endings].every((each) => KEBAB.test(each))) {
      faults.push(`${file.path}: "${part}" is not in kebab-case`);
    }
    if (name === 'types' || name.split('-').some((word) => EMPTY_WORD.test(word))) {
      faults.push(`${file.path}: "${part}" says nothing; name the noun that it holds`);
    }
    return faults;
  });
}

export function lengthFaults(file: SourceFile): string[] {
  const limit = isTest(file) ? LINES_MAX_TEST : LINES_MAX;
  const lines = lineCount(file);
  return lines > limit ? [`${file.path}: ${lines} lines, at most ${limit}`] : [];
}

/** Warnings, not faults: files that should be divided before they grow further. */
export function lengthWarnings(file: SourceFile): string[] {
  const lines = lineCount(file);
  const isNear = !isTest(file) && lines > LINES_WARN && lines <= LINES_MAX;
  return isNear ? [`${file.path}: ${lines} lines; above ${LINES_WARN}, think of its nouns`] : [];
}

function lineCount(file: SourceFile): number {
  return file.text.trimEnd().split('\n').length;
}

export function commentFaults(file: SourceFile): string[] {
  return commentsOf(file).flatMap((comment) => {
    const faults: string[] = [];
    if (/\b(TODO|FIXME|XXX)\b(?!\s*\(?#\d+)/.test(comment)) {
      faults.push(`${file.path}: a TODO without the number of its issue:${comment}`);
    }
    if (/\b(oxlint|eslint)-disable(?!.* -- \S)/.test(comment)) {
      faults.push(`${file.path}: a rule is switched off without a reason (" -- why"):${comment}`);
    }
    if (/@ts-(ignore|nocheck)|biome-ignore/.test(comment)) {
      faults.push(`${file.path}: hides what a tool says:${comment}`);
    }
    return faults;
  });
}

/** Tests that are never run, or that keep the others from being run. */
export function silencedTestFaults(file: SourceFile): string[] {
  if (!isTest(file)) return [];
  const faults: string[] = [];
  visit(file, (node) => {
    if (node.type !== 'MemberExpression') return;
    const name = identifier(node['property']);
    const isSilencing = name === 'skip' || name === 'only' || name === 'todo';
    if (isSilencing && isTestFunction(node['object'])) {
      faults.push(`${at(file, node)}: .${name} silences tests; skip with a reason in the context`);
    }
  });
  return faults;
}

function isTestFunction(value: unknown): boolean {
  const node = value as SyntaxNode | undefined;
  if (node?.type === 'MemberExpression') return isTestFunction(node['object']);
  return ['test', 'it', 'describe', 'suite'].includes(identifier(node) ?? '');
}

/** Only the CLI reads the environment: what a room needs to know is handed to it. */
export function environmentFaults(file: SourceFile): string[] {
  const isAllowed = !file.path.startsWith('src/') || file.path.startsWith('src/cli/');
  if (isAllowed || isTest(file)) return [];
  const faults = importsOf(file)
    .filter(({ specifier }) => /^(node:)?process$/.test(specifier))
    .map(() => `${file.path}: imports node:process; use the global, so that this rule can see it`);
  visit(file, (node) => {
    if (isMember(node, 'process', 'env')) {
      faults.push(`${at(file, node)}: reads the environment; only cli/ does`);
    }
  });
  return faults;
}

/** The commands hand their streams to the terminal there; the simulator shows its own seeds only. */
const SPEAKS = new Set(['src/cli/main.ts', 'src/simulator/main.ts']);

/**
 * What others have written reaches a screen through the terminal of the command line alone
 * (`src/cli/text/terminal.ts`), which shows what would hide or forge. So nobody else has a stream to it.
 */
export function speechFaults(file: SourceFile): string[] {
  if (!file.path.startsWith('src/') || SPEAKS.has(file.path) || isTest(file)) return [];
  const faults = importsOf(file)
    .filter(({ specifier }) => /^(node:)?(process|console|tty)$/.test(specifier))
    .map(({ specifier }) => `${file.path}: imports ${specifier}; speak through the terminal`);
  visit(file, (node) => {
    const isStream = isMember(node, 'process', 'stdout') || isMember(node, 'process', 'stderr');
    const isTakenApart =
      node.type === 'VariableDeclarator' &&
      /^(process|console)$/.test(identifier(node['init']) ?? '');
    const isConsole = node.type === 'MemberExpression' && identifier(node['object']) === 'console';
    const isPassedOn = node.type === 'Literal' && node['value'] === 'inherit';
    const isDestination = isMember(node, 'pino', 'destination');
    if (isStream || isTakenApart || isConsole || isPassedOn || isDestination) {
      faults.push(
        `${at(file, node)}: speaks past the terminal; only src/cli/text/terminal.ts writes`,
      );
    }
  });
  return faults;
}

const PURE = /^src\/(core|protocol|scheduling|evaluation|worker\/machine)(\/|\.ts$)/;

/**
 * In the pure rooms time is a command and chance is handed in. The lint bans what has a name of its
 * own (Date.now, performance, Math.random, …); it cannot see a Date made of nothing.
 */
export function clockFaults(file: SourceFile): string[] {
  if (!PURE.test(file.path) || isTest(file)) return [];
  const faults: string[] = [];
  visit(file, (node) => {
    const isDate = identifier(node['callee']) === 'Date';
    const isNow =
      (node.type === 'CallExpression' && isDate) ||
      (node.type === 'NewExpression' && isDate && (node['arguments'] as unknown[]).length === 0);
    if (isNow) faults.push(`${at(file, node)}: reads the clock`);
  });
  return faults;
}

// Written so that the pattern does not find itself.
const MACHINE_PATH = /(^|[\s"'`(=:])(\/(home|Users|root|work|private|mnt|srv)\/\w|[A-Z]:\\\w)/m;

/** A path that exists on the author's machine only. */
export function machinePathFaults(file: SourceFile): string[] {
  const match = MACHINE_PATH.exec(file.text);
  if (match === null) return [];
  return [`${file.path}:${lineOf(file, match.index)}: a path of one machine: ${match[0].trim()}…`];
}

/** Links of a document to files of the repository that are not there. */
export function linkFaults(file: SourceFile, isPresent: (path: string) => boolean): string[] {
  const prose = file.text.replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/\]\(([^)\s#]+)(#[^)]*)?\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => posix.join(posix.dirname(file.path), target))
    .filter((path) => !isPresent(path))
    .map((path) => `${file.path}: links to ${path}, which does not exist`);
}

/** With a number or a name to fill in. */
const PLACEHOLDER = /\b(000N-what|jobs\/pi|store\/postgres\/open)\.ts$/;

/**
 * Files that comments and documents for contributors name, with or without folders, and that are
 * not there.
 */
export function mentionFaults(file: SourceFile, paths: readonly string[]): string[] {
  const isForContributors = /^(ARCHITECTURE|CONTRIBUTING|docs\/internals\/.*)\.md$/.test(file.path);
  const texts = isCode(file) ? commentsOf(file) : isForContributors ? [file.text] : [];
  return texts
    .flatMap((text) => [...text.matchAll(/(?<![\w/*{}.-])((?:[\w.-]+\/)*[\w-]+(?:\.\w+)?\.ts)\b/g)])
    .map((match) => (match[1] ?? '').replace(/^(\.\.?\/)+/, ''))
    .filter((name) => !PLACEHOLDER.test(name))
    .filter((name) => !paths.some((path) => path === name || path.endsWith(`/${name}`)))
    .map((name) => `${file.path}: names ${name}, which does not exist`);
}

function isMember(node: SyntaxNode, object: string, property: string): boolean {
  return (
    node.type === 'MemberExpression' &&
    identifier(node['object']) === object &&
    (identifier(node['property']) === property ||
      (node['property'] as SyntaxNode)['value'] === property)
  );
}

function identifier(value: unknown): string | undefined {
  const node = value as SyntaxNode | undefined;
  return node?.type === 'Identifier' ? (node['name'] as string) : undefined;
}

function at(file: SourceFile, node: SyntaxNode): string {
  return `${file.path}:${lineOf(file, node.start)}`;
}
