import type { Operations } from './catalogue.ts';
import type { User } from './identity.ts';

/** A page of a list, as GraphQL clients expect it. */
export interface Connection<Row = unknown> {
  readonly nodes: readonly Row[];
}

/** The context of a resolver: its caller, and actions with the same checks as over REST. */
export interface ResolverContext {
  readonly user: User;
  readonly tenantId: string;
  readonly request: { readonly id: string; header(name: string): string | undefined };
  /** Whether the user holds the permission in the tenant. */
  hasPermission(permission: string): boolean;
  /** Calls an action of the resolver's own module, or an operation that the module declares in `api.consumes`. */
  call<Name extends keyof Operations>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>>;
  call(name: string, input: object): Promise<unknown>;
  /** As `call`, for records that several parents refer to: concurrent calls are batched with `runBatch`. */
  load<Name extends keyof Operations>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>>;
  load(name: string, input: object): Promise<unknown>;
  /** A page of a list action, for a connection field. Concurrent calls are batched with `runBatch`. */
  list(
    name: string,
    filters: object,
    page: {
      readonly first?: number | undefined;
      readonly after?: string | null | undefined;
      readonly last?: number | null | undefined;
      readonly before?: string | null | undefined;
    },
  ): Promise<Connection>;
}

type OperationInput<Name extends keyof Operations> = Operations[Name] extends { input: infer Input } ? Input : never;
type OperationOutput<Name extends keyof Operations> = Operations[Name] extends { output: infer Output }
  ? Output
  : never;

/**
 * Resolves a field to plain data, to a list that may contain promises, or to a promise of these. A property that is a
 * function or a promise needs a resolver of its own.
 */
export type Resolver = (parent: never, args: never, ctx: ResolverContext) => unknown;

/** By type and field: the export `resolvers` of `graphql/resolvers.ts`. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;

/** Part of a module's schema: a class that `graphql/providers.ts` exports and `graphql.providers` in `module.json` names. */
export interface SchemaProvider {
  sdl(): readonly string[];
  resolvers(): readonly Resolvers[];
  moduleAlias(): string;
}
