// The contenders of a comparison as they are asked for.

import { resolve } from 'node:path';
import { algorithmIds } from '../../core/snapshot.ts';
import { algorithmContender, ownContender } from '../contender.ts';
import { ContenderFault } from '../contender-fault.ts';
import type { NamedContender } from './compare.ts';

/** `algorithms`: ids with commas between them, or `all`; `files`: modules. Each is tried, and none may come twice. */
export async function namedContenders(
  algorithms: string,
  files: readonly string[],
  folder: string,
): Promise<readonly NamedContender[]> {
  const ids = algorithms === 'all' ? algorithmIds : algorithms.split(',').map((id) => id.trim());
  const found: NamedContender[] = ids.map((id) => ({
    name: algorithmContender(id).name,
    contender: { algorithm: id },
  }));
  for (const path of files) {
    const file = resolve(folder, path);
    const { name } = await ownContender(file, folder);
    found.push({ name, contender: { file } });
  }
  const names = found.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new ContenderFault(`Two contenders are named "${twice}".`);
  return found;
}
