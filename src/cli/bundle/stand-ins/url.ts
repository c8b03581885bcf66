// Stands in for Node's `url` in a bundle.

export const { URL, URLSearchParams } = globalThis;

export function fileURLToPath(address: URL | string): string {
  return decodeURIComponent(new URL(address).pathname);
}

export function pathToFileURL(path: string): URL {
  return new URL(encodeURI(path).replace(/[?#]/g, encodeURIComponent), 'file:///');
}
