// A real browser for tests, from the npm registry: nothing has to be installed on the machine.

import { type Browser, chromium as driver } from 'playwright-core';

/** The package unpacks the libraries that its browser needs only where it believes to be in a cloud. */
const runtimeName = 'AWS_Lambda_nodejs22.x';

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

export async function launchBrowser(): Promise<Browser> {
  process.env['AWS_EXECUTION_ENV'] ??= runtimeName;
  // Imported here, because the package reads the environment when it is loaded.
  const { default: chromium } = await import('@sparticuz/chromium');
  return driver.launch({
    executablePath: await chromium.executablePath(),
    args: [
      ...chromium.args.filter((argument) => !weakening.some((each) => argument.startsWith(each))),
      // As it is by itself where there is memory enough.
      '--site-per-process',
    ],
    headless: true,
  });
}
