// Stands in for Node's `path` in a bundle: paths as texts, with slashes.

export const sep = '/';
export const delimiter = ':';

export const isAbsolute = (path: string): boolean => path.startsWith('/');

export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !isAbsolute(path)) parts.push(part);
  }
  const end = path.endsWith('/') && parts.length > 0 ? '/' : '';
  return `${isAbsolute(path) ? '/' : ''}${parts.join('/')}${end}` || '.';
}

export const join = (...parts: readonly string[]): string =>
  normalize(parts.filter((part) => part !== '').join('/'));

export function resolve(...parts: readonly string[]): string {
  const start = parts.findLastIndex(isAbsolute);
  const path = normalize(`/${parts.slice(Math.max(start, 0)).join('/')}`);
  return path.length > 1 ? path.replace(/\/$/, '') : path;
}

export function dirname(path: string): string {
  const trimmed = path.replace(/(?<=.)\/+$/, '');
  const at = trimmed.lastIndexOf('/');
  return at < 0 ? '.' : trimmed.slice(0, at) || '/';
}

export function basename(path: string, ending = ''): string {
  const name = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return ending !== '' && name !== ending && name.endsWith(ending)
    ? name.slice(0, -ending.length)
    : name;
}

export const extname = (path: string): string => /[^.](\.[^.]*)$/.exec(basename(path))?.[1] ?? '';

export function relative(from: string, to: string): string {
  const [here, there] = [from, to].map((path) => resolve(path).split('/').filter(Boolean));
  const shared = here!.findIndex((part, at) => part !== there![at]);
  const common = shared < 0 ? here!.length : shared;
  return [...here!.slice(common).map(() => '..'), ...there!.slice(common)].join('/');
}

const path = {
  basename,
  delimiter,
  dirname,
  extname,
  isAbsolute,
  join,
  normalize,
  relative,
  resolve,
  sep,
};
export const posix = path;

// oxlint-disable-next-line import/no-default-export -- because Node's module has one
export default path;
