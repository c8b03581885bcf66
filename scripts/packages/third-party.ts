// The licences of the packages that are bundled into another one.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './checkout.ts';

interface Manifest {
  readonly version: string;
  readonly license: string;
}

/** `names`: of the packages. */
export function thirdParty(names: readonly string[]): string {
  const parts = [...new Set(names)].toSorted().map((name) => {
    const folder = join(ROOT, 'node_modules', name);
    const { version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Manifest;
    return `## ${name} ${version} (${license})\n\n${licenceIn(folder)}\n`;
  });
  return `# What is in this package of other people's\n\n${parts.join('\n')}`;
}

export function packageOf(moduleId: string): string[] {
  const [, name] = /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(moduleId) ?? [];
  return name === undefined ? [] : [name.replaceAll('\\', '/')];
}

/** Its file of that name; else the part of its README, or the comment in its code, that says so. */
function licenceIn(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim();
  const readme = join(folder, 'README.md');
  const text = existsSync(readme) ? readFileSync(readme, 'utf8') : '';
  const [, licence] = /^#+ licen[cs]e\s+(Copyright.*)$/ims.exec(text) ?? [];
  if (licence === undefined) throw new Error(`${folder} has no licence that can be found.`);
  return licence.trim();
}
