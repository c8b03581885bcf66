// A real browser for tests, from the npm registry: nothing has to be installed on the machine.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import unpackable from '@sparticuz/chromium';
import { type Browser, chromium as driver } from 'playwright-core';

/** By plain HTTP, a page of this host is what a page of another machine is. */
export const insecureHost = 'muster.test';

const MODULES = join(import.meta.dirname, '..', '..', 'node_modules');

/**
 * What the package switches off to save memory is what keeps the origins of the web apart, and a page that
 * crashes from taking the browser with it.
 */
const weakening = [
  '--single-process',
  '--disable-web-security',
  '--disable-site-isolation-trials',
  '--disable-features=',
  '--enable-features=',
  '--allow-running-insecure-content',
];

/** A graphics card that is only played costs several times what drawing without one does. */
const playedGraphics = ['--use-gl=', '--use-angle=', '--enable-unsafe-swiftshader', '--ignore-gpu'];

/** Each page and frame would be a program that starts from its file, not a copy of one that waits: a sixth more. */
const startingAnew = '--no-zygote';
const dropped = [...weakening, ...playedGraphics, startingAnew];

/** `heapMb`: what a thread may hold before its process ends; by default the browser's own limit, some GB. */
export async function launchBrowser({ heapMb }: { heapMb?: number } = {}): Promise<Browser> {
  const folder = await unpackedBrowser();
  return driver.launch({
    executablePath: join(folder, 'chromium'),
    args: [
      ...unpackable.args.filter((argument) => !dropped.some((each) => argument.startsWith(each))),
      '--disable-gpu',
      // As it is by itself where there is memory enough.
      '--site-per-process',
      // A name for this machine that is not known to be this machine's: no page of it is secure without TLS.
      `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`,
      ...(heapMb === undefined ? [] : [`--js-flags=--max-old-space-size=${heapMb}`]),
    ],
    env: {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      ...setByItself(folder),
    },
    headless: true,
  });
}

/**
 * What Chromium adds to its own environment while its threads already read it, which now and then ends it at its start
 * (a fault in `getenv`: the C library moves the list when a name is new). With the names there, nothing is moved.
 */
function setByItself(folder: string): Readonly<Record<string, string>> {
  return {
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    FC_FONTATIONS: '1',
    VK_ICD_FILENAMES: join(folder, 'vk_swiftshader_icd.json'),
  };
}

/** The folder of the unpacked browser, made once for a checkout and a version. */
async function unpackedBrowser(): Promise<string> {
  const manifest = readFileSync(join(MODULES, '@sparticuz/chromium/package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  const folder = join(MODULES, '.cache', `muster-browser-${version}`);
  if (existsSync(folder)) return folder;
  const unpack = join(import.meta.dirname, 'unpack-browser.ts');
  await promisify(execFile)(process.execPath, [unpack, folder]);
  return folder;
}
