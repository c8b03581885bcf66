// Judges what was found in a bundle: what keeps it from running is a problem; what may do no harm is a doubt.
// In their own files people can mend what may go wrong, so there it is a problem as well; in a package it is
// one only if it is certain.

import { isBuiltin } from 'node:module';
import type { Finding } from './findings.ts';
import { isOwnFile, isStandIn, isTable, type MissingModule } from './node-modules.ts';
import { importPlace, type Place } from './places.ts';

export interface Verdict {
  readonly problems: readonly Problem[];
  /** Sentences. */
  readonly doubts: readonly string[];
  readonly missedInPackages: ReadonlySet<string>;
}

interface Problem {
  /** What is missing. */
  readonly name: string;
  /** Whether it stands in the person's own files. */
  readonly isOwn: boolean;
  readonly sentence: string;
  /** No bundle can be made with it. */
  readonly isFinal: boolean;
}

interface Bundled {
  readonly findings: readonly Finding[];
  readonly missing: readonly MissingModule[];
  /** The first file that imports a module. */
  readonly importers: ReadonlyMap<string, string>;
  readonly placeOf: (offset: number) => Place | undefined;
  /** Paths are shown relative to it. */
  readonly folder: string;
}

const PACKAGES_SHOWN = 5;
const NAMES_SHOWN = 6;

export function verdictOn({ findings, missing, importers, placeOf, folder }: Bundled): Verdict {
  const problems: Problem[] = [];
  const doubts: string[] = [];
  const inPackages = new Map<string, Set<string>>();
  const seen = new Set<string>();
  const missedInPackages = new Set<string>();

  const noteInPackage = (file: string, name: string) => {
    const names = inPackages.get(packageOf(file)) ?? new Set();
    inPackages.set(packageOf(file), names.add(name));
  };
  for (const { specifier, importer } of missing) {
    if (!isOwnFile(importer)) noteInPackage(importer, specifier);
    else {
      const place = importPlace(importer, specifier, folder);
      problems.push({
        name: specifier,
        isOwn: true,
        sentence: placed(place, moduleSentence(specifier)),
        isFinal: isTable(specifier),
      });
    }
  }
  for (const { type, offset, name, sentence, weight } of findings) {
    if (type === 'module') {
      const importer = importers.get(name);
      const place = importer && importPlace(importer, name, folder);
      problems.push({
        name,
        isOwn: true,
        sentence: placed(place, moduleSentence(name)),
        isFinal: true,
      });
      continue;
    }
    const place = offset === null ? undefined : placeOf(offset);
    if (place !== undefined && isStandIn(place.file)) continue;
    const isOwn = place === undefined ? weight === 'certain' : isOwnFile(place.file);
    const isProblem = isOwn ? weight !== 'caught' : weight === 'certain' || weight === 'loading';
    if (!isOwn) missedInPackages.add(name);
    // Each name once, in the person's own files and in packages; elsewhere it may have no place at all.
    if (type === 'name' && isSeen(seen, `${isOwn} ${isProblem} ${place?.file} ${name}`)) continue;
    const told = placed(place?.text, sentence);
    if (isProblem) problems.push({ name, isOwn, sentence: told, isFinal: false });
    else if (isOwn) doubts.push(told);
    else if (place !== undefined) noteInPackage(place.file, name);
  }
  return { problems, doubts: [...doubts, ...packageDoubts(inPackages)], missedInPackages };
}

export function moduleSentence(specifier: string): string {
  if (isTable(specifier)) {
    return (
      `"${specifier}" is no module: its rows are inputs with --csv FILE, whole files with ` +
      "--files 'data/*.csv'"
    );
  }
  if (isBuiltin(specifier)) {
    return `"${specifier}" is a part of Node, and tasks run in a sandbox without it`;
  }
  const isPackage = !/^[./]/.test(specifier);
  const advice = isPackage ? '; is the package installed beside the program?' : '';
  return `cannot find "${specifier}"${advice}`;
}

export function placed(place: string | undefined, sentence: string): string {
  return place === undefined ? sentence : `${place}: ${sentence}`;
}

function isSeen(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return true;
  seen.add(key);
  return false;
}

function packageOf(file: string): string {
  const name = /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(file)?.[1];
  return name?.replace('\\', '/') ?? file;
}

function packageDoubts(inPackages: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const all = [...inPackages].map(([name, names]) => {
    const shown = [...names].slice(0, NAMES_SHOWN).map((word) => `"${word}"`);
    const rest = names.size - shown.length;
    const list = rest > 0 ? [...shown, `${rest} more`] : shown;
    return `${name} knows ${listed(list)}, which tasks do not have: what needs them fails there`;
  });
  const rest = all.length - PACKAGES_SHOWN;
  return rest > 0 ? [...all.slice(0, PACKAGES_SHOWN), `so do ${rest} more packages`] : all;
}

function listed(words: readonly string[]): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
