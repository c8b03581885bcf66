// What documents of the browser worker may do, as their headers say it.

/** Chromium tells of names that it does not know: these are features that browsers have by default. */
const features = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'keyboard-map',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'sync-xhr',
  'usb',
  'window-management',
  'xr-spatial-tracking',
];

const plainHost = /^[a-z0-9.-]+(:\d{1,5})?$/i;

/**
 * For the page and its scripts. Not every browser takes the sockets of a page's own host for its own
 * (`'self'`), so they are named as well. `host`: as the client has asked for it. `styles`: SHA-256 of those that stand
 * in the document, in base64.
 */
export function pagePolicy(
  scheme: 'http' | 'https',
  host: string | undefined,
  styles: readonly string[],
): string {
  const sockets = scheme === 'https' ? 'wss:' : 'ws:';
  // An address of IPv6 cannot be written in a policy.
  const own = host !== undefined && plainHost.test(host) ? ` ${sockets}//${host}` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...styles.map((hash) => `'sha256-${hash}'`)].join(' '),
    "img-src 'self'",
    "font-src 'self'",
    `connect-src 'self'${own}`,
    "worker-src 'self'",
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * For the frame in which tasks run: of no origin, and out of it leads nothing but the port that it is given.
 * `script`: SHA-256 of its one script, in base64.
 */
export function frameHeaders(script: string): Readonly<Record<string, string>> {
  const policy = [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'unsafe-eval' 'wasm-unsafe-eval' blob: 'sha256-${script}'`,
    'worker-src blob:',
    "connect-src 'none'",
    "img-src 'none'",
    "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'permissions-policy': features.map((name) => `${name}=()`).join(', '),
    'x-dns-prefetch-control': 'off',
  };
}
