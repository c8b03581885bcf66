// A coordinator in this process: store, coordinator, HTTP server, and the order in which they come
// and go. The address is taken last and given up first.

import { dirname, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { Logger } from 'pino';
import type { AlgorithmId } from '../../core/snapshot.ts';
import type { Limits } from '../../protocol/limits.ts';
import { type AuditPort, byItself } from '../../coordinator/port/audit.ts';
import type { AuditUse } from '../../server/access/audit.ts';
import type { PagesFolder } from '../../pages/pages-folder.ts';
import type { Server } from '../../server/server.ts';
import { withPin } from '../../transport/index.ts';
import type { PressureLimits } from '../../server/pressure.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import type { CredentialsInForce } from '../../server/tls/credentials-in-force.ts';
import { removeAddress, writeAddress } from './access-files.ts';
import { tellCertificate } from './certificate-told.ts';
import { connectionsWithin, mostOpenFiles, tooFewFiles } from './open-files.ts';
import { makeFolderPrivate } from './private-files.ts';
import { openCredentials, type TlsSettings } from './tls-settings.ts';
import type { LogSettings } from './serve-log.ts';
import { beginRecording, type RecordSettings } from './begin-recording.ts';
import type { Recording } from './recording.ts';
import { type CoreChoices, coreSettings } from './core-settings.ts';
import { freeBytes, storeFiles } from './store-files.ts';
import { fileOf, openStore, storePlace } from './store-place.ts';
import { settings as defaults } from '../settings/settings.ts';

const MEBIBYTE = 1024 * 1024;
const MINUTE_MS = 60_000;

export interface CoordinatorSettings extends LogSettings, TlsSettings, CoreChoices, RecordSettings {
  readonly port: number;
  /** What people call it. */
  readonly coordinatorName?: string;
  /** In canonical form. */
  readonly allowOrigin?: readonly string[];
  /** Each checked by `isNetwork`. */
  readonly behindProxy?: readonly string[];
  /** `sqlite:PATH`, `sqlite::memory:`, `postgres://…`. */
  readonly store?: string;
  readonly algorithm?: AlgorithmId;
  readonly decisionLogMb?: number;
  readonly blobKeepMinutes?: number;
  /** Each checked by `isAllowance`. */
  readonly notifyAllow?: readonly string[];
  readonly notify?: 'on' | 'off';
  readonly audit?: AuditUse;
  readonly auditKeepDays?: number;
  readonly auditKeepEntries?: number;
  readonly pressureDelayMs?: number;
  readonly pressureHeapPercent?: number;
  readonly diskFloorMb?: number;
  readonly minFreeDiskMb?: number;
  /** Those that differ from their defaults. */
  readonly limit?: Partial<Limits>;
  /** Nobody needs a token, whoever can reach the coordinator. */
  readonly open?: boolean;
  /** Try any free port when this one is taken. */
  readonly isPortNegotiable?: boolean;
}

export interface RunningCoordinator {
  readonly url: string;
  /** Absent without TLS. */
  readonly credentials?: CredentialsInForce;
  /** At its start: the first token may be made later. */
  readonly needsTokens: boolean;
  /** Resolves when it cannot go on: a commit failed. */
  readonly failed: Promise<Error>;
  /** Ends what `record` began; the coordinator goes on. */
  endRecording(): Promise<void>;
  stop(): Promise<void>;
}

export async function runCoordinator(
  settings: CoordinatorSettings,
  { folder, version }: Context,
  log: Logger,
): Promise<RunningCoordinator> {
  const [
    { CoordinatorInForce, createCoordinator },
    { createRealRuntime },
    { createServer },
    { defaultLimits },
    { DatabaseCheck },
    { Metrics },
    { OperatorLog },
    { ConditionWatch },
    { DiskFloor, measureDisk },
    { watchGrowth },
    { createAddressRules },
    { createWebhookSender },
    { AuditFile, auditFilePath },
    { PagesFolder },
  ] = await Promise.all([
    import('../../coordinator/index.ts'),
    import('../../coordinator/real-runtime.ts'),
    import('../../server/server.ts'),
    import('../../protocol/limits.ts'),
    import('./database-check.ts'),
    import('../../server/metrics.ts'),
    import('./operator-log.ts'),
    import('./condition-watch.ts'),
    import('./disk-floor.ts'),
    import('./growth-watch.ts'),
    import('../../server/webhooks/address-rules.ts'),
    import('../../server/webhooks/webhook-sender.ts'),
    import('./audit-file.ts'),
    import('../../pages/pages-folder.ts'),
  ]);
  const limits = limitsInForce(log, defaultLimits, settings.limit);
  const place = storePlace(settings, folder);
  const path = fileOf(place);
  const dataDir = resolve(folder, settings.dataDir);
  makeFolderPrivate(dataDir, folder);
  const credentials = await openCredentials(settings, folder, log);
  const store = await openStore(place, log);
  const disk = new DiskFloor({
    // The disk of a server is its own.
    floorBytes:
      path === undefined
        ? 0
        : (settings.minFreeDiskMb ?? defaults.minFreeDiskMb.defaultValue) * 1e6,
    log,
    measure: () => measureDisk(path!),
  });
  await disk.start();
  const metrics = new Metrics({
    version,
    disk,
    ...(path === undefined ? {} : { storeFiles: () => storeFiles(path) }),
  });
  const operator = new OperatorLog({ log });
  const rules = createAddressRules(settings.notifyAllow);
  const isTelling = settings.notify !== 'off';
  // A store that keeps nothing has no file beside it.
  const auditFile =
    place.kind === 'memory' ? undefined : new AuditFile({ path: auditFilePath(dataDir) }, log);
  const { coordinatorName } = settings;
  const named = coordinatorName === undefined ? {} : { coordinatorName };
  let recording: Recording | undefined;
  const coordinator = await createCoordinator({
    store,
    ...(isTelling ? { deliver: createWebhookSender({ rules, version }) } : {}),
    onEvents: (events) => {
      metrics.hear(events);
      operator.hear(events);
      recording?.hear(events);
    },
    onCommit: (microseconds) => {
      metrics.observeCommit(microseconds);
      operator.heardCommit(microseconds);
    },
    auditKeeping: {
      days: settings.auditKeepDays ?? defaults.auditKeepDays.defaultValue,
      entries: settings.auditKeepEntries ?? defaults.auditKeepEntries.defaultValue,
    },
    onAudit: (entries) => auditFile?.add(entries),
    onManySummed: (sums) =>
      log.info(
        `The work of ${sums} past hours and days is summed: evaluation no longer reads all of it.`,
      ),
    onTakeover: operator.heardTakeover,
    runtime: createRealRuntime(),
    settings: coreSettings(settings),
    ...named,
    limits,
    disk,
    onError: (error) => log.error({ err: error }, 'a request failed'),
    ...(settings.decisionLogMb === undefined
      ? {}
      : { decisionLogBytes: settings.decisionLogMb * MEBIBYTE }),
    ...(settings.blobKeepMinutes === undefined
      ? {}
      : { blobKeepMs: settings.blobKeepMinutes * MINUTE_MS }),
    ...(settings.algorithm === undefined ? {} : { algorithm: settings.algorithm }),
  });
  operator.heardJump(coordinator.state.restart?.downMs ?? 0);
  const inForce = new CoordinatorInForce();
  inForce.enter(coordinator);
  const check = new DatabaseCheck(path, log);
  const endGrowthWatch = path === undefined ? () => undefined : watchGrowth(path, log);
  const { allowOrigin: allowedOrigins = [], open: isOpen = false } = settings;
  const pages = new PagesFolder();
  const server = createServer({
    coordinator: inForce,
    pages,
    ...named,
    limits,
    log,
    allowedOrigins,
    isOpen,
    storeHealth: () => check.health,
    disk,
    version,
    metrics,
    pressure: pressureLimits(settings),
    webhooks: isTelling ? rules : null,
    behindProxy: settings.behindProxy ?? [],
    audit: settings.audit ?? 'auto',
    ...(credentials === undefined ? {} : { credentials }),
  });
  const watch = new ConditionWatch({
    log,
    isOverloaded: () => server.isOverloaded,
    freeBytes: path === undefined ? undefined : () => freeBytes(dirname(path)),
    floorBytes: (settings.diskFloorMb ?? defaults.diskFloorMb.defaultValue) * 1e6,
  });
  const { audit: trail } = coordinator;
  const audit: Pick<AuditPort, 'tell' | 'list'> =
    settings.audit === 'off'
      ? { tell: () => undefined, list: (...asked) => trail.list(...asked) }
      : trail;
  let hasBegun = false;
  let certificateTold: Promise<void> | undefined;
  const stop = async () => {
    if (server.address !== null) removeAddress(dataDir, addressOf(server.address, credentials));
    if (hasBegun) audit.tell({ ...byItself, action: 'coordinator.stop', object: null });
    pages.leaveBuilder();
    watch.stop();
    disk.stop();
    credentials?.stop();
    endGrowthWatch();
    await check.stop();
    await certificateTold;
    await coordinator.stop();
    await recording?.end();
    operator.stop();
    await auditFile?.stop();
    await store.close();
    await server.close();
  };
  try {
    recording = await beginRecording(coordinator, settings, { folder, version, log });
    const url = await listen(server, settings);
    const keepAddress = () => keepServedAddress(dataDir, addressOf(url, credentials), log);
    keepAddress();
    credentials?.onChange(keepAddress);
    if (isOpen) log.error(openToAll);
    const mode = isOpen ? 'open' : coordinator.tokens.areNeeded ? 'tokens' : 'open_here';
    audit.tell({ ...byItself, action: 'coordinator.start', object: mode });
    credentials?.onChange(({ pin }) =>
      audit.tell({ ...byItself, action: 'certificate.change', object: pin }),
    );
    if (credentials !== undefined) {
      // Nobody who comes waits until a long audit log is read. A store that fails says so elsewhere.
      certificateTold = tellCertificate(credentials.current, audit, log, dataDir).catch(
        () => undefined,
      );
    }
    hasBegun = true;
    void buildPages(pages, log);
    watch.start();
    const tls = credentials === undefined ? {} : { credentials };
    return {
      url,
      ...tls,
      needsTokens: mode === 'tokens',
      failed: coordinator.failed,
      endRecording: async () => recording?.end(),
      stop,
    };
  } catch (error) {
    await stop();
    await recording?.discard();
    throw explained(error);
  }
}

/** A coordinator without them serves everybody else. */
async function buildPages(pages: PagesFolder, log: Logger): Promise<void> {
  await pages.build();
  if (pages.fault === null) return;
  log.warn(
    `The pages with which browsers work cannot be served: ${pages.fault.message}. ` +
      'Everything else works; mend the cause, then start the coordinator again.',
  );
}

/** Only commands of this machine miss it: a full disk, for one, must not keep a coordinator from serving. */
function keepServedAddress(dataDir: string, url: string, log: Logger): void {
  try {
    const other = writeAddress(dataDir, url);
    if (other !== undefined) log.warn(folderOfAnother(dataDir, other));
  } catch (error) {
    log.warn(
      `Where this coordinator serves cannot be written to ${dataDir} (${(error as Error).message}): commands here ` +
        'must name it, with --url and --token-file.',
    );
  }
}

/** With the pin, so that whoever reads it there need not be told another way. */
function addressOf(url: string, credentials: CredentialsInForce | undefined): string {
  return credentials === undefined ? url : withPin(url, credentials.current.pin);
}

function folderOfAnother(dataDir: string, other: string): string {
  return (
    `The data folder ${dataDir} is that of the coordinator at ${other}, which goes on: commands and tokens of the ` +
    'folder are for that one. Give this one a folder of its own with --data-dir.'
  );
}

const openToAll =
  'OPEN: no token is asked for. Everybody who can reach this address may submit programs, read all results ' +
  'and remove everything (--open).';

/** As many connections as there can be files, unless somebody has asked for more. */
function limitsInForce(log: Logger, usual: Limits, asked: Partial<Limits> = {}): Limits {
  const files = mostOpenFiles();
  if (asked.connections !== undefined) {
    const sentence = tooFewFiles(files, asked.connections);
    if (sentence !== undefined) log.warn(sentence);
  }
  return { ...usual, connections: connectionsWithin(files, usual.connections), ...asked };
}

function pressureLimits({
  pressureDelayMs = defaults.pressureDelayMs.defaultValue,
  pressureHeapPercent = defaults.pressureHeapPercent.defaultValue,
}: CoordinatorSettings): PressureLimits {
  const heapBytes = getHeapStatistics().heap_size_limit;
  return {
    mostDelayMs: pressureDelayMs,
    mostHeapBytes: (heapBytes * pressureHeapPercent) / 100,
  };
}

async function listen(
  server: Server,
  { host, port, isPortNegotiable }: CoordinatorSettings,
): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EADDRINUSE' || isPortNegotiable !== true)
      throw error;
    return server.listen({ host, port: 0 });
  }
}

/** The server's own sentence, with the code of a coordinator that could not start. */
function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'ListenFault') return error;
  return new CommandFailure('cannotStart', error.message, [], error);
}
