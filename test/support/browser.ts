// A real browser for tests, from the npm registry: nothing has to be installed on the machine.

import { type Browser, chromium as driver } from 'playwright-core';

/** The package unpacks the libraries that its browser needs only where it believes to be in a cloud. */
const runtimeName = 'AWS_Lambda_nodejs22.x';

export async function launchBrowser(): Promise<Browser> {
  process.env['AWS_EXECUTION_ENV'] ??= runtimeName;
  // Imported here, because the package reads the environment when it is loaded.
  const { default: chromium } = await import('@sparticuz/chromium');
  return driver.launch({
    executablePath: await chromium.executablePath(),
    // A page that crashes must not take the browser with it; and what keeps the origins of the web
    // apart, which the package switches off, stays on.
    args: chromium.args.filter(
      (argument) => argument !== '--single-process' && argument !== '--disable-web-security',
    ),
    headless: true,
  });
}
