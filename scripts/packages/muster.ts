// The package `muster`: JavaScript and declarations from tsc, other files of the sources (pages, styles), what
// browsers work with as it is built from them, and a manifest without the Node binaries and the tools that only a checkout needs.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommit } from '../../src/cli/version.ts';
import { buildFolder } from '../../src/pages/build-folder.ts';
import { indexName, type PagesIndex } from '../../src/pages/page-files.ts';
import { orderOfCheckout, publishedFolderIn } from '../../src/pages/pages-folder.ts';
import { thirdParty } from './third-party.ts';
import { carried, compile, copyDocuments, readManifest, ROOT, writeJson } from './checkout.ts';

const OLDEST_NODE = '>=24';

export async function makeMuster(folder: string): Promise<void> {
  compile(['-p', 'tsconfig.build.json', '--outDir', join(folder, 'lib')]);
  copyBesides(join(ROOT, 'src'), join(folder, 'lib'));
  // Where the checkout has built them from the same sources, they are those.
  const order = orderOfCheckout();
  await buildFolder(order);
  const pages = publishedFolderIn(join(folder, 'lib'));
  cpSync(order.target, pages, { recursive: true });
  const index = JSON.parse(readFileSync(join(pages, indexName), 'utf8')) as PagesIndex;
  writeFileSync(join(folder, 'THIRD-PARTY.md'), thirdParty(index.packages));
  mkdirSync(join(folder, 'bin'));
  cpSync(join(ROOT, 'scripts/packages/muster-bin.cjs'), join(folder, 'bin', 'muster.cjs'));
  cpSync(join(ROOT, 'deploy'), join(folder, 'deploy'), { recursive: true });
  copyDocuments(['README.md', 'LICENSE', 'CHANGELOG.md'], folder);
  writeJson(join(folder, 'package.json'), manifest());
}

function copyBesides(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (path) =>
      !/\.tsx?$/.test(path) &&
      !/[/\\](fixtures|testing)([/\\]|$)/.test(path) &&
      // They are in what is built.
      !/[/\\]dashboard[/\\](app|worker|frame)$/.test(path),
  });
}

function manifest(): object {
  const checkout = readManifest();
  const commit = readCommit(ROOT);
  return {
    name: 'muster',
    description: checkout['description'],
    ...carried(checkout),
    // Told behind the version, as a checkout does.
    ...(commit === undefined ? {} : { commit }),
    type: 'module',
    bin: { muster: './bin/muster.cjs' },
    exports: Object.fromEntries(
      Object.entries(checkout.exports).map(([name, path]) => [
        name,
        {
          ...(path.endsWith('.ts') && { types: compiled(path).replace(/\.js$/, '.d.ts') }),
          default: compiled(path),
        },
      ]),
    ),
    files: ['bin', 'lib', 'deploy', 'CHANGELOG.md', 'THIRD-PARTY.md'],
    engines: { node: OLDEST_NODE },
    dependencies: checkout.dependencies,
  };
}

function compiled(path: string): string {
  return path.replace(/^\.\/src\//, './lib/').replace(/\.ts$/, '.js');
}
