// A connection is an open file, and the system allows a process only so many of them. Node has raised the
// limit as far as this user may (`ulimit -Hn`) before anything here runs.

/** For the database, the log, and the pipes of local workers. */
const otherFiles = 256;

/** Of what Node reports of itself, where the system has such a limit. */
interface Limited {
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
}

/** How many files this process may have open; undefined where the system does not say, or has no limit. */
export function mostOpenFiles(): number | undefined {
  const { userLimits } = process.report.getReport() as Limited;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/** So many connections as wanted, or as fit beside the other files. */
export function connectionsWithin(files: number | undefined, wanted: number): number {
  if (files === undefined) return wanted;
  return Math.min(wanted, files - Math.min(otherFiles, Math.ceil(files / 2)));
}

/** What to do when so many connections were asked for; undefined when they fit. */
export function tooFewFiles(files: number | undefined, asked: number): string | undefined {
  const fitting = connectionsWithin(files, asked);
  if (fitting >= asked) return undefined;
  return (
    `The limit connections is ${asked}, but this process may have ${files} files open, which is enough ` +
    `for ${fitting} connections. Raise the limit of open files (ulimit -n, or LimitNOFILE of ` +
    `systemd), or start with --limit connections=${fitting}.`
  );
}
