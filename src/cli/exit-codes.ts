// The exit codes of the command line. The table is part of `--help` and of the reference page.

export const exitCodes = {
  ok: { code: 0, meaning: 'It worked; with --follow: the job completed.' },
  jobFailed: {
    code: 1,
    meaning:
      'The job failed or was cancelled; try: an input failed; doctor: there is a problem; backup, restore, migrate-store: what is stored is damaged.',
  },
  usage: {
    code: 2,
    meaning:
      'A flag, a file or a program that was given is wrong, or a handle means several; nothing was done.',
  },
  unreachable: {
    code: 3,
    meaning: 'No coordinator answers at the address, or its certificate is not the right one.',
  },
  refused: {
    code: 4,
    meaning: 'The coordinator says no: no such id, wrong state, invalid request.',
  },
  cannotStart: {
    code: 5,
    meaning:
      'serve, start, worker, restore or migrate-store could not start: port taken, store locked or unreadable, no bubblewrap.',
  },
  stopped: {
    code: 6,
    meaning:
      'The coordinator ended by itself because a commit failed; nothing acknowledged is lost.',
  },
  bug: { code: 70, meaning: 'A fault of muster itself.' },
  interrupted: { code: 130, meaning: 'Ended by Ctrl-C; a job that was followed goes on.' },
} as const satisfies Readonly<Record<string, { code: number; meaning: string }>>;

export type ExitName = keyof typeof exitCodes;
