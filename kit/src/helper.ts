import type { Ctx, SystemCtx } from './context.ts';
import type { Sent, Static, TObject } from './schema.ts';

/**
 * A function that a module offers to the code of other modules. It needs no entry in `api.consumes` and no permission: the
 * calling module decides what its own callers may see and do. The input is validated. The function runs as the module that
 * declares it, in the transaction of the context that `helpers` was called on.
 */
export interface Helper {
  readonly summary: string;
  /** The rules that a caller must know. */
  readonly description?: string;
  readonly input: TObject;
  /** Only system modules can call it. */
  readonly system?: true;
  /** `caller` is the alias of the calling module. */
  run(ctx: Ctx, input: unknown, caller: string): Promise<unknown>;
}

interface Definition<Context, Input extends TObject, Output> extends Omit<Helper, 'input' | 'run'> {
  readonly input: Input;
  run(ctx: Context, input: Static<Input>, caller: string): Promise<Output>;
}

interface TypedHelper<Input, Output> {
  readonly '~types'?: { readonly input: Input; readonly output: Output };
}

export function helper<Input extends TObject, Output>(
  definition: Definition<Ctx, Input, Output>,
): Helper & TypedHelper<Input, Output> {
  return definition as unknown as Helper;
}

/** A helper of a system module. */
export function systemHelper<Input extends TObject, Output>(
  definition: Definition<SystemCtx, Input, Output>,
): Helper & TypedHelper<Input, Output> {
  return definition as unknown as Helper;
}

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
    : Value;

/** The helpers as other modules call them: `{ name(input) }`. */
export type HelpersOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends TypedHelper<infer Input extends TObject, infer Output>
    ? Record<never, never> extends Sent<Input>
      ? (input?: DeepReadonly<Sent<Input>>) => Promise<Output>
      : (input: DeepReadonly<Sent<Input>>) => Promise<Output>
    : never;
};
