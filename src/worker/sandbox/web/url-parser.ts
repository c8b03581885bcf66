// The parser behind `URL`, after the URL Standard, part by part from left to right. The text of this
// function is evaluated in the compartment of each job that asks for it.

import type { UrlHosts } from './url-hosts.ts';

/** A parsed address, as the URL Standard has it. */
export interface UrlRecord {
  scheme: string;
  username: string;
  password: string;
  host: string | null;
  port: number | null;
  /** One text when the path is opaque (`mailto:a@b`). */
  path: string[] | string;
  query: string | null;
  fragment: string | null;
}

/** Where a setter of `URL` begins to parse. */
export type UrlState =
  | 'scheme start'
  | 'hostname'
  | 'host'
  | 'port'
  | 'path start'
  | 'query'
  | 'fragment';

export interface UrlParser {
  /** Null when the text is no address. */
  parse(text: string, base: UrlRecord | null): UrlRecord | null;
  /** Does nothing when the text cannot stand there. */
  change(url: UrlRecord, text: string, from: UrlState): void;
  encode(text: string, set: 'userinfo'): string;
  isSpecial(url: UrlRecord): boolean;
}

export function makeUrlParser({ Failure, encode, parseHost }: UrlHosts): UrlParser {
  const ports: Readonly<Record<string, number | null>> = {
    ftp: 21,
    file: null,
    http: 80,
    https: 443,
    ws: 80,
    wss: 443,
  };
  // Paths.

  const isSpecial = ({ scheme }: UrlRecord) => Object.hasOwn(ports, scheme);
  const isDriveLetter = (text: string) => /^[a-z][:|]$/i.test(text);
  const startsWithDrive = (text: string) => /^[a-z][:|](?:[/\\?#]|$)/i.test(text);
  const isSingleDot = (part: string) => /^(?:\.|%2e)$/i.test(part);
  const isDoubleDot = (part: string) => /^(?:\.|%2e){2}$/i.test(part);

  function shorten({ scheme, path }: UrlRecord): void {
    const parts = path as string[];
    if (scheme === 'file' && parts.length === 1 && /^[a-z]:$/i.test(parts[0]!)) return;
    parts.pop();
  }

  function readPath(url: UrlRecord, text: string): void {
    const parts = url.path as string[];
    const pieces = text.split(isSpecial(url) ? /[/\\]/ : '/');
    pieces.forEach((piece, at) => {
      const isLast = at === pieces.length - 1;
      if (isDoubleDot(piece)) {
        shorten(url);
        if (isLast) parts.push('');
      } else if (isSingleDot(piece)) {
        if (isLast) parts.push('');
      } else {
        const isDrive = url.scheme === 'file' && parts.length === 0 && isDriveLetter(piece);
        parts.push(isDrive ? `${piece[0]}:` : encode(piece, 'path'));
      }
    });
  }

  // The parts of an address, from left to right. Each takes what it reads off the text and gives the rest on.

  function readTail(url: UrlRecord, text: string): void {
    const [, query, fragment] = /^(?:\?([^#]*))?(?:#([^]*))?$/.exec(text)!;
    if (query !== undefined) url.query = encodeQuery(url, query);
    if (fragment !== undefined) url.fragment = encode(fragment, 'fragment');
  }

  const encodeQuery = (url: UrlRecord, text: string) =>
    encode(text, isSpecial(url) ? 'special query' : 'query');

  /** Splits before the query or the fragment. */
  function split(text: string): readonly [string, string] {
    const end = text.search(/[?#]/);
    return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end)];
  }

  function readPathAndTail(url: UrlRecord, text: string): void {
    const [path, tail] = split(text);
    const begins = isSpecial(url) ? /^[/\\]/ : /^\//;
    if (begins.test(path)) readPath(url, path.slice(1));
    else if (path !== '' || isSpecial(url)) readPath(url, path);
    readTail(url, tail);
  }

  function readAuthority(url: UrlRecord, text: string): void {
    const end = text.search(isSpecial(url) ? /[/\\?#]/ : /[/?#]/);
    const authority = end < 0 ? text : text.slice(0, end);
    const at = authority.lastIndexOf('@');
    if (at >= 0) {
      const user = authority.slice(0, at);
      const colon = user.indexOf(':');
      url.username = encode(colon < 0 ? user : user.slice(0, colon), 'userinfo');
      url.password = colon < 0 ? '' : encode(user.slice(colon + 1), 'userinfo');
    }
    const server = authority.slice(at + 1);
    if (server === '' && at >= 0) throw new Failure();
    readHostAndPort(url, server);
    readPathAndTail(url, end < 0 ? '' : text.slice(end));
  }

  function readHostAndPort(url: UrlRecord, text: string): void {
    const [, host = '', port] = /^((?:\[[^\]]*\]?|[^:[])*)(?::([^]*))?$/.exec(text) ?? ['', text];
    if (host === '' && (isSpecial(url) || port !== undefined)) throw new Failure();
    url.host = host === '' ? '' : parseHost(host, isSpecial(url));
    if (port === undefined || port === '') return;
    url.port = portOf(url, port);
  }

  function portOf({ scheme }: UrlRecord, text: string): number | null {
    if (!/^\d+$/.test(text) || Number(text) > 65_535) throw new Failure();
    return Number(text) === ports[scheme] ? null : Number(text);
  }

  function readFile(url: UrlRecord, text: string, base: UrlRecord | null): void {
    url.host = '';
    const isFileBase = base?.scheme === 'file';
    if (/^[/\\]{2}/.test(text)) {
      const rest = text.slice(2);
      const end = rest.search(/[/\\?#]/);
      const host = end < 0 ? rest : rest.slice(0, end);
      if (isDriveLetter(host)) return readPathAndTail(url, rest);
      if (host !== '') {
        const parsed = parseHost(host, true);
        url.host = parsed === 'localhost' ? '' : parsed;
      }
      return readPathAndTail(url, end < 0 ? '' : rest.slice(end));
    }
    if (/^[/\\]/.test(text)) {
      if (isFileBase) {
        url.host = base.host;
        const [drive] = base.path;
        const isKept = drive !== undefined && /^[a-z]:$/i.test(drive);
        if (isKept && !startsWithDrive(text.slice(1))) (url.path as string[]).push(drive);
      }
      return readPathAndTail(url, text);
    }
    if (!isFileBase) return readPathAndTail(url, text);
    url.host = base.host;
    if (startsWithDrive(text)) return readPathAndTail(url, text);
    readRelative(url, text, base);
  }

  /** A path, a query or a fragment beside those of the base. */
  function readRelative(url: UrlRecord, text: string, base: UrlRecord): void {
    url.path = Array.from(base.path);
    const [path, tail] = split(text);
    if (path === '') {
      if (!tail.startsWith('?')) url.query = base.query;
      return readTail(url, tail);
    }
    shorten(url);
    readPath(url, path);
    readTail(url, tail);
  }

  function readFrom(url: UrlRecord, text: string, base: UrlRecord): void {
    const slashes = isSpecial(url) ? /^[/\\]{2}/ : /^\/\//;
    if (slashes.test(text)) {
      return readAuthority(url, isSpecial(url) ? text.replace(/^[/\\]+/, '') : text.slice(2));
    }
    Object.assign(url, {
      username: base.username,
      password: base.password,
      host: base.host,
      port: base.port,
    });
    const isAbsolute = isSpecial(url) ? /^[/\\]/.test(text) : text.startsWith('/');
    if (isAbsolute) return readPathAndTail(url, text);
    readRelative(url, text, base);
  }

  function read(text: string, base: UrlRecord | null): UrlRecord {
    const url: UrlRecord = {
      scheme: '',
      username: '',
      password: '',
      host: null,
      port: null,
      path: [],
      query: null,
      fragment: null,
    };
    const [, scheme, rest = ''] = /^([a-z][a-z\d+.-]*):([^]*)$/i.exec(text) ?? [''];
    if (scheme === undefined) {
      readWithoutScheme(url, text, base);
      return url;
    }
    url.scheme = scheme.toLowerCase();
    if (url.scheme === 'file') readFile(url, rest, base);
    else if (isSpecial(url)) {
      const isRelative =
        base?.scheme === url.scheme && !/^[/\\]{2}/.test(rest) && !rest.startsWith('//');
      if (isRelative) readFrom(url, rest, base);
      else readAuthority(url, rest.replace(/^[/\\]+/, ''));
    } else if (rest.startsWith('//')) readAuthority(url, rest.slice(2));
    else if (rest.startsWith('/')) readPathAndTail(url, rest);
    else {
      const [path, tail] = split(rest);
      url.path = encode(tail === '' ? path : path.replace(/ $/, '%20'), 'control');
      readTail(url, tail);
    }
    return url;
  }

  function readWithoutScheme(url: UrlRecord, text: string, base: UrlRecord | null): void {
    if (base === null) throw new Failure();
    url.scheme = base.scheme;
    if (typeof base.path === 'string') {
      if (!text.startsWith('#')) throw new Failure();
      url.path = base.path;
      url.query = base.query;
      readTail(url, text);
    } else if (base.scheme === 'file') readFile(url, text, base);
    else readFrom(url, text, base);
  }

  // The setters of an address.

  function change(url: UrlRecord, given: string, from: UrlState): void {
    const text = given.replace(/[\t\n\r]/g, '');
    const copy = { ...url };
    try {
      changePart(copy, text, from);
    } catch (error) {
      if (error instanceof Failure) return;
      throw error;
    }
    Object.assign(url, copy);
  }

  function changePart(url: UrlRecord, text: string, from: UrlState): void {
    switch (from) {
      case 'scheme start': {
        const scheme = /^([a-z][a-z\d+.-]*)(?::|$)/i.exec(text)?.[1]?.toLowerCase();
        if (scheme === undefined || isSpecial({ ...url, scheme }) !== isSpecial(url)) return;
        const hasServer = url.username !== '' || url.password !== '' || url.port !== null;
        if (scheme === 'file' && hasServer) return;
        if (url.scheme === 'file' && url.host === '') return;
        url.scheme = scheme;
        if (url.port === ports[scheme]) url.port = null;
        return;
      }
      case 'host':
      case 'hostname': {
        const end = text.search(isSpecial(url) ? /[/\\?#]/ : /[/?#]/);
        const server = end < 0 ? text : text.slice(0, end);
        const [, host = '', port] = /^((?:\[[^\]]*\]?|[^:[])*)(?::([^]*))?$/.exec(server) ?? [''];
        const takesPort = from === 'host' && url.scheme !== 'file';
        if (port !== undefined && (host === '' || !takesPort)) return;
        if (host === '' && isSpecial(url) && url.scheme !== 'file') return;
        if (host === '' && (url.username !== '' || url.password !== '' || url.port !== null))
          return;
        const parsed = host === '' ? '' : parseHost(host, isSpecial(url));
        url.host = url.scheme === 'file' && parsed === 'localhost' ? '' : parsed;
        const digits = /^\d+/.exec(port ?? '')?.[0];
        if (digits !== undefined) changePort(url, digits);
        return;
      }
      case 'port': {
        const digits = /^\d+/.exec(text)?.[0];
        if (text === '') url.port = null;
        else if (digits !== undefined) changePort(url, digits);
        return;
      }
      case 'path start': {
        url.path = [];
        const begins = isSpecial(url) ? /^[/\\]/ : /^\//;
        const rest = begins.test(text) ? text.slice(1) : text;
        if (isSpecial(url) || text !== '' || url.host === null) readPath(url, rest);
        url.path = url.path.map((part) =>
          part.replace(/[?#]/g, (c) => (c === '?' ? '%3F' : '%23')),
        );
        return;
      }
      case 'query':
        url.query = encodeQuery(url, text);
        return;
      case 'fragment':
        url.fragment = encode(text, 'fragment');
    }
  }

  function changePort(url: UrlRecord, digits: string): void {
    if (Number(digits) <= 65_535) url.port = portOf(url, digits);
  }

  function parse(given: string, base: UrlRecord | null): UrlRecord | null {
    const text = given.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
    try {
      return read(text, base);
    } catch (error) {
      if (error instanceof Failure) return null;
      throw error;
    }
  }

  return { parse, change, encode, isSpecial };
}
