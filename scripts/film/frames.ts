// What a moving picture is made of.

/** A piece of a line that looks the same throughout. */
export interface Run {
  readonly column: number;
  readonly text: string;
  /** One of the sixteen colours of a terminal; undefined: that of plain text. */
  readonly color: number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

export interface Frame {
  /** How long it stands. */
  readonly forMs: number;
  readonly columns: number;
  /** From the top; as many as the terminal has rows. */
  readonly lines: readonly (readonly Run[])[];
  readonly cursor: { readonly column: number; readonly row: number };
}
