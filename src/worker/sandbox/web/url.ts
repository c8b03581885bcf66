// `URL` and `URLSearchParams` of a program. The text of this function is evaluated in the compartment of
// each job that asks for them: it uses nothing but the language and the parser that it is given.

import type { UrlParser, UrlRecord, UrlState } from './url-parser.ts';

type Pair = [name: string, value: string];

/** Only the classes as such: a declaration cannot name the private members of a class. */
interface UrlClasses {
  readonly URL: new (text: unknown, base?: unknown) => object;
  readonly URLSearchParams: new (init?: unknown) => object;
}

export function makeUrl({ parse, change, encode, isSpecial }: UrlParser): UrlClasses {
  /** Called by a list of parameters that belongs to an address, after each change. */
  const listeners = new WeakMap<URLSearchParams, (text: string) => void>();

  const replacer = (text: unknown) => String(text).toWellFormed();

  function decodeForm(text: string): string {
    return text.replaceAll('+', ' ').replace(/(?:%[\da-f]{2})+/gi, (codes) => {
      try {
        return decodeURIComponent(codes);
      } catch {
        return decodeLoosely(codes);
      }
    });
  }

  /** What may be UTF-8, also what breaks off: the table of well-formed sequences in the Unicode Standard. */
  const next = '%[89ab].';
  const sequences = new RegExp(
    [
      '%[0-7].',
      `%(?:c[2-9a-f]|d.)(?:${next})?`,
      `%e0(?:%[ab].(?:${next})?)?`,
      `%e[1-9a-cef](?:${next}){0,2}`,
      `%ed(?:%[89].(?:${next})?)?`,
      `%f0(?:%[9ab].(?:${next}){0,2})?`,
      `%f[1-3](?:${next}){0,3}`,
      `%f4(?:%8.(?:${next}){0,2})?`,
      '%..',
    ].join('|'),
    'gi',
  );

  /** Bytes that are no UTF-8 become U+FFFD; those around them stay. */
  function decodeLoosely(codes: string): string {
    return codes.replace(sequences, (sequence) => {
      try {
        return decodeURIComponent(sequence);
      } catch {
        return '\ufffd';
      }
    });
  }

  function encodeForm(text: string): string {
    return encodeURIComponent(text)
      .replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
      .replaceAll('%20', '+');
  }

  function pairsOfText(text: string): Pair[] {
    return text
      .split('&')
      .filter((part) => part !== '')
      .map((part) => {
        const at = part.indexOf('=');
        const [name, value] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
        return [decodeForm(name), decodeForm(value)];
      });
  }

  function pairsOf(init: unknown): Pair[] {
    if (init === undefined) return [];
    const isObject = (typeof init === 'object' && init !== null) || typeof init === 'function';
    if (!isObject) return pairsOfText(replacer(init).replace(/^\?/, ''));
    if (typeof (init as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function') {
      return Array.from(init as Iterable<Iterable<unknown>>, (item) => {
        const pair = [...item];
        if (pair.length !== 2) throw new TypeError('a parameter needs a name and a value');
        return [replacer(pair[0]), replacer(pair[1])];
      });
    }
    return Object.entries(init).map(([name, value]) => [replacer(name), replacer(value)]);
  }

  class URLSearchParams {
    #pairs: Pair[];

    constructor(init?: unknown) {
      this.#pairs = pairsOf(init);
    }

    /** Reads the query of an address anew, without telling the address. */
    static reread(params: URLSearchParams, text: string): void {
      params.#pairs = pairsOfText(text);
    }

    get size(): number {
      return this.#pairs.length;
    }

    append(name: unknown, value: unknown): void {
      this.#pairs.push([replacer(name), replacer(value)]);
      this.#tell();
    }

    delete(name: unknown, value?: unknown): void {
      this.#pairs = this.#pairs.filter(([key, item]) => !this.#isMeant(key, item, name, value));
      this.#tell();
    }

    get(name: unknown): string | null {
      return this.#pairs.find(([key]) => key === replacer(name))?.[1] ?? null;
    }

    getAll(name: unknown): string[] {
      return this.#pairs.filter(([key]) => key === replacer(name)).map(([, value]) => value);
    }

    has(name: unknown, value?: unknown): boolean {
      return this.#pairs.some(([key, item]) => this.#isMeant(key, item, name, value));
    }

    set(name: unknown, value: unknown): void {
      const key = replacer(name);
      const first = this.#pairs.find((pair) => pair[0] === key);
      if (first === undefined) this.#pairs.push([key, replacer(value)]);
      else {
        first[1] = replacer(value);
        this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== key);
      }
      this.#tell();
    }

    sort(): void {
      this.#pairs.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
      this.#tell();
    }

    forEach(call: (value: string, name: string, params: this) => void, self?: unknown): void {
      for (const [name, value] of this) call.call(self, value, name, this);
    }

    *entries(): Generator<Pair, undefined> {
      for (let at = 0; at < this.#pairs.length; at++) yield [...this.#pairs[at]!];
    }

    *keys(): Generator<string, undefined> {
      for (const [name] of this.entries()) yield name;
    }

    *values(): Generator<string, undefined> {
      for (const [, value] of this.entries()) yield value;
    }

    [Symbol.iterator](): Generator<Pair, undefined> {
      return this.entries();
    }

    toString(): string {
      return this.#pairs.map((pair) => pair.map(encodeForm).join('=')).join('&');
    }

    get [Symbol.toStringTag](): string {
      return 'URLSearchParams';
    }

    #isMeant(key: string, item: string, name: unknown, value: unknown): boolean {
      return key === replacer(name) && (value === undefined || item === replacer(value));
    }

    #tell(): void {
      listeners.get(this)?.(this.toString());
    }
  }
  // Only the class below rereads: it is no part of what a program sees.
  const { reread } = URLSearchParams;
  Reflect.deleteProperty(URLSearchParams, 'reread');

  function parsed(text: unknown, base: unknown): UrlRecord | null {
    if (base === undefined) return parse(replacer(text), null);
    const from = parse(replacer(base), null);
    return from === null ? null : parse(replacer(text), from);
  }

  function serialized({ host, path, ...url }: UrlRecord): string {
    const user = url.password === '' ? url.username : `${url.username}:${url.password}`;
    const server = `//${user === '' ? '' : `${user}@`}${host}${url.port === null ? '' : `:${url.port}`}`;
    // Without a server, two slashes at the start would be read as one.
    const guard = host === null && typeof path !== 'string' && path.length > 1 && path[0] === '';
    return [
      `${url.scheme}:`,
      host === null ? '' : server,
      guard ? '/.' : '',
      pathText(path),
      url.query === null ? '' : `?${url.query}`,
      url.fragment === null ? '' : `#${url.fragment}`,
    ].join('');
  }

  function pathText(path: UrlRecord['path']): string {
    return typeof path === 'string' ? path : path.map((part) => `/${part}`).join('');
  }

  const hasNoServer = ({ host, scheme }: UrlRecord) =>
    host === null || host === '' || scheme === 'file';

  class URL {
    readonly #url: UrlRecord;
    #params: URLSearchParams | null = null;

    constructor(text: unknown, base?: unknown) {
      const url = parsed(text, base);
      if (url === null) {
        const error = new TypeError('Invalid URL');
        throw Object.assign(error, { code: 'ERR_INVALID_URL', input: String(text) });
      }
      this.#url = url;
    }

    static canParse(text: unknown, base?: unknown): boolean {
      return parsed(text, base) !== null;
    }

    static parse(text: unknown, base?: unknown): URL | null {
      return URL.canParse(text, base) ? new URL(text, base) : null;
    }

    get href(): string {
      return serialized(this.#url);
    }

    set href(text: unknown) {
      const url = parse(replacer(text), null);
      if (url === null) throw new TypeError('Invalid URL');
      Object.assign(this.#url, url);
      this.#reread();
    }

    get origin(): string {
      const { scheme, path } = this.#url;
      if (scheme === 'blob') {
        const inner = parse(pathText(path), null);
        return inner !== null && /^https?$/.test(inner.scheme)
          ? new URL(pathText(path)).origin
          : 'null';
      }
      return isSpecial(this.#url) && scheme !== 'file' ? `${scheme}://${this.host}` : 'null';
    }

    get protocol(): string {
      return `${this.#url.scheme}:`;
    }

    set protocol(text: unknown) {
      this.#change(text, 'scheme start');
    }

    get username(): string {
      return this.#url.username;
    }

    set username(text: unknown) {
      if (!hasNoServer(this.#url)) this.#url.username = encode(replacer(text), 'userinfo');
    }

    get password(): string {
      return this.#url.password;
    }

    set password(text: unknown) {
      if (!hasNoServer(this.#url)) this.#url.password = encode(replacer(text), 'userinfo');
    }

    get host(): string {
      const { host, port } = this.#url;
      return `${host ?? ''}${port === null ? '' : `:${port}`}`;
    }

    set host(text: unknown) {
      if (typeof this.#url.path !== 'string') this.#change(text, 'host');
    }

    get hostname(): string {
      return this.#url.host ?? '';
    }

    set hostname(text: unknown) {
      if (typeof this.#url.path !== 'string') this.#change(text, 'hostname');
    }

    get port(): string {
      return this.#url.port === null ? '' : String(this.#url.port);
    }

    set port(text: unknown) {
      if (!hasNoServer(this.#url)) this.#change(text, 'port');
    }

    get pathname(): string {
      return pathText(this.#url.path);
    }

    set pathname(text: unknown) {
      if (typeof this.#url.path !== 'string') this.#change(text, 'path start');
    }

    get search(): string {
      return this.#url.query ? `?${this.#url.query}` : '';
    }

    set search(text: unknown) {
      const query = replacer(text).replace(/^\?/, '');
      if (query === '') this.#url.query = null;
      else this.#change(query, 'query');
      this.#reread();
    }

    get searchParams(): URLSearchParams {
      if (this.#params === null) {
        const params = new URLSearchParams(this.#url.query ?? '');
        reread(params, this.#url.query ?? '');
        listeners.set(params, (query) => {
          this.#url.query = query === '' ? null : query;
        });
        this.#params = params;
      }
      return this.#params;
    }

    get hash(): string {
      return this.#url.fragment ? `#${this.#url.fragment}` : '';
    }

    set hash(text: unknown) {
      const fragment = replacer(text).replace(/^#/, '');
      if (fragment === '') this.#url.fragment = null;
      else this.#change(fragment, 'fragment');
    }

    toString(): string {
      return this.href;
    }

    toJSON(): string {
      return this.href;
    }

    get [Symbol.toStringTag](): string {
      return 'URL';
    }

    #change(text: unknown, from: UrlState): void {
      change(this.#url, replacer(text), from);
    }

    #reread(): void {
      if (this.#params !== null) reread(this.#params, this.#url.query ?? '');
    }
  }

  return { URL, URLSearchParams };
}
