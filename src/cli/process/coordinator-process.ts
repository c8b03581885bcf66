// A coordinator in this process: store, coordinator, HTTP server, and the order in which they come
// and go. The address is taken last and given up first.

import { dirname, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { Logger } from 'pino';
import type { AlgorithmId } from '../../core/snapshot.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { RunningCoordinator as RunningDecider } from '../../coordinator/index.ts';
import { byItself } from '../../coordinator/port/audit.ts';
import type { AuditUse } from '../../server/access/audit.ts';
import type { PagesFolder } from '../../pages/pages-folder.ts';
import type { Server } from '../../server/server.ts';
import type { PressureLimits } from '../../server/pressure.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import type { CredentialsInForce } from '../../server/tls/credentials-in-force.ts';
import { removeAddress } from './access-files.ts';
import { tellCertificate } from './certificate-told.ts';
import { connectionsWithin, mostOpenFiles, tooFewFiles } from './open-files.ts';
import { makeFolderPrivate } from './private-files.ts';
import { openCredentials, type TlsSettings } from './tls-settings.ts';
import type { LogSettings } from './serve-log.ts';
import { beginRecording, type RecordSettings } from './begin-recording.ts';
import type { Recording } from './recording.ts';
import { type CoreChoices, coreSettings } from './core-settings.ts';
import { freeBytes, storeFiles } from './store-files.ts';
import { fileOf, type StorePlace, storePlace } from './store-place.ts';
import { addressOf, keepServedAddress, memberUrl } from './told-address.ts';
import type { WorkingOptions } from './working.ts';
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
  /** Where the other coordinators of the database reach this one; absent: it works alone. */
  readonly advertise?: string;
  readonly lead?: 'auto' | 'never';
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
    { createCoordinator },
    { workAlone, workAsMember },
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
    import('./working.ts'),
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
  refuseImpossible(settings, place);
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
  const operator = new OperatorLog({
    log,
    place: place.kind === 'server' ? 'server' : 'file',
  });
  const rules = createAddressRules(settings.notifyAllow);
  const isTelling = settings.notify !== 'off';
  // A store that keeps nothing has no file beside it.
  const auditFile =
    place.kind === 'memory' ? undefined : new AuditFile({ path: auditFilePath(dataDir) }, log);
  const { coordinatorName } = settings;
  const named = coordinatorName === undefined ? {} : { coordinatorName };
  let recording: Recording | undefined;
  const make: WorkingOptions['make'] = (store, runtime, otherCoordinators) =>
    createCoordinator({
      store,
      ...(otherCoordinators === undefined ? {} : { otherCoordinators }),
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
      runtime,
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
  const { allowOrigin: allowedOrigins = [], open: isOpen = false } = settings;
  let certificateTold: Promise<void> | undefined;
  /** What is written down of a coordinator is, where the audit log is kept. */
  const tellsAudit = settings.audit !== 'off';
  const modeOf = ({ tokens }: RunningDecider): string => {
    if (isOpen) return 'open';
    return tokens.areNeeded ? 'tokens' : 'open_here';
  };
  /** In force, and served: both may come first. */
  const tellBeginning = (coordinator: RunningDecider) => {
    const { audit } = coordinator;
    if (tellsAudit) {
      audit.tell({ ...byItself, action: 'coordinator.start', object: modeOf(coordinator) });
    }
    // Coordinators of a cluster have each its own.
    if (credentials === undefined || settings.advertise !== undefined) return;
    // Nobody who comes waits until a long audit log is read. A store that fails says so elsewhere.
    const trail = {
      list: audit.list.bind(audit),
      tell: tellsAudit ? audit.tell.bind(audit) : () => undefined,
    };
    certificateTold = tellCertificate(credentials.current, trail, log, dataDir).catch(
      () => undefined,
    );
  };
  let deciding: RunningDecider | undefined;
  let isServed = false;
  const working: WorkingOptions = {
    log,
    make,
    onEntered: (coordinator) => {
      deciding = coordinator;
      operator.heardJump(coordinator.state.restart?.downMs ?? 0);
      if (isServed) tellBeginning(coordinator);
    },
    onLeaving: ({ audit }) => {
      if (isServed && tellsAudit)
        audit.tell({ ...byItself, action: 'coordinator.stop', object: null });
    },
  };
  /** What others have open here; known when there is a server. */
  let open: Pick<Server, 'workerSockets' | 'trunks'> = { workerSockets: 0, trunks: [] };
  const { advertise } = settings;
  const work =
    place.kind === 'server' && advertise !== undefined
      ? await workAsMember(
          place.address,
          {
            url: memberUrl(advertise, credentials),
            version,
            mayLead: settings.lead !== 'never',
            settings: coreSettings(settings),
            workers: () => open.workerSockets,
            lines: () => open.trunks,
          },
          working,
        )
      : await workAlone(place, working);
  const check = new DatabaseCheck(path, log);
  const endGrowthWatch = path === undefined ? () => undefined : watchGrowth(path, log);
  const pages = new PagesFolder();
  const server = createServer({
    coordinator: work.inForce,
    ...(work.cluster === undefined ? {} : { cluster: work.cluster }),
    ...(work.stage === undefined ? {} : { stage: work.stage }),
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
  open = server;
  const stop = async () => {
    if (server.address !== null) removeAddress(dataDir, addressOf(server.address, credentials));
    pages.leaveBuilder();
    watch.stop();
    disk.stop();
    credentials?.stop();
    endGrowthWatch();
    await check.stop();
    await certificateTold;
    await work.leave();
    await recording?.end();
    operator.stop();
    await auditFile?.stop();
    await server.close();
    await work.close();
  };
  try {
    if (work.cluster === undefined) {
      recording = await beginRecording(deciding!, settings, { folder, version, log });
    }
    const url = await listen(server, settings);
    const keepAddress = () => keepServedAddress(dataDir, addressOf(url, credentials), log);
    keepAddress();
    credentials?.onChange(keepAddress);
    if (isOpen) log.error(openToAll);
    isServed = true;
    if (work.inForce.health === 'ready') tellBeginning(deciding!);
    credentials?.onChange(({ pin }) => {
      if (tellsAudit && work.inForce.health === 'ready') {
        work.inForce.audit.tell({ ...byItself, action: 'certificate.change', object: pin });
      }
    });
    void buildPages(pages, log);
    watch.start();
    const tls = credentials === undefined ? {} : { credentials };
    return {
      url,
      ...tls,
      needsTokens: !isOpen && work.needsTokens,
      failed: work.failed,
      endRecording: async () => recording?.end(),
      stop,
    };
  } catch (error) {
    await stop();
    await recording?.discard();
    throw explained(error);
  }
}

/** Throws `CommandFailure` for settings that contradict one another. */
function refuseImpossible({ advertise, record }: CoordinatorSettings, { kind }: StorePlace): void {
  if (advertise === undefined) return;
  if (kind !== 'server') {
    throw new CommandFailure(
      'cannotStart',
      'Several coordinators need a database of PostgreSQL (--store postgres://…): a file has one.',
      ['Leave --advertise out, and this one works alone.'],
    );
  }
  if (record !== undefined) {
    throw new CommandFailure(
      'cannotStart',
      'A coordinator that may lead and follow in turns records nothing (--record).',
      ['Record one that works alone: leave --advertise out.'],
    );
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
