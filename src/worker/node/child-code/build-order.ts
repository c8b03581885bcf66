/** The order for the process that builds the code of a child: JSON, its only argument. */
export interface BuildOrder {
  /** The folder to make; other folders beside it are of older versions and are removed. */
  readonly target: string;
  /** The Node of the children, and the flags that they will have. */
  readonly node: string;
  readonly flags: readonly string[];
}
