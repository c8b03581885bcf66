import { expect, test } from 'vitest';
import { deviceFacts, nounOf } from './device.ts';

const mozilla = 'Mozilla/5.0';
const mac = `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/19.0 Safari/605.1.15`;

test.each([
  [
    `${mozilla} (Linux; Android 10; K) Chrome/153.0.0.0 Mobile Safari/537.36`,
    'phone',
    'android',
    'Chrome',
  ],
  [
    `${mozilla} (Linux; Android 10; K) Chrome/153.0.0.0 Safari/537.36`,
    'tablet',
    'android',
    'Chrome',
  ],
  [
    `${mozilla} (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1`,
    'phone',
    'ios',
    'Safari',
  ],
  [
    `${mozilla} (iPhone; CPU iPhone OS 19_0 like Mac OS X) CriOS/153.0 Mobile Safari/604.1`,
    'phone',
    'ios',
    'Chrome',
  ],
  [
    `${mozilla} (Android 16; Mobile; rv:150.0) Gecko/150.0 Firefox/150.0`,
    'phone',
    'android',
    'Firefox',
  ],
  [
    `${mozilla} (Windows NT 10.0; Win64) Chrome/153.0.0.0 Safari/537.36 Edg/153.0.0.0`,
    'computer',
    'win32',
    'Edge',
  ],
  [
    `${mozilla} (X11; CrOS x86_64) Chrome/153.0.0.0 Safari/537.36`,
    'computer',
    'chromeos',
    'Chrome',
  ],
  [
    `${mozilla} (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0`,
    'computer',
    'linux',
    'Firefox',
  ],
  [mac, 'computer', 'darwin', 'Safari'],
  ['something new', 'computer', 'unknown', 'browser'],
])('%s is a %s', (userAgent, noun, platform, browserName) => {
  const browser = { userAgent, hardwareConcurrency: 8 };
  expect(nounOf(browser)).toBe(noun);
  expect(deviceFacts(browser)).toEqual({
    isHandheld: noun !== 'computer',
    platform,
    browserName,
    cores: 8,
    deviceMemoryGb: null,
  });
});

test('a Mac with a screen for fingers is an iPad', () => {
  const browser = { userAgent: mac, maxTouchPoints: 5 };
  expect(nounOf(browser)).toBe('tablet');
  expect(deviceFacts(browser)).toMatchObject({ isHandheld: true, platform: 'ios', cores: null });
});
