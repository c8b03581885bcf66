// What this device is, from what its browser says of itself: for the list of the coordinator, and for the word
// by which the page calls it.

import type { BeginOptions } from '../../worker/browser/page-messages.ts';

/** As in "this phone". */
export type DeviceNoun = 'phone' | 'tablet' | 'computer';

/** What a `navigator` says; not every browser says all of it. */
export interface Navigator {
  readonly userAgent: string;
  readonly maxTouchPoints?: number;
  readonly hardwareConcurrency?: number;
  readonly deviceMemory?: number;
}

export type DeviceFacts = Omit<BeginOptions, 'version' | 'isReload' | 'wasClosed'>;

export function nounOf(browser: Navigator): DeviceNoun {
  const { userAgent } = browser;
  if (/iPhone|iPod|Windows Phone|Android.*Mobile|Mobile.*Firefox/.test(userAgent)) return 'phone';
  return /iPad|Android|Tablet/.test(userAgent) || isDisguisedTablet(browser)
    ? 'tablet'
    : 'computer';
}

export function deviceFacts(browser: Navigator): DeviceFacts {
  const { userAgent, hardwareConcurrency, deviceMemory } = browser;
  return {
    isHandheld: nounOf(browser) !== 'computer',
    platform: isDisguisedTablet(browser) ? 'ios' : firstMatch(platforms, userAgent, 'unknown'),
    browserName: firstMatch(browsers, userAgent, 'browser'),
    cores: hardwareConcurrency ?? null,
    deviceMemoryGb: deviceMemory ?? null,
  };
}

/** An iPad says that it is a Mac. No Mac has a screen for fingers. */
function isDisguisedTablet({ userAgent, maxTouchPoints = 0 }: Navigator): boolean {
  return userAgent.includes('Macintosh') && maxTouchPoints > 1;
}

type Names = readonly (readonly [RegExp, string])[];

const platforms: Names = [
  [/iPhone|iPad|iPod/, 'ios'],
  [/Android/, 'android'],
  [/CrOS/, 'chromeos'],
  [/Windows/, 'win32'],
  [/Macintosh/, 'darwin'],
  [/Linux|X11/, 'linux'],
];

/** The special before the general: nearly all of them say that they are Safari, too. */
const browsers: Names = [
  [/Edg(?:A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

function firstMatch(names: Names, text: string, otherwise: string): string {
  return names.find(([pattern]) => pattern.test(text))?.[1] ?? otherwise;
}
