// Bundles a program and everything it imports into one ES module that can run on another device, without
// types and comments; or refuses it and says what cannot run there, and where that stands.

import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type OutputChunk, type RolldownError, rolldown } from 'rolldown';
import { defaultLimits } from '../../protocol/limits.ts';
import { mapLinkStart } from '../../protocol/program.ts';
import { CommandFailure } from '../command-failure.ts';
import { shownPath } from '../output-file.ts';
import { type Reading, readingOf } from './findings.ts';
import { INJECTED, NodeModules } from './node-modules.ts';
import { placesIn } from './places.ts';
import { moduleSentence, placed, type Verdict, verdictOn } from './verdict.ts';

const EXTENSIONS = /\.[cm]?[jt]s$/;
const FINDINGS_SHOWN = 10;

export interface BundledProgram {
  readonly source: string;
  /** What may fail where it runs, in sentences. */
  readonly doubts: readonly string[];
}

interface Options {
  /** False: what was found is not told, and only what cannot be bundled is refused. Default: true. */
  readonly isChecked?: boolean;
  /** Names that exist where the program runs, because they are sent along with it. */
  readonly brought?: readonly string[];
  /** Whether the source map goes along, so that the places of errors can be told. Default: true. */
  readonly hasMap?: boolean;
}

/** `path`, and the paths in messages, are relative to `folder`. */
export async function bundleProgram(
  path: string,
  folder: string,
  { isChecked = true, brought = [], hasMap = true }: Options = {},
): Promise<BundledProgram> {
  const file = resolve(folder, path);
  await checkFile(path, file);
  const bundle = await build(file, folder, [], brought);
  const first = verdictOf(bundle, folder);
  const names = namesToInject(bundle, first, isChecked);
  const final = names.length === 0 ? bundle : await build(file, folder, names, brought);
  const { problems, doubts } = names.length === 0 ? first : verdictOf(final, folder);
  // What people ask of Node in their own files is refused, also when a package gets a stand-in for it.
  const own =
    names.length === 0 ? [] : first.problems.filter(({ name, isOwn }) => isOwn && isNodesOwn(name));
  const refused = [...own, ...problems].filter(({ isFinal }) => isFinal || isChecked);
  if (refused.length > 0) throw refusal(path, refused);
  const code = final.reading.source;
  const source = hasMap ? withMap(code, final.chunk.map) : code;
  return { source, doubts: isChecked ? doubts : [] };
}

/**
 * The program with its source map in the last line, without the text of the sources: `programMap` finds the
 * places of errors with it. A program that would become too large for a job by it goes without.
 */
function withMap(code: string, map: OutputChunk['map']): string {
  if (map === null) return code;
  const { sources, mappings } = map;
  const json = JSON.stringify({ version: 3, sources, names: [], mappings });
  const mapped = `${code}${mapLinkStart}${Buffer.from(json).toString('base64')}\n`;
  return Buffer.byteLength(mapped) > defaultLimits.programBytes ? code : mapped;
}

async function checkFile(path: string, file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw new CommandFailure('usage', `There is no file "${path}".`);
  if (!found.isFile()) throw new CommandFailure('usage', `"${path}" is not a file.`);
  if (!EXTENSIONS.test(path)) {
    throw new CommandFailure('usage', `"${path}" is not a program: it must end in .js or .ts.`);
  }
}

interface Bundle {
  readonly chunk: OutputChunk;
  readonly modules: NodeModules;
  readonly reading: Reading;
}

/** `names` of Node are imported where a module uses them without. */
async function build(
  file: string,
  folder: string,
  names: readonly string[],
  brought: readonly string[],
): Promise<Bundle> {
  const modules = new NodeModules();
  try {
    const bundler = await rolldown({
      input: file,
      cwd: folder,
      platform: 'browser',
      logLevel: 'silent',
      transform: {
        define: { 'process.env.NODE_ENV': '"production"' },
        inject: Object.fromEntries(names.map((name) => [name, [...INJECTED[name]!]])),
      },
      plugins: [modules.plugin()],
    });
    try {
      const { output } = await bundler.generate({
        dir: folder,
        format: 'esm',
        sourcemap: true,
        codeSplitting: false,
        comments: false,
      });
      const chunk = { ...output[0], code: withoutMapLink(output[0].code) };
      return { chunk, modules, reading: readingOf(chunk.code, brought) };
    } finally {
      await bundler.close();
    }
  } catch (error) {
    throw buildFailure(error, folder);
  }
}

/**
 * Names of Node that the program would miss and that have a stand-in. They are not there for those that only
 * ask: a package that finds `process` may take its device for Node.
 */
function namesToInject(
  { reading }: Bundle,
  { missedInPackages }: Verdict,
  isChecked: boolean,
): readonly string[] {
  const missed = new Set(reading.findings.map(({ name }) => name));
  return Object.keys(INJECTED).filter((name) => {
    const isForPackagesOnly = isChecked && isNodesOwn(name);
    const isMissed = isForPackagesOnly ? missedInPackages.has(name) : missed.has(name);
    return isMissed || reading.loadingNames.has(name);
  });
}

/** A name whose stand-in serves packages, but not those who rely on it. */
function isNodesOwn(name: string): boolean {
  return name === 'process';
}

function verdictOf({ chunk, modules, reading }: Bundle, folder: string): Verdict {
  const { code, map } = chunk;
  const missing = Object.entries(chunk.modules).flatMap(([id, { renderedLength }]) => {
    const module = modules.missing(id);
    return module === undefined || renderedLength === 0 ? [] : [module];
  });
  return verdictOn({
    findings: reading.findings,
    missing,
    importers: modules.importers,
    placeOf: map === null ? () => undefined : placesIn(code, { ...map, sourceRoot: '' }, folder),
    folder,
  });
}

function refusal(path: string, problems: Verdict['problems']): CommandFailure {
  const rest = problems.length - FINDINGS_SHOWN;
  const canBeForced = !problems.some(({ isFinal }) => isFinal);
  return new CommandFailure('usage', `"${basename(path)}" cannot run on other devices:`, [
    ...problems.slice(0, FINDINGS_SHOWN).map(({ sentence }) => `  ${sentence}`),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
    ...(canBeForced ? ['If its tasks do not come to that, submit it with --no-check.'] : []),
  ]);
}

function buildFailure(error: unknown, folder: string): unknown {
  const { errors } = error as { errors?: readonly RolldownError[] };
  const first = errors?.[0];
  if (first === undefined) return error;
  const place =
    first.loc === undefined
      ? undefined
      : `${shownPath(first.loc.file ?? first.id ?? '?', folder)}:${first.loc.line}:${first.loc.column + 1}`;
  return new CommandFailure('usage', placed(place, sentenceOf(first)), [], error);
}

// Under the first line of its message the bundler draws the source; only the line is kept.
function sentenceOf({ kind, code, message, exporter }: RolldownError & { kind?: string }): string {
  if ((kind ?? code) === 'UNRESOLVED_IMPORT' && exporter !== undefined) {
    return moduleSentence(exporter);
  }
  const [line = message] = stripVTControlCharacters(message).split('\n');
  return line.replace(/^\[\w+\] /, '');
}

function withoutMapLink(code: string): string {
  return `${code.replace(/\/\/# sourceMappingURL=.*\s*$/, '').trimEnd()}\n`;
}
