import type { Ctx } from './context.ts';

/** Answers a field of the schema. What it returns has the fields below it, or functions that answer them. */
export type Resolver = (parent: never, args: never, ctx: Ctx) => unknown;

/** By type, then by field: what `graphql/resolvers.ts` exports as `resolvers`. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;
