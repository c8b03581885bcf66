#!/usr/bin/env node
// The command of the published package. Every Node can read this file, also one that is too old for the
// program itself and would answer with an error that helps nobody.

'use strict';

/** Beside this file in the package, not in the checkout. */
const PROGRAM = '../lib/cli/main.js';
const OLDEST_NODE = 24;
/** As in src/cli/exit-codes.ts: it could not start. */
const CANNOT_START = 5;

const { node: version } = process.versions;
if (Number.parseInt(version, 10) < OLDEST_NODE) {
  console.error(
    `muster needs Node ${OLDEST_NODE} or newer, and this is Node ${version} (${process.execPath}): ` +
      'install a newer one from https://nodejs.org. (Programs that only submit jobs run on Node 20: ' +
      'they need the package muster-client alone.)',
  );
  process.exitCode = CANNOT_START;
} else {
  void import(PROGRAM);
}
