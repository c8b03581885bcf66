import { describe, expect, test } from 'vitest';
import { createAddressRules, isAllowance } from './address-rules.ts';
import { targetProblem } from './target.ts';

const none = createAddressRules();

describe('an address', () => {
  test.each([
    '8.8.8.8',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '223.255.255.255',
    '2606:2800:220:1::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('%s is public', (address) => {
    expect(none.allows(address)).toBe(true);
  });

  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    '3fff::1',
    '4000::1',
    '100::1',
    'nonsense',
    '',
    '0x7f.1',
    '127.1',
  ])('%s is not', (address) => {
    expect(none.allows(address)).toBe(false);
  });
});

test('the operator allows addresses, networks and names, in any spelling of them', () => {
  const rules = createAddressRules(['127.0.0.1', '10.1.0.0/16', 'fd12::/16', 'Hooks.LAN.']);
  const allowed = ['127.0.0.1', '::ffff:127.0.0.1', '10.1.2.3', 'fd12::5'];
  expect(allowed.filter((address) => !rules.allows(address))).toEqual([]);
  const others = ['127.0.0.2', '10.2.0.1', 'fd13::1', '::1'];
  expect(others.filter((address) => rules.allows(address))).toEqual([]);
  expect(['hooks.lan', 'HOOKS.lan.', 'other.lan'].map(rules.isNamed)).toEqual([true, true, false]);
});

test('what the operator allows is a host, an address or a network', () => {
  const right = [
    'hooks.lan',
    'localhost',
    'a-b.example.',
    '10.1.2.3',
    '10.0.0.0/8',
    '::1',
    '[::1]',
  ];
  expect(right.filter((text) => !isAllowance(text))).toEqual([]);
  const wrong = [
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '::/129',
    'a/8',
    'http://a',
    'a:80',
    '10.1',
    '0x7f',
  ];
  expect(wrong.filter(isAllowance)).toEqual([]);
});

describe('a target', () => {
  const notPublic = (host: string) =>
    'leads to an address that is not public. The operator of the coordinator can allow it ' +
    `(--notify-allow ${host})`;

  test.each([
    ['https://example.org/hook?x=1', undefined],
    ['HTTP://EXAMPLE.org:8080', undefined],
    ['ftp://example.org/', 'must be an address that begins with http:// or https://'],
    ['http://', 'must be an address that begins with http:// or https://'],
    ['http://999.1.1.1/', 'must be an address that begins with http:// or https://'],
    [
      'https://me:secret@example.org/',
      'must have no name or password in it; a secret that signs the message goes into `secret`',
    ],
    ['http://example.org:22/', 'must have no port below 1024 but 80 and 443'],
    ['http://8.8.8.8:25/', 'must have no port below 1024 but 80 and 443'],
    ['http://[2606:4700::1]:25/', 'must have no port below 1024 but 80 and 443'],
    ['http://8.8.8.8:8080/', undefined],
    ['http://0x7f.1/', notPublic('127.0.0.1')],
    ['http://2130706433/', notPublic('127.0.0.1')],
    ['http://017700000001/', notPublic('127.0.0.1')],
    ['http://127.1.:9000/', notPublic('127.0.0.1')],
    ['http://%31%32%37.0.0.1/', notPublic('127.0.0.1')],
    ['http://[::ffff:127.0.0.1]/', notPublic('::ffff:7f00:1')],
    ['http://[::1]:80/', notPublic('::1')],
    ['http://[fd00::1]/', notPublic('fd00::1')],
    ['http://169.254.169.254/latest/meta-data/', notPublic('169.254.169.254')],
    ['http://100.64.1.1/', notPublic('100.64.1.1')],
    ['http://0.0.0.0/', notPublic('0.0.0.0')],
    ['http://localhost/', notPublic('localhost')],
    ['http://LOCALHOST.:3000/', notPublic('localhost')],
    ['http://a.localhost/', notPublic('a.localhost')],
  ])('%s', (url, problem) => {
    expect(targetProblem(url, none)).toBe(problem);
  });

  test('that the operator allows may be where it is, at any port', () => {
    const rules = createAddressRules(['127.0.0.1', 'hooks.lan']);
    const allowed = ['http://127.0.0.1:99/', 'http://localhost:99/', 'http://hooks.lan:99/'];
    expect(allowed.map((url) => targetProblem(url, rules))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(targetProblem('http://127.0.0.2/', rules)).toBe(notPublic('127.0.0.2'));
  });
});
