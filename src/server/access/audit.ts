// Who has done what, from where, and what came of it. A change of a request is written with its commit; what
// changes nothing, or is refused, is told when it was answered. Every route that is not for reading names its
// action; one that does not keeps the server from starting.

import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type Asker, askedBy } from '../../coordinator/port/asking.ts';
import type { Told } from '../../coordinator/port/audit.ts';
import type { Coordinator } from '../../coordinator/port/coordinator.ts';
import type { Bearer } from '../../coordinator/port/tokens.ts';
import { type AuditAction, toldOf } from '../../protocol/audit.ts';
import type { ErrorCode } from '../../protocol/error-codes.ts';
import type { App } from '../app.ts';
import type { Callers } from '../callers.ts';
import type { Access } from './access.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose will is written with the change; null where none is, or nobody wants to know. */
    asker: Asker | null;
    /** What it was answered instead of what it asked for. */
    refusedAs: { readonly code: ErrorCode; readonly tokenId: string | null } | null;
  }
  interface FastifyContextConfig {
    audit?: AuditAction;
  }
}

/** `auto`: where tokens are needed, and with `--open`; else only what decides who may. */
export type AuditUse = 'on' | 'off' | 'auto';

export interface AuditOptions {
  readonly coordinator: Coordinator;
  readonly access: Access;
  readonly callers: Callers;
  readonly use: AuditUse;
}

type Who = Pick<Told, 'tokenId' | 'role' | 'owner' | 'address'>;

/** Whose a socket is, for as long as it is open. */
export interface Holder {
  readonly bearer: Bearer | null;
  readonly who: Who;
}

/** Of a right, or of a quota. */
const statusesOfRights = new Set([401, 403, 429]);

export class Audit {
  private readonly options: AuditOptions;

  constructor(options: AuditOptions) {
    this.options = options;
  }

  /** Call it when all hooks that decide are added: it runs right before the route. */
  attach(app: App): void {
    app.decorateRequest('asker', null);
    app.decorateRequest('refusedAs', null);
    requireActions(app);
    app.addHook('preHandler', (request, _reply, done) => {
      const action = request.routeOptions.config.audit;
      if (action === undefined || !this.isTold(action)) return done();
      const isQuiet = toldOf(action).isOfRefusals === true;
      if (isQuiet || (action === 'blob.put' && request.bearer?.principal.role === 'worker')) {
        return done();
      }
      const asker = this.askerOf(request, action);
      request.asker = asker;
      // What is no change of a commit is told when it was answered.
      if (besideCommits.has(action)) done();
      else askedBy(asker, done);
    });
    app.addHook('onResponse', (request, reply, done) => {
      this.answered(request, reply);
      done();
    });
  }

  holderOf(request: FastifyRequest): Holder {
    return { bearer: request.bearer, who: this.whoOf(request) };
  }

  /** Of a socket that is at another member of the cluster. */
  holderFor(bearer: Bearer | null, address: string | null): Holder {
    return { bearer, who: whoIs(bearer, address) };
  }

  /** The first message of a socket may register a worker. */
  askerOfHello({ who }: Holder): Asker | null {
    const action = 'worker.register';
    if (!this.isTold(action)) return null;
    return { action, object: undefined, ...who, isWritten: false, isOver: false };
  }

  /** Tells at once of what was done beside commits: who has asked for it may have left, and is not answered. */
  done(request: FastifyRequest): void {
    const { asker } = request;
    if (asker === null || asker.isWritten) return;
    asker.isWritten = true;
    const { action, object = null } = asker;
    this.gather(this.whoOf(request), { action, object, outcome: 'done', code: null });
  }

  /** What a socket was refused after it was opened. */
  refusedHello({ who }: Holder, code: ErrorCode): void {
    if (!this.isTold('worker.connect')) return;
    this.gather(who, { action: 'worker.connect', object: null, outcome: 'refused', code });
  }

  private isTold(action: AuditAction): boolean {
    const { access, use } = this.options;
    if (use !== 'auto') return use === 'on';
    return access.isNeeded || access.options.isOpen || toldOf(action).isOfAccess === true;
  }

  private answered(request: FastifyRequest, reply: FastifyReply): void {
    const { asker, refusedAs } = request;
    if (asker !== null) asker.isOver = true;
    if (asker?.isWritten === true || !reply.raw.headersSent) return;
    const action = request.routeOptions.config.audit;
    if (refusedAs === null) {
      if (reply.statusCode < 400) this.done(request);
      return;
    }
    const { statusCode } = reply;
    const isOfRight = statusesOfRights.has(statusCode);
    if (!isOfRight && asker === null && !isChange(action)) return;
    const asked = action ?? 'read';
    if (!this.isTold(asked)) return;
    this.gather(this.whoOf(request), {
      action: asked,
      object: action === undefined ? addressOf(request) : objectOf(request),
      outcome: statusCode >= 500 ? 'failed' : 'refused',
      code: refusedAs.code,
    });
  }

  private gather(who: Who, told: Omit<Told, keyof Who>): void {
    const { coordinator } = this.options;
    // While another takes its place, there is nobody to be told.
    if (coordinator.health !== 'ready') return;
    coordinator.audit.gather({ ...told, ...who });
  }

  private askerOf(request: FastifyRequest, action: AuditAction): Asker {
    const object = makesNew.has(action) ? undefined : objectOf(request);
    return { action, object, ...this.whoOf(request), isWritten: false, isOver: false };
  }

  private whoOf(request: FastifyRequest): Who {
    const { address } = this.options.callers.of(request.raw);
    const { bearer, refusedAs } = request;
    return whoIs(bearer, address === '' ? null : address, refusedAs?.tokenId);
  }
}

function whoIs(bearer: Bearer | null, address: string | null, shownId?: string | null): Who {
  if (bearer === null) return { tokenId: shownId ?? null, role: null, owner: null, address };
  const { tokenId, role, owner } = bearer.principal;
  return { tokenId, role, owner: oneLine(owner), address };
}

const besideCommits: ReadonlySet<AuditAction> = new Set([
  'blob.put',
  'session.begin',
  'session.end',
]);

/** What is changed comes to be with the change. */
const makesNew: ReadonlySet<AuditAction> = new Set([
  'job.submit',
  'token.create',
  'worker.register',
]);

function isChange(action: AuditAction | undefined): boolean {
  return action !== undefined && toldOf(action).isOfRefusals !== true;
}

/** As the document of the interface has it: nothing of it is the asker's. */
function addressOf({ routeOptions }: FastifyRequest): string | null {
  return routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}') ?? null;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Anything else may be a secret that was put in the wrong place. */
const idForms: readonly (readonly [string, RegExp])[] = [
  ['job_id', uuid],
  ['worker_id', uuid],
  ['token_id', /^[0-9a-z]{8}$/],
  ['algorithm', /^[a-z_]{1,24}$/],
  ['sha256', /^[0-9a-f]{64}$/],
];

function objectOf({ params }: FastifyRequest): string | null {
  const given = (params ?? {}) as Readonly<Record<string, unknown>>;
  for (const [name, form] of idForms) {
    const id = given[name];
    if (typeof id === 'string' && form.test(id)) return id;
  }
  return null;
}

const mostCharacters = 200;

/** Words of others, so that they cannot look like more than a word of a line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, '\uFFFD').slice(0, mostCharacters);
}

/** The server does not start with a route of which nobody has said what it does. */
function requireActions(app: App): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  app.addHook('onReady', async () => {
    const missing = routes
      .filter(({ method, config }) => config?.audit === undefined && !isReading(method))
      .map(({ method, url }) => `${[method].flat().join('|')} ${url}`);
    if (missing.length === 0) return;
    throw new Error(`These routes do not say what the audit log tells of: ${missing.join(', ')}`);
  });
}

function isReading(method: RouteOptions['method']): boolean {
  return [method].flat().every((each) => ['GET', 'HEAD', 'OPTIONS'].includes(each));
}
