import type { Ctx } from './context.ts';
import type { Static, TSchema } from './schema.ts';

/** One operation: what it takes, what it gives, what it does. Its name, permission and limit are in `module.json`. */
export interface Operation {
  readonly input: TSchema;
  readonly output: TSchema;
  run(ctx: Ctx, input: unknown): Promise<unknown>;
}

export interface TypedOperation<Input extends TSchema, Output extends TSchema> extends Operation {
  readonly input: Input;
  readonly output: Output;
}

/** Types the input and the result of `run` from the schemas beside it. */
export function operation<Input extends TSchema, Output extends TSchema>(definition: {
  readonly input: Input;
  readonly output: Output;
  run(ctx: Ctx, input: Static<Input>): Promise<Static<Output>>;
}): TypedOperation<Input, Output> {
  return definition as TypedOperation<Input, Output>;
}

export type OperationsOf<Table> = {
  [Name in keyof Table]: Table[Name] extends TypedOperation<infer Input, infer Output>
    ? { input: Static<Input>; output: Static<Output> }
    : never;
};
