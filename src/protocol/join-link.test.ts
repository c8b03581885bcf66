import { expect, test } from 'vitest';
import { looksLikeJoinLink, parseJoinLink, writeJoinLink } from './join-link.ts';
import { writeToken } from './token-text.ts';

const secret = 'Ub3gX0c1Pq7nW5sYd8mKfTjL2hRvZa_-';
const token = writeToken({ kind: 'join', id: '4k2m9x0b', secret });
const pin = 'CqXbL1VcxCzh08JWPjUdN25y-6uhYCIPFlGT-OdS1l4';
const url = 'https://192.168.1.10:8443';
const link = writeJoinLink({ url, token, pin });

test('a link has everything secret behind its #', () => {
  expect(link).toBe(`${url}/join#t=${token}.k=${pin}`);
  expect(parseJoinLink(` ${link}\n`)).toEqual({ url, token, pin });
  expect(parseJoinLink(writeJoinLink({ url, token }))).toEqual({ url, token, pin: undefined });
});

test('a link needs no quotes in a shell, and is read with those that a shell hands on', () => {
  expect(link).toMatch(/^[\w:/.#=-]+$/);
  expect(parseJoinLink(`'${link}'`)).toEqual({ url, token, pin });
  expect(parseJoinLink(`'${link}`)).toMatch(/^This is no link/);
});

test('a link with & between its parts, as they were once, is read', () => {
  const before = `${url}/join#t=${token}&k=${pin}`;
  expect(parseJoinLink(before)).toEqual({ url, token, pin });
  expect(looksLikeJoinLink(`#k=${pin}&t=x`)).toBe(true);
});

test('every link that was cut is refused, by a sentence that repeats nothing of it', () => {
  const whole = link.indexOf('.k=');
  for (let length = url.length; length < link.length; length++) {
    const sentence = parseJoinLink(link.slice(0, length));
    if (length === whole) continue;
    expect(sentence, link.slice(0, length)).toMatch(/^(?:The link was cut|This is no link)/);
    expect(sentence).not.toContain(secret.slice(0, 4));
  }
});

test('every link of which one character was changed is refused, or names another coordinator', () => {
  for (let at = 0; at < link.length; at++) {
    const changed = `${link.slice(0, at)}${link[at] === 'x' ? 'y' : 'x'}${link.slice(at + 1)}`;
    const found = parseJoinLink(changed);
    if (typeof found === 'string') expect(found).not.toContain(secret.slice(0, 4));
    else expect({ ...found, token }, changed).not.toEqual({ url, token, pin });
    if (typeof found !== 'string') expect(found.token).toBe(token);
  }
});

test('a token of another kind does not let a device join', () => {
  const admin = writeToken({ kind: 'admin', id: '4k2m9x0b', secret });
  expect(parseJoinLink(writeJoinLink({ url, token: admin, pin }))).toMatch(/^The link was cut/);
});

test('what is meant for a link is told from an address', () => {
  for (const each of [link, link.slice(0, 60), `${url}/join`, token]) {
    expect(looksLikeJoinLink(each), each).toBe(true);
  }
  for (const each of [url, `${url}#k=${pin}`, 'http://127.0.0.1:8000', `${url}/joinery`]) {
    expect(looksLikeJoinLink(each), each).toBe(false);
  }
});
