/** What the process that builds the code of a child is told, as JSON in its only argument. */
export interface BuildOrder {
  /** The folder to make; its neighbours are removed. */
  readonly target: string;
  /** The Node of the children, and the flags that they will have. */
  readonly node: string;
  readonly flags: readonly string[];
}
