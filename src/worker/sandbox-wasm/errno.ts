// Error numbers of WASI preview 1, those that are given here (`errno` in wasi_snapshot_preview1.witx).

export const errno = {
  success: 0,
  badDescriptor: 8,
  exists: 20,
  fault: 21,
  tooBig: 22,
  badText: 25,
  invalid: 28,
  isFolder: 31,
  tooManyOpen: 33,
  nameTooLong: 37,
  noEntry: 44,
  noSpace: 51,
  notFolder: 54,
  notEmpty: 55,
  notSupported: 58,
  notPermitted: 63,
  readOnly: 69,
  noSeek: 70,
  notCapable: 76,
} as const;

export type Errno = (typeof errno)[keyof typeof errno];
