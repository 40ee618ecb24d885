import type { GraphQLFieldResolver } from 'graphql';
import type { DerivedField } from './derived-schema.ts';
import { integerIdReader } from './integer-ids.ts';
import type { RequestState } from './request-state.ts';
import { selectedRecordFields } from './selected-fields.ts';
import type { ObjectReference, Schema } from './type-writer.ts';
import { userErrors } from './user-errors.ts';

export type FieldResolver = GraphQLFieldResolver<unknown, RequestState, Record<string, unknown>>;
export type Info = Parameters<FieldResolver>[3];
/** Loads the fields that a value lacks. */
export type Complete = (value: unknown, state: RequestState, info: Info) => unknown;

/** The resolver of a field that calls an action. */
export function derivedResolver(
  { action, shape, object }: DerivedField,
  completion: (reference: ObjectReference) => Complete | undefined,
): FieldResolver {
  const complete = object && completion(object);
  const read = (integerIdReader(action.input as Schema | undefined) ?? keep) as (input: object) => object;
  if (shape.kind === 'connection') {
    // Not batched: each alias is a call of its own, which counts against the rate limits.
    return (_, { first, after, last, before, filter, ...args }, state, info) => {
      const options = { fields: selectedRecordFields(info) };
      const page = { first, after, last, before } as Parameters<typeof state.list>[2];
      const filters = read({ ...args, ...withoutNulls(filter) });
      return state.list((query) => state.call(action, query, options), filters, page);
    };
  }
  const isOverBus = shape.kind === 'json';
  return async (_, { input, ifMatch, ...args }, state, info) => {
    const options = { isOverBus, ifMatch: toEtag(ifMatch) };
    const sent = { ...(input as object), ...args };
    const output = await state.call(action, isOverBus ? sent : read(sent), options);
    if (shape.kind === 'json') return output === undefined ? true : JSON.parse(shape.serialize(output));
    if (shape.kind === 'deleted') return args[shape.argument];
    const value = shape.kind === 'property' ? (output as Record<string, unknown>)[shape.key] : output;
    if (shape.kind === 'done' || value === undefined) return true;
    return complete ? complete(value, state, info) : value;
  };
}

/** As `derivedResolver`, with errors of the input as data. The payload loads the fields that its result lacks. */
export function triedResolver(derived: DerivedField): FieldResolver {
  const resolve = derivedResolver(derived, () => undefined);
  return async (parent, args, state, info) => {
    try {
      return { result: await resolve(parent, args, state, info), user_errors: [] };
    } catch (error) {
      const user_errors = userErrors(error);
      if (!user_errors) throw error;
      return { result: null, user_errors };
    }
  };
}

const keep = (value: unknown) => value;

function withoutNulls(filter: unknown): object {
  return Object.fromEntries(Object.entries(filter ?? {}).filter(([, value]) => value !== null));
}

/** `updated_at` or the `ETag` of a record. */
function toEtag(version: unknown): string | undefined {
  if (version == null) return undefined;
  const text = String(version);
  return text.startsWith('"') || text === '*' ? text : `"${text}"`;
}
