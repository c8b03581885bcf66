// Which room may import which: the walls of the house. ARCHITECTURE.md says why they stand there.

import { posix } from 'node:path';
import { importsOf, isTest, type Import, type SourceFile } from './source-files.ts';

interface Walls {
  /** Rooms whose values and types may be imported; `store/*` is the room with all of its parts. */
  readonly rooms: readonly string[] | 'all';
  /** Rooms of which only types may be imported. */
  readonly types?: readonly string[];
  /** The packages a room may import, if not every one that is not reserved for another room. */
  readonly packages?: readonly string[];
}

// A room that is divided has a line for each part, and for a file at its top that the parts may know;
// the plain name stands for the other files at its top. The longest name counts. Tests may import all
// of their own room.
const TABLE: Readonly<Record<string, Walls>> = {
  core: { rooms: ['core/apply', 'core/create', 'core/decide'], packages: [] },
  // Makes new records, for events and for rows that are read back from a store.
  'core/create': { rooms: ['core'], packages: [] },
  'core/apply': { rooms: ['core', 'core/create'], packages: [] },
  'core/decide': { rooms: ['core'], packages: [] },
  // Checks of the core from outside, called by the simulator and the tests.
  'core/checks': { rooms: ['core'], packages: [] },
  'core/testing': { rooms: ['core/*'], packages: [] },

  // The schemas bring zod along: the SDK, the workers and the page do without it.
  protocol: { rooms: [], types: ['protocol/schemas'], packages: [] },
  'protocol/schemas': { rooms: ['protocol'], packages: ['zod'] },

  // The methods are arithmetic over columns; the contests decide which workers compete, in what order.
  'scheduling/scheduler': { rooms: ['core'], packages: [] },
  'scheduling/weights': { rooms: ['core', 'scheduling/methods'], packages: [] },
  'scheduling/methods': {
    rooms: ['core', 'scheduling/weights'],
    types: ['scheduling/scheduler'],
    packages: [],
  },
  'scheduling/contests': {
    rooms: ['core', 'scheduling/methods'],
    types: ['scheduling/scheduler'],
    packages: [],
  },
  'scheduling/testing': { rooms: ['core', 'scheduling/*'] },
  scheduling: { rooms: ['core', 'scheduling/*'], packages: [] },

  evaluation: { rooms: ['core'], packages: [] },
  'evaluation/testing': { rooms: ['evaluation', 'core'] },

  store: { rooms: ['core'] },
  // What is moved from one database to another, and how; the databases have a side of it each.
  'store/move': { rooms: ['store', 'core'] },
  'store/sqlite/move': {
    rooms: [
      'store',
      'core',
      'store/move',
      'store/sqlite/tables',
      'store/sqlite/file',
      'store/sqlite/check',
    ],
  },
  'store/postgres/move': {
    rooms: [
      'store',
      'core',
      'store/move',
      'store/postgres/driver',
      'store/postgres/log',
      'store/postgres/migrations',
      'store/postgres/tables',
    ],
  },
  'store/memory': { rooms: ['store', 'core'] },
  'store/sqlite/tables': { rooms: ['store', 'core'] },
  'store/sqlite/file': { rooms: ['store', 'store/sqlite/tables'] },
  'store/sqlite/check': {
    rooms: ['store', 'core', 'store/sqlite/tables', 'store/sqlite/file'],
  },
  'store/sqlite': { rooms: ['store', 'core', 'store/sqlite/*'] },
  'store/sqlite/testing': { rooms: ['core', 'store/*'] },
  'store/postgres/driver': { rooms: ['store'] },
  'store/postgres/log': { rooms: ['store', 'store/postgres/driver'] },
  'store/postgres/migrations': { rooms: ['store', 'store/postgres/driver'] },
  'store/postgres/tables': { rooms: ['store', 'core', 'store/postgres/driver'] },
  'store/postgres': { rooms: ['store', 'core', 'store/postgres/*'] },
  'store/postgres/testing': { rooms: ['core', 'store/*'] },
  // One suite for every store, and what the tests of all of them share.
  'store/conformance': { rooms: ['core', 'core/testing', 'store/*'] },

  // Each part of the coordinator knows those above it; `coordinator.ts` puts them together.
  'coordinator/port': { rooms: [], types: ['core', 'protocol'] },
  'coordinator/refused': { rooms: [], types: ['core', 'coordinator/port'] },
  'coordinator/runtime': { rooms: [] },
  'coordinator/iso-time': { rooms: [] },
  'coordinator/bounded': { rooms: [] },
  'coordinator/program-text': { rooms: ['protocol'], types: ['store'] },
  'coordinator/decisions': {
    rooms: ['core', 'scheduling/*', 'protocol', 'coordinator/iso-time'],
  },
  'coordinator/placement': {
    rooms: ['core', 'scheduling', 'protocol'],
    types: ['scheduling/*', 'coordinator/decisions'],
  },
  'coordinator/writer': {
    rooms: [
      'core',
      'core/apply',
      'core/create',
      'store',
      'protocol',
      'coordinator/placement',
      'coordinator/port',
    ],
    types: ['scheduling/*', 'coordinator/decisions', 'coordinator/runtime'],
  },
  // What was done, and by whom.
  'coordinator/audit': {
    rooms: ['store', 'protocol', 'coordinator/port', 'coordinator/iso-time'],
    types: ['coordinator/writer', 'coordinator/runtime'],
  },
  // Tokens, while a coordinator runs and while none does.
  'coordinator/access': {
    rooms: ['store', 'protocol', 'coordinator/port', 'coordinator/iso-time'],
    types: ['coordinator/writer', 'coordinator/runtime'],
  },
  'coordinator/workers': {
    rooms: [
      'core',
      'store',
      'protocol',
      'coordinator/access',
      'coordinator/writer',
      'coordinator/iso-time',
      'coordinator/bounded',
      'coordinator/program-text',
      'coordinator/refused',
    ],
    types: ['coordinator/port', 'coordinator/runtime'],
  },
  // Sessions at a member of a cluster that does not decide.
  'coordinator/gateway': {
    rooms: ['store', 'protocol', 'coordinator/workers', 'coordinator/port'],
    types: ['coordinator/runtime'],
  },
  // How fast jobs get on.
  'coordinator/rates': { rooms: ['core'], types: ['protocol'] },
  'coordinator/streams': {
    rooms: ['core', 'protocol', 'coordinator/iso-time'],
    types: ['coordinator/port', 'coordinator/rates', 'coordinator/runtime'],
  },
  'coordinator/reads': {
    rooms: [
      'core',
      'scheduling/*',
      'evaluation',
      'store',
      'protocol',
      'coordinator/decisions',
      'coordinator/writer',
      'coordinator/workers',
      'coordinator/rates',
      'coordinator/iso-time',
      'coordinator/program-text',
    ],
    types: ['coordinator/port', 'coordinator/streams'],
  },
  'coordinator/jobs': {
    rooms: [
      'core',
      'store',
      'protocol',
      'coordinator/access',
      'coordinator/writer',
      'coordinator/reads',
      'coordinator/program-text',
      'coordinator/refused',
    ],
    types: ['coordinator/port', 'coordinator/runtime'],
  },
  // The ports as they are for one owner.
  'coordinator/owners': {
    rooms: [
      'core',
      'protocol',
      'coordinator/decisions',
      'coordinator/workers',
      'coordinator/program-text',
      'coordinator/refused',
    ],
    types: [
      'store',
      'coordinator/port',
      'coordinator/writer',
      'coordinator/reads',
      'coordinator/jobs',
    ],
  },
  // What is answered while another coordinator decides, from the store alone.
  'coordinator/stand-in': {
    rooms: [
      'core',
      'coordinator/access',
      'coordinator/decisions',
      'coordinator/jobs',
      'coordinator/owners',
      'coordinator/port',
      'coordinator/rates',
      'coordinator/reads',
      'coordinator/streams',
    ],
    types: ['store', 'coordinator/runtime'],
  },
  coordinator: { rooms: ['core', 'scheduling/*', 'store', 'protocol', 'coordinator/*'] },

  // Several coordinators on one database: who leads, and who tries to. What leading means is handed in.
  'cluster/port': { rooms: [], types: ['protocol'], packages: [] },
  'cluster/trunk': { rooms: [], types: ['cluster/port'], packages: [] },
  // The leader's end of trunks: who may have one, and what becomes of the sessions that it carries.
  'cluster/trunk-ends': {
    rooms: ['protocol', 'cluster/trunk'],
    types: ['cluster/port'],
    packages: [],
  },
  'cluster/carried-sessions': {
    rooms: ['protocol', 'cluster/trunk-records'],
    types: ['coordinator/port', 'cluster/record-writer'],
    packages: [],
  },
  'cluster/reach': { rooms: ['transport'] },
  // What is said on a trunk, and how it is written at both of its ends.
  'cluster/trunk-records': { rooms: ['protocol'], packages: [] },
  'cluster/record-writer': { rooms: [], packages: [] },
  cluster: {
    rooms: [
      'cluster/port',
      'cluster/trunk',
      'cluster/trunk-records',
      'cluster/record-writer',
      'cluster/reach',
      'store',
      'protocol',
    ],
    types: ['coordinator/port'],
  },
  'cluster/testing': { rooms: ['cluster', 'store'] },

  // `wire-events.ts` is the list of what an event can be, for the routes and the documents.
  server: {
    rooms: [
      'protocol/*',
      'cluster/trunk',
      'transport',
      'server/cluster',
      'coordinator/streams',
      'server/access',
      'server/workers',
      'server/routes',
      'server/webhooks',
      'server/tls',
    ],
    types: ['core', 'evaluation', 'coordinator/*', 'cluster/port'],
  },
  // A member that does not lead: passes on what another one decides.
  'server/cluster': {
    rooms: [
      'server',
      'server/workers',
      'protocol',
      'coordinator/port',
      'cluster/trunk',
      'cluster/trunk-ends',
      'cluster/carried-sessions',
      'cluster/trunk-records',
      'cluster/record-writer',
      'cluster/reach',
    ],
    types: ['cluster/port', 'server/access'],
  },
  // Who asks, and whether they may.
  'server/access': {
    rooms: ['server', 'protocol', 'coordinator/port'],
    types: ['coordinator/*'],
  },
  'server/workers': {
    rooms: ['server', 'protocol/*', 'coordinator/port'],
    types: ['coordinator/*', 'server/access', 'server/routes'],
  },
  // Certificates, and what happens on a connection before there is a request.
  'server/tls': { rooms: ['server'] },
  // Messages to others; asks for nothing but the rules for their addresses.
  'server/webhooks': { rooms: [], types: ['coordinator/port'] },
  'server/routes': {
    rooms: [
      'server',
      'server/access',
      'server/workers',
      'protocol/*',
      'coordinator/streams',
      'pages/page-files',
    ],
    types: [
      'core',
      'evaluation',
      'coordinator/*',
      'cluster/port',
      'server/webhooks',
      'pages/read-pages',
    ],
  },

  // How clients and workers reach a coordinator whose certificate they know by its pin: loaded in pages
  // too, where it can only refuse.
  transport: { rooms: [], packages: [] },

  // Independent of any platform; the adapters for PCs are in `node/`.
  worker: { rooms: ['worker/machine', 'protocol'] },
  // Of its own room, the machine knows only the types of the executor port.
  'worker/machine': { rooms: ['protocol'], types: ['worker'], packages: [] },
  'worker/machine/testing': { rooms: ['protocol', 'worker/machine'], types: ['worker'] },
  // Moves states, inputs and results that are too large for a message.
  'worker/payloads': { rooms: ['protocol'], types: ['worker'], packages: [] },
  // Chance that follows from a text; the lab draws from it too.
  'worker/sandbox/seeded-random': { rooms: [], packages: [] },
  // The part of the sandbox that is the same on every platform.
  'worker/sandbox': {
    rooms: [
      'worker/sandbox/web',
      'worker/sandbox/seeded-random',
      'worker/sandbox/guest',
      'worker/sandbox/payload-text',
      'worker/sandbox/call-sites',
    ],
    packages: ['acorn'],
  },
  // Functions whose text goes into compartments: each stands alone.
  'worker/sandbox/web': { rooms: [], packages: [] },
  'worker/sandbox/testing': { rooms: ['worker/sandbox'] },
  // What programs of another kind than JavaScript are to the driver of a child.
  'worker/sandbox/guest': { rooms: [], packages: [] },
  // Where errors were made, which a locked realm does not tell.
  'worker/sandbox/call-sites': { rooms: [], packages: [] },
  // What a payload is as text, for all who check one.
  'worker/sandbox/payload-text': { rooms: ['worker/sandbox/finite-number'], packages: [] },
  'worker/sandbox/finite-number': { rooms: [], packages: [] },
  // Programs that are WebAssembly modules, on every platform.
  'worker/sandbox-wasm': {
    rooms: [
      'worker/sandbox/call-sites',
      'worker/sandbox/guest',
      'worker/sandbox/payload-text',
      'worker/sandbox/seeded-random',
    ],
    packages: ['fflate'],
  },
  // Its process has the realm of a child.
  'worker/sandbox-wasm/testing': {
    rooms: ['worker/sandbox-wasm', 'worker/sandbox', 'worker/sandbox/guest', 'worker/node'],
    packages: ['node:fs', 'wabt'],
  },
  // Guests: what runs programs of another kind, in the hardened realm.
  'worker/sandbox-python': {
    rooms: ['worker/sandbox', 'worker/sandbox/guest', 'worker/sandbox/seeded-random'],
    packages: [],
  },
  // Which attempt runs in which child, and what becomes of it: the same for processes and for frames.
  'worker/slots': { rooms: ['worker/sandbox', 'protocol'], types: ['worker'], packages: [] },
  'worker/slots/testing': { rooms: ['worker/slots', 'worker/sandbox'], types: ['worker'] },
  'worker/node': {
    rooms: [
      'worker',
      'worker/machine',
      'worker/payloads',
      'worker/sandbox',
      'worker/slots',
      'protocol',
      'transport',
    ],
  },
  // What the page, the frames and the agent of a browser tell each other.
  'worker/browser/page-messages': { rooms: [], packages: [] },
  'worker/browser/frame-messages': { rooms: [], packages: [] },
  'worker/browser': {
    rooms: [
      'worker',
      'worker/machine',
      'worker/payloads',
      'worker/sandbox',
      'worker/slots',
      'worker/browser/page-messages',
      'worker/browser/frame-messages',
      'protocol',
    ],
    packages: [],
  },

  'worker/browser/testing': {
    rooms: [
      'worker',
      'worker/machine',
      'worker/browser',
      'worker/payloads',
      'worker/sandbox',
      'worker/slots',
      'protocol',
    ],
    types: ['worker/browser/page-messages', 'worker/browser/frame-messages'],
  },

  client: {
    rooms: ['protocol', 'transport', 'client/packing'],
    types: ['protocol/schemas'],
    packages: [],
  },
  // Parses functions before they are sent; loaded only then.
  'client/packing': {
    rooms: ['client'],
    packages: ['acorn', 'eslint-scope', 'estree', 'estree-walker'],
  },
  'client/testing': { rooms: ['client'], packages: [] },
  'dashboard/docs': { rooms: [], packages: [] },
  'dashboard/join': { rooms: [], packages: [] },
  'dashboard/login': { rooms: [], packages: [] },
  'dashboard/worker': {
    rooms: ['client', 'protocol', 'dashboard/worker/states'],
    types: ['worker/browser/page-messages', 'worker/browser/frame-messages'],
  },
  'dashboard/worker/states': {
    rooms: ['protocol', 'dashboard/worker'],
    types: ['worker/browser/page-messages'],
  },
  'dashboard/frame': {
    rooms: ['protocol'],
    types: ['worker/browser/frame-messages'],
  },
  // The dashboard: each part knows only those before it.
  'dashboard/app/text': { rooms: [], packages: [] },
  'dashboard/app/look': { rooms: ['protocol', 'dashboard/app/text'], packages: ['preact'] },
  'dashboard/app/store': {
    rooms: ['client', 'protocol', 'dashboard/app/text'],
    packages: ['preact', '@preact/signals'],
  },
  'dashboard/app/parts': {
    rooms: ['protocol', 'dashboard/app/text', 'dashboard/app/look', 'dashboard/app/store'],
    packages: ['preact', '@preact/signals'],
  },
  'dashboard/app/shell': {
    rooms: [
      'protocol',
      'dashboard/app/text',
      'dashboard/app/look',
      'dashboard/app/store',
      'dashboard/app/parts',
    ],
    packages: ['preact', '@preact/signals'],
  },
  'dashboard/app/pages': {
    rooms: [
      'client',
      'protocol',
      'dashboard/app/text',
      'dashboard/app/look',
      'dashboard/app/store',
      'dashboard/app/parts',
      'dashboard/app/shell',
    ],
    packages: ['preact', '@preact/signals'],
  },
  'dashboard/app': { rooms: ['dashboard/app/*'], packages: ['preact'] },
  // Bundles what runs in browsers, before it is served or published.
  pages: { rooms: ['pages/page-files', 'pages/read-pages'] },
  // What is served, and how it is read; knows nothing of how it is made.
  'pages/page-files': { rooms: [], packages: [] },
  'pages/read-pages': { rooms: ['pages/page-files'] },
  'pages/testing': { rooms: ['pages', 'pages/*'] },

  // Virtual time, for all that plays in it.
  'simulator/clock': { rooms: ['core'], packages: [] },
  // Actors send requests and messages to the coordinator; checkers check what must hold then.
  'simulator/checkers': {
    rooms: ['core/*', 'protocol', 'worker/machine', 'simulator'],
    types: ['coordinator/*', 'store/*', 'worker', 'simulator/actors'],
  },
  'simulator/actors': {
    rooms: [
      'core',
      'protocol',
      'coordinator/streams',
      'worker/machine',
      'simulator',
      'simulator/checkers',
      'simulator/clock',
    ],
    types: ['coordinator/*', 'store/*', 'worker'],
  },
  // Several hosts on one database, with the production log of commits over rows in memory, and the production trunks.
  'simulator/hosts': {
    rooms: [
      'cluster',
      'cluster/trunk-ends',
      'cluster/carried-sessions',
      'cluster/trunk-records',
      'cluster/record-writer',
      'coordinator/gateway',
      'coordinator/port',
      'store',
      'store/memory',
      'store/postgres/log',
      'simulator',
      'simulator/checkers',
      'simulator/clock',
    ],
    types: ['protocol', 'cluster/port', 'cluster/trunk', 'coordinator/*', 'store/postgres/driver'],
  },
  simulator: {
    rooms: [
      'core',
      'scheduling/*',
      'evaluation',
      'store',
      'store/memory',
      'coordinator/*',
      'protocol',
      'worker/machine',
      'simulator/*',
    ],
    types: ['worker', 'cluster'],
  },

  // The lab: each part knows only those before it.
  'lab/chance': { rooms: ['worker/sandbox/seeded-random'], packages: [] },
  'lab/statistics': { rooms: ['lab/chance'], packages: [] },
  'lab/scenario': {
    rooms: ['core', 'protocol', 'protocol/schemas', 'lab/chance'],
    packages: ['zod', 'node:fs', 'node:path', 'node:url'],
  },
  'lab/outcome': {
    rooms: ['evaluation', 'protocol', 'lab/statistics', 'lab/scenario'],
    types: ['core', 'lab/world/played'],
    packages: [],
  },
  // What a run was: no more than types.
  'lab/world/played': { rooms: [], types: ['lab/outcome', 'lab/scenario', 'lab/world'] },
  'lab/world': {
    rooms: [
      'core',
      'scheduling',
      'store/memory',
      'coordinator',
      'protocol',
      'worker/machine',
      'simulator/clock',
      'lab/chance',
      'lab/scenario',
      'lab/outcome',
    ],
    types: ['scheduling/*', 'store', 'coordinator/*', 'worker', 'lab/world/played'],
  },
  // What a comparison says, and how it is found.
  'lab/compare': { rooms: ['core', 'lab', 'lab/*'], types: ['scheduling/*'] },
  'lab/tune': { rooms: ['core', 'lab', 'lab/*'], packages: [] },
  'lab/report': {
    rooms: ['protocol', 'lab/outcome'],
    types: ['lab/compare', 'lab/trace'],
    packages: ['node:crypto'],
  },
  'lab/report/testing': { rooms: ['lab/*'] },
  // A run of life: written while it goes on, and read as a plan.
  'lab/trace': {
    rooms: ['core', 'lab/statistics', 'lab/scenario'],
    packages: ['zod', 'node:fs', 'node:fs/promises', 'node:path', 'node:crypto'],
  },
  lab: { rooms: ['core', 'scheduling', 'lab/*'], types: ['scheduling/*'] },

  // Texts are made from values that are handed in; nothing here makes a request.
  'cli/text': {
    rooms: ['protocol', 'cli/suggestion'],
    types: ['client', 'lab/*', 'store/move'],
  },
  'cli/suggestion': { rooms: ['protocol'] },
  cli: { rooms: 'all' },
  'cli/settings': { rooms: 'all' },
  'cli/process': { rooms: 'all' },
  'cli/commands': { rooms: 'all' },
  'cli/bundle': { rooms: 'all' },
  'cli/inputs': { rooms: 'all' },
  'cli/doctor': { rooms: 'all' },
  'cli/testing': { rooms: 'all' },
  'cli/trial': { rooms: 'all' },
  'cli/completion': { rooms: 'all' },
};

// What only some rooms may touch: a package that is found elsewhere has leaked through a wall.
const RESERVED: Readonly<Record<string, readonly string[]>> = {
  fastify: ['server/*'],
  '@fastify': ['server/*'],
  'fastify-type-provider-zod': ['server/*'],
  'node:http': ['server/*', 'cluster/reach', 'worker/node'],
  ws: ['server/*', 'cluster', 'worker/node'],
  'node:sqlite': ['store/sqlite/*'],
  pg: ['store/postgres/*'],
  ses: ['worker/node', 'pages'],
  commander: ['cli/*'],
};

/** The faults of one file under `src/`; empty when it keeps to the table. */
export function importFaults(file: SourceFile): string[] {
  const room = roomOf(file.path);
  const walls = room === undefined ? undefined : TABLE[room];
  if (room === undefined || walls === undefined) {
    return [`${file.path}: is in no room of the import table (test/tidy/import-table.ts)`];
  }
  return importsOf(file)
    .map((each) =>
      each.specifier.startsWith('.')
        ? relativeFault(file, room, walls, each)
        : packageFault(file, room, walls, each),
    )
    .filter((fault) => fault !== undefined)
    .map((fault) => `${file.path}: ${fault}`);
}

function roomOf(path: string): string | undefined {
  const [top, ...parts] = path.replace(/(\.test|\.cases)?\.ts$/, '').split('/');
  if (top !== 'src') return undefined;
  for (let end = parts.length; end > 0; end--) {
    const name = parts.slice(0, end).join('/');
    if (!Object.hasOwn(TABLE, name)) continue;
    // `store/postgres/open.ts` must not pass as a file at the top of `store`.
    return parts.length - end > 1 && isDivided(name) ? undefined : name;
  }
  return undefined;
}

function isDivided(room: string): boolean {
  return Object.keys(TABLE).some((each) => each.startsWith(`${room}/`));
}

function includes(rooms: readonly string[], room: string): boolean {
  return rooms.some((each) =>
    each.endsWith('/*') ? `${room}/`.startsWith(each.slice(0, -1)) : each === room,
  );
}

/** Of its own room all, and what the tests of a room that it may import use. */
function isOpenToTests(room: string, walls: Walls, other: string): boolean {
  const [top] = other.split('/', 1);
  if (top === room.split('/', 1)[0]) return true;
  return other === `${top}/testing` && includes(walls.rooms === 'all' ? [] : walls.rooms, `${top}`);
}

function relativeFault(
  file: SourceFile,
  room: string,
  walls: Walls,
  { specifier, isTypeOnly }: Import,
): string | undefined {
  const target = posix.join(posix.dirname(file.path), specifier);
  if (!isTest(file) && isTest({ path: target })) return `imports ${target}, which is for tests`;
  if (target.startsWith('test/support/')) return undefined;
  const other = roomOf(target);
  if (other === undefined) return `imports ${target}, which is in no room`;
  if (other === room || walls.rooms === 'all' || includes(walls.rooms, other)) return undefined;
  if (isTest(file) && isOpenToTests(room, walls, other)) return undefined;
  if (includes(walls.types ?? [], other)) {
    return isTypeOnly ? undefined : `may import only types of ${other} (use \`import type\`)`;
  }
  return `${room} may not import ${other} (${specifier})`;
}

function packageFault(
  file: SourceFile,
  room: string,
  walls: Walls,
  { specifier }: Import,
): string | undefined {
  if (isTest(file)) return undefined;
  const name = packageOf(specifier);
  const owners = RESERVED[name];
  if (owners !== undefined && !includes(owners, room)) {
    return `${name} belongs to ${owners.join(' and ')}`;
  }
  if (walls.packages === undefined || walls.packages.includes(name)) return undefined;
  return `${room} may not import ${name}`;
}

function packageOf(specifier: string): string {
  const [first = '', second] = specifier.split('/');
  if (Object.hasOwn(RESERVED, first)) return first;
  return first.startsWith('@') ? `${first}/${second}` : first;
}
