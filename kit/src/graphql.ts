import type { Ctx } from './context.ts';

/** Resolves a field. The result has the fields below it, or functions that resolve them. */
export type Resolver = (parent: never, args: never, ctx: Ctx) => unknown;

/** By type and field: the export `resolvers` of `graphql/resolvers.ts`. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;
