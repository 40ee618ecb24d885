import type { Ctx, SystemCtx } from './context.ts';

/**
 * A function that a module offers to the code of other modules, without declaration, permission, limit or audit line. It
 * runs in the context of its own module and in the transaction of the calling context; `caller` is the alias of the
 * calling module, which is responsible for what its own callers may see and do.
 */
// biome-ignore lint/suspicious/noExplicitAny: each takes an input of its own
export type Helper = ((ctx: Ctx, input: any, caller: string) => unknown) & { readonly system?: true };

/** A helper of a system module that only other system modules can call. */
export function systemHelper<Input, Result>(run: (ctx: SystemCtx, input: Input) => Result) {
  const helper = (ctx: Ctx, input: Input): Result => run(ctx as SystemCtx, input);
  return Object.assign(helper, { system: true as const });
}

/** The helpers as callers see them: `{ name(input) }`. */
export type HelpersOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (ctx: Ctx, input: infer Input, caller: string) => infer Result
    ? unknown extends Input
      ? () => Result
      : (input: Input) => Result
    : never;
};
