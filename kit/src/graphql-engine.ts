import type { RequestContext } from './request-context.ts';

export interface GraphqlOperation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
  /** Mutations are refused, as GET may not change anything. */
  readonly isQuery?: boolean | undefined;
}

export interface GraphqlError {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[] | undefined;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions: { readonly code: string; readonly [detail: string]: unknown };
}

export interface GraphqlResult {
  /** Absent if the operation was refused before its execution. */
  readonly data?: unknown;
  readonly errors?: readonly GraphqlError[];
  readonly extensions?: { readonly cost: OperationCost };
}

/** What an operation cost of the points that a user can spend. */
interface OperationCost {
  readonly points: number;
  /** Absent if there is no limit. */
  readonly limit_per_minute?: number;
  readonly remaining?: number;
}

/** A subscription that has been accepted. */
export interface GraphqlSubscription {
  /** The name of the event. */
  readonly event: string;
  /** The only user whose events it delivers. */
  readonly userId: number | undefined;
  /** Whether an event with this payload is one of those that the arguments select. */
  includes(payload: unknown): boolean;
  /** Why the user of the context may not receive the event now; `undefined` if they may. */
  findRefusal(ctx: RequestContext): Promise<GraphqlError | undefined>;
  /** The result for the payload of an event, as the user of the context may see it. */
  execute(ctx: RequestContext, payload: unknown): Promise<GraphqlResult>;
}

/** A difference between two schemas. */
export interface SchemaChange {
  /** Clients fail (breaking), may behave differently (dangerous) or notice nothing (safe). */
  readonly severity: 'breaking' | 'dangerous' | 'safe';
  /** Such as `FIELD_REMOVED`. */
  readonly kind: string;
  readonly description: string;
}

/** A persisted query that would no longer be valid. */
export interface BrokenQuery {
  readonly tenant: string;
  readonly name: string;
  readonly hash: string;
  readonly error: string;
}

export interface SchemaComparison {
  readonly changes: readonly SchemaChange[];
  /** A thousand at most. */
  readonly broken_queries: readonly BrokenQuery[];
  readonly broken_query_count: number;
}

/** Runs GraphQL operations against the schema of the caller's tenant. */
export interface GraphqlEngine {
  execute(ctx: RequestContext, operation: GraphqlOperation): Promise<GraphqlResult>;
  /** Accepts a subscription, or returns the reasons why it is refused. */
  subscribe(
    ctx: RequestContext,
    operation: GraphqlOperation,
  ): Promise<GraphqlSubscription | { readonly errors: readonly GraphqlError[] }>;
  /** The reasons why the operation would be refused before its execution. */
  validate(ctx: RequestContext, operation: GraphqlOperation): Promise<readonly GraphqlError[]>;
  /** The schema of all modules as SDL. Throws if two of them define the same type or field. */
  composeAll(): string;
  /** The names of the queries, mutations and subscriptions of each module, by alias. */
  fieldsByModule(): ReadonlyMap<string, readonly string[]>;
  /** The tenant's schema as SDL. */
  sdl(ctx: RequestContext): Promise<string>;
  /** Compares the schemas of two rings or SDL files, and checks the persisted queries of the first ring's tenants. */
  compareSchemas(from: string, to: string): Promise<SchemaComparison>;
}
