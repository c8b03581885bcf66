// Bundles a program and everything it imports into one ES module that can run on another device, without
// types and comments; or refuses it and says what cannot run there, and where that stands.

import { stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type OutputChunk, type Plugin, type RolldownError, rolldown } from 'rolldown';
import { defaultLimits } from '../../protocol/limits.ts';
import { mapLinkStart } from '../../protocol/program.ts';
import { CommandFailure } from '../command-failure.ts';
import { shownPath } from '../output-file.ts';
import { findingsIn } from './findings.ts';
import { importPlace, placesIn } from './places.ts';

const EXTENSIONS = /\.[cm]?[jt]s$/;
const FINDINGS_SHOWN = 10;

/** `path`, and the paths in messages, are relative to `folder`. */
export async function bundleProgram(path: string, folder: string): Promise<string> {
  const file = resolve(folder, path);
  await checkFile(path, file);
  const uses: ModuleUses = new Map();
  const chunk = await build(file, folder, uses);
  const problems = [...requireProblems(uses, folder), ...travelProblems(chunk, uses, folder)];
  if (problems.length > 0) throw refusal(path, problems);
  return withMap(chunk);
}

/**
 * The program with its source map in the last line, without the text of the sources: `programMap` finds the
 * places of errors with it. A program that would become too large for a job by it goes without.
 */
function withMap({ code, map }: OutputChunk): string {
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

/**
 * By module: who imports it, and whether it is a module of Node that is required, which bundling
 * keeps.
 */
type ModuleUses = Map<string, { readonly importer: string; readonly isRequired: boolean }>;

async function build(file: string, folder: string, uses: ModuleUses): Promise<OutputChunk> {
  try {
    const bundler = await rolldown({
      input: file,
      cwd: folder,
      platform: 'browser',
      logLevel: 'silent',
      transform: { define: { 'process.env.NODE_ENV': '"production"' } },
      plugins: [keepBuiltinsOut(uses)],
    });
    try {
      const { output } = await bundler.generate({
        dir: folder,
        format: 'esm',
        sourcemap: true,
        codeSplitting: false,
        comments: false,
      });
      return { ...output[0], code: withoutMapLink(output[0].code) };
    } finally {
      await bundler.close();
    }
  } catch (error) {
    throw buildFailure(error, folder);
  }
}

/** Keeps Node's own modules out of the bundle. Unused imports of them vanish; the others are reported. */
function keepBuiltinsOut(uses: ModuleUses): Plugin {
  return {
    name: 'muster:builtins',
    resolveId(specifier, importer, { kind }) {
      if (importer === undefined) return null;
      const isRequired = isBuiltin(specifier) && kind === 'require-call';
      if (isRequired || !uses.has(specifier)) uses.set(specifier, { importer, isRequired });
      if (!isBuiltin(specifier)) return null;
      return { id: specifier, external: true, moduleSideEffects: false };
    },
  };
}

function requireProblems(uses: ModuleUses, folder: string): readonly string[] {
  return [...uses]
    .filter(([, { isRequired }]) => isRequired)
    .map(([specifier]) => moduleProblem(specifier, uses, folder));
}

function travelProblems(chunk: OutputChunk, uses: ModuleUses, folder: string): readonly string[] {
  const { map } = chunk;
  const placeOf =
    map === null ? () => undefined : placesIn(chunk.code, { ...map, sourceRoot: '' }, folder);
  return findingsIn(chunk.code).map((finding) =>
    finding.type === 'module'
      ? moduleProblem(finding.specifier, uses, folder)
      : placed(finding.offset === null ? undefined : placeOf(finding.offset), finding.sentence),
  );
}

/** The source map of a bundle has no entries for imports, so the importing file is searched. */
function moduleProblem(specifier: string, uses: ModuleUses, folder: string): string {
  const importer = uses.get(specifier)?.importer;
  const sentence = isBuiltin(specifier)
    ? `"${specifier}" is a part of Node, and tasks run in a sandbox without it`
    : cannotFind(specifier);
  return placed(importer && importPlace(importer, specifier, folder), sentence);
}

function placed(place: string | undefined, sentence: string): string {
  return place === undefined ? sentence : `${place}: ${sentence}`;
}

function refusal(path: string, problems: readonly string[]): CommandFailure {
  const rest = problems.length - FINDINGS_SHOWN;
  return new CommandFailure('usage', `"${basename(path)}" cannot run on other devices:`, [
    ...problems.slice(0, FINDINGS_SHOWN).map((problem) => `  ${problem}`),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
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
    return cannotFind(exporter);
  }
  const [line = message] = stripVTControlCharacters(message).split('\n');
  return line.replace(/^\[\w+\] /, '');
}

function cannotFind(specifier: string): string {
  const isPackage = !/^[./]/.test(specifier);
  const advice = isPackage ? '; is the package installed beside the program?' : '';
  return `cannot find "${specifier}"${advice}`;
}

function withoutMapLink(code: string): string {
  return `${code.replace(/\/\/# sourceMappingURL=.*\s*$/, '').trimEnd()}\n`;
}
