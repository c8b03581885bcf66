// How many connections fit into the limit of open files: each connection is one. Node has raised that
// limit as far as this user may (`ulimit -Hn`) before anything here runs.

/** Files for the database, the log, and the pipes of local workers. */
const otherFiles = 256;

/** The part of Node's diagnostic report that is read; systems without such a limit leave it out. */
interface Limited {
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
}

/** How many files this process may have open; undefined where that is unknown or unlimited. */
export function mostOpenFiles(): number | undefined {
  const { userLimits } = process.report.getReport() as Limited;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/** The wanted number of connections, or as many as fit beside the other files. */
export function connectionsWithin(files: number | undefined, wanted: number): number {
  if (files === undefined) return wanted;
  return Math.min(wanted, files - Math.min(otherFiles, Math.ceil(files / 2)));
}

/** A sentence for a person when the connections do not fit; undefined when they do. */
export function tooFewFiles(files: number | undefined, asked: number): string | undefined {
  const fitting = connectionsWithin(files, asked);
  if (fitting >= asked) return undefined;
  return (
    `The limit connections is ${asked}, but this process may have ${files} files open, which is enough ` +
    `for ${fitting} connections. Raise the limit of open files (ulimit -n, or LimitNOFILE of ` +
    `systemd), or start with --limit connections=${fitting}.`
  );
}
