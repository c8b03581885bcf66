// The pages as they are built from the sources of this checkout, for a server that a test starts in its own process.

import { PagesFolder } from '../../../src/pages/pages-folder.ts';

export async function builtApp(): Promise<PagesFolder> {
  const folder = new PagesFolder();
  await folder.build();
  if (folder.fault !== null) throw folder.fault;
  return folder;
}
