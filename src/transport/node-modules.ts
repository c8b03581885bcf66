// The modules of Node that pins need, for code that is loaded in pages as well: they are asked for when a
// pin is used, by a call that bundlers do not follow. The types name the part of them that is used.

export interface TlsConnection {
  once(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'secureConnect', listener: () => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  setTimeout(ms: number, listener?: () => void): unknown;
  destroy(): unknown;
  getPeerX509Certificate(): PeerCertificate | undefined;
}

interface PeerCertificate {
  readonly publicKey: {
    export(form: { readonly type: 'spki'; readonly format: 'der' }): Uint8Array;
  };
}

export type ConnectCallback = (error: Error | null, connection?: TlsConnection) => void;

export interface HttpAgent {
  createConnection: (options: ConnectTarget, callback: ConnectCallback) => undefined;
}

export interface ConnectTarget {
  readonly host?: string | undefined;
  readonly port?: number | string | undefined;
}

export interface HttpAnswer extends AsyncIterable<unknown> {
  readonly statusCode?: number;
  readonly statusMessage?: string;
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data', listener: (piece: string) => void): unknown;
  once(event: 'end' | 'close', listener: () => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy(error?: Error): unknown;
}

interface RequestSocket {
  readonly connecting: boolean;
  readonly encrypted?: boolean;
  once(event: 'connect' | 'secureConnect' | 'close', listener: () => void): unknown;
}

export interface HttpRequest {
  readonly reusedSocket: boolean;
  on(event: 'error', listener: (error: Error & { readonly code?: string }) => void): unknown;
  once(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
  once(event: 'response', listener: (answer: HttpAnswer) => void): unknown;
  once(event: 'socket', listener: (socket: RequestSocket) => void): unknown;
  write(chunk: Uint8Array): boolean;
  end(chunk?: string | Uint8Array): unknown;
  destroy(error?: Error): unknown;
  readonly destroyed: boolean;
  readonly writableFinished: boolean;
}

/** `http` and `https` alike. */
export interface HttpModule {
  readonly Agent: new (options: { readonly keepAlive: true }) => HttpAgent;
  request(
    url: string,
    options: {
      readonly method: string;
      readonly headers: Record<string, string>;
      readonly agent: HttpAgent;
    },
  ): HttpRequest;
}

export interface NodeModules {
  readonly tls: {
    connect(options: {
      readonly host: string;
      readonly port: number;
      readonly servername?: string;
      readonly rejectUnauthorized: false;
      readonly ALPNProtocols: string[];
    }): TlsConnection;
  };
  readonly http: HttpModule;
  readonly https: HttpModule;
  readonly crypto: {
    createHash(kind: 'sha256'): {
      update(bytes: Uint8Array): { digest(form: 'base64url'): string };
    };
  };
  readonly net: { isIP(text: string): number };
  readonly stream: {
    readonly Readable: { toWeb(readable: HttpAnswer): ReadableStream<Uint8Array> };
  };
}

/** False in a page. */
export function canPin(): boolean {
  return findNodeModules() !== null;
}

/** Not in a page, and not in programs that only resemble Node: their `fetch` is what they are good at. */
export function isNode(): boolean {
  if ('document' in globalThis || 'WorkerGlobalScope' in globalThis) return false;
  const { process: platform } = globalThis as { readonly process?: { readonly versions?: object } };
  const { versions = {} } = platform ?? {};
  return 'node' in versions && !('bun' in versions || 'deno' in versions) && canPin();
}

/** Null in a page, and in a Node that is older than 20.16. */
export function findNodeModules(): NodeModules | null {
  const platform = globalThis as unknown as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => unknown };
  };
  const load = platform.process?.getBuiltinModule;
  if (load === undefined) return null;
  const names = ['tls', 'http', 'https', 'crypto', 'net', 'stream'];
  return Object.fromEntries(
    names.map((name) => [name, load(`node:${name}`)]),
  ) as unknown as NodeModules;
}
