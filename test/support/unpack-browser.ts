// Run as a process of its own, `node unpack-browser.ts FOLDER`: unpacks the browser of the package with its
// libraries and fonts. The package unpacks into the folder for temporary files, takes whatever lies there for
// complete, and names that of its usual machine in the list of fonts. So here that folder is new, and becomes
// FOLDER as a whole when all of it is there.

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const folder = process.argv[2]!;
const draft = `${folder}.${process.pid}`;
mkdirSync(draft, { recursive: true });
process.env['TMPDIR'] = draft;
// Otherwise it leaves out the libraries that the browser needs.
process.env['AWS_EXECUTION_ENV'] = 'AWS_Lambda_nodejs22.x';
// Imported here, because the package reads the environment when it is loaded.
const { default: chromium } = await import('@sparticuz/chromium');
await chromium.executablePath();
writeFileSync(
  `${draft}/fonts.conf`,
  `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`,
);
try {
  renameSync(draft, folder);
} catch (error) {
  // Another process was faster.
  rmSync(draft, { recursive: true });
  if (!existsSync(folder)) throw error;
}
