/** The order for the process that builds the pages: JSON, its only argument. */
export interface PagesOrder {
  /** The folder with the rooms of the sources. */
  readonly sources: string;
  /** Of the program. */
  readonly version: string;
  /** The folder to make. */
  readonly target: string;
  /** Folders beside it are of older sources, and are removed when they have not been used for a while. */
  readonly removesOthers: boolean;
}
