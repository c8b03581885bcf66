// Where in a program an expression or a statement stands: what the syntax allows there.

export interface Scope {
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  /** Of a method or a constructor: `super.x` may stand there. */
  readonly isMethod: boolean;
  readonly inLoop: boolean;
  /** Not in a static block of a class. */
  readonly mayReturn: boolean;
  /** Blocks around it; deep ones get shorter. */
  readonly depth: number;
}

/** Inside of a function of its own, which is entered where `scope` stands. */
export function functionScope(
  scope: Scope,
  kind: Partial<Pick<Scope, 'isAsync' | 'isGenerator' | 'isMethod' | 'mayReturn'>>,
): Scope {
  return {
    isAsync: kind.isAsync ?? false,
    isGenerator: kind.isGenerator ?? false,
    isMethod: kind.isMethod ?? false,
    mayReturn: kind.mayReturn ?? true,
    inLoop: false,
    depth: scope.depth + 1,
  };
}

export function blockScope(scope: Scope, inLoop = scope.inLoop): Scope {
  return { ...scope, inLoop, depth: scope.depth + 1 };
}
