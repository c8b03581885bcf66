import { describe, expect, test } from 'vitest';
import { parseAddress } from './address.ts';

describe('an address', () => {
  test.each(['h:u@s/h%', 'a?b', 'a#b', '12?b', '12#b', '1/2'])(
    'whose password is %s as it is, unescaped, is refused without any of it',
    (password) => {
      const parse = () => parseAddress(`postgres://muster:${password}@db.lan/muster`);
      expect(parse).toThrow(/%2F|is not a valid URL/);
      expect(parse).not.toThrow(password.slice(1));
    },
  );

  test('is shown without its password, wherever that stands', () => {
    const { shown } = parseAddress(
      'postgres://muster:hidden@db.lan/muster?password=hidden&schema=two',
    );
    expect(shown).toBe('postgres://muster:***@db.lan/muster?schema=two');
  });

  test.each(['shema=two', 'sslmod=verify-full', 'statement_timeout=1'])(
    'with %s, which is not known, is refused',
    (asked) => {
      expect(() => parseAddress(`postgres://db.lan/muster?${asked}`)).toThrow(
        'is no setting that is known here',
      );
    },
  );

  test.each(['require', 'prefer', 'verify-ca', 'verify-ful', ''])(
    'with sslmode=%s is refused: it may not be what it says',
    (mode) => {
      expect(() => parseAddress(`postgres://db.lan/muster?sslmode=${mode}`)).toThrow(
        '"sslmode" is verify-full',
      );
    },
  );

  test('may name a socket and a user in its settings', () => {
    const { shown } = parseAddress('postgres:///muster?host=/run/postgresql&user=muster@one');
    expect(shown).toContain('user=muster%40one');
  });
});
