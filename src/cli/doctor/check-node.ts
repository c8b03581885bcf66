import { type Finding, ok, problem, warning } from './finding.ts';

/** The oldest version that runs TypeScript without a build and has `node:sqlite`. */
const OLDEST = 24;
/** From here on the permission flags deny the network, too. */
const NETWORK_DENIED = 25;

export function checkNode(version: string): Finding {
  const major = Number.parseInt(version.replace(/^v/, ''), 10);
  const found = `Node ${version.replace(/^v/, '')}`;
  if (major < OLDEST) {
    return problem(
      'node',
      `${found} is too old`,
      `Install Node ${OLDEST} or newer; in a checkout \`npm start\` brings one along.`,
    );
  }
  if (major < NETWORK_DENIED) {
    return warning(
      'node',
      `${found} does not deny the network to a task that broke out of SES`,
      `Run workers with Node ${NETWORK_DENIED} or newer, or with bubblewrap.`,
    );
  }
  return ok('node', found);
}
