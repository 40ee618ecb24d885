import type { Action } from './action.ts';
import type { Ctx } from './context.ts';
import { Failure } from './errors.ts';
import { type Static, type TObject, Type } from './schema.ts';

interface Form<Input extends TObject> extends Pick<Action, 'summary' | 'description' | 'http' | 'errors'> {
  readonly needs: readonly string[];
  readonly input: Input;
  /** The field of the response that has the record, and its schema. */
  readonly key: string;
  readonly output: TObject;
  readonly create: string;
  readonly update: string;
  /** The id of the record, if it exists. */
  find(ctx: Ctx, input: Static<Input>): Promise<string | undefined>;
  /** What `create` gets. */
  newRecord(input: Static<Input>): object;
  /** What `update` gets, besides the id. */
  changes(input: Static<Input>): object;
}

/** Declares an action that creates a record (201) or, if it exists, updates it (200), with the rules of both actions. */
export function upsert<Input extends TObject>(form: Form<Input>): Action {
  const { key, output, create, update, find, newRecord, changes, ...declaration } = form;
  const run = async (ctx: Ctx, input: Static<Input>) => {
    const edit = async (id: string) => ({
      created: false,
      [key]: await ctx.perform(update, { ...changes(input), id }),
    });
    const id = await find(ctx, input);
    if (id !== undefined) return edit(id);
    try {
      return { created: true, [key]: await ctx.tx((tx) => tx.perform(create, newRecord(input))) };
    } catch (error) {
      // A concurrent request may have created the record.
      const existing = isTaken(error) ? await find(ctx, input) : undefined;
      if (existing === undefined) throw error;
      return edit(existing);
    }
  };
  const name = key.charAt(0).toUpperCase() + key.slice(1);
  return {
    ...declaration,
    output: Type.Object({
      created: Type.Boolean({ description: 'Whether the record is new.' }),
      [key]: output,
    }),
    answer: {
      message: ({ created }: Outcome) => (created ? `${name} created.` : `${name} saved.`),
      status: ({ created }: Outcome) => (created ? 201 : 200),
    },
    responses: { 201: { description: 'Created.' } },
    atomic: true,
    run,
  } as unknown as Action;
}

interface Outcome {
  readonly created: boolean;
}

function isTaken(error: unknown): boolean {
  if (!(error instanceof Failure)) return false;
  return Object.values(error.extras.errors ?? {}).some((list) => list.some(({ code }) => code === 'taken'));
}
