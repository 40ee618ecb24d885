import type { GraphqlError, GraphqlOperation } from '@chowk/kit/kernel';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { isCompilable } from './compilable.ts';
import { GraphqlRefusal, graphqlError } from './graphql-refusal.ts';
import { type HoistedDocument, hoistLiterals } from './hoist-literals.ts';
import { introspectionFields } from './introspection-cost.ts';
import { dependsOnVariables, type Limits, measureOperation } from './limits.ts';
import { parseDocument } from './parse-document.ts';
import type { RequestState } from './request-state.ts';
import { validateDocument } from './validate-document.ts';

/** An operation that has been parsed and is valid. */
export interface PreparedOperation {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  readonly usesIntrospection: boolean;
  /** What it costs with the variables of the first request. */
  readonly points: number;
  /** The limits depend on the variables of each request. */
  readonly hasVariableCost: boolean;
  /** What it costs with limits and variables that have been checked, by both as JSON. */
  readonly checked: Map<string, number>;
  uses: number;
  /** `undefined` until it is compiled; `false` if graphql-jit cannot compile it. */
  compiled: CompiledOperation | false | undefined;
}

interface CompiledOperation extends Pick<HoistedDocument, 'hasLiterals' | 'readVariables'> {
  readonly query: CompiledQuery['query'];
}

/** Compiling costs as much as several executions. */
const compileAfterUses = 3;
/** For all schemas together. A compiled operation takes up to about ten times the memory of its text. */
const cacheBytes = 8 * 2 ** 20;

/** Operations of all schemas that were sent before. */
export class Operations {
  readonly #prepared = new LRUCache<string, PreparedOperation>({
    maxSize: cacheBytes,
    sizeCalculation: ({ document }, key) => key.length * 2 + (document.loc?.end ?? 0) + 1_000,
  });

  /** Throws `GraphqlRefusal` if the operation cannot be executed. Errors suggest names of the schema only if `suggest`. */
  prepare(
    schema: GraphQLSchema,
    schemaId: string,
    { query, operationName, variables = {} }: GraphqlOperation,
    suggest: boolean,
  ): PreparedOperation {
    const key = `${schemaId} ${operationName ?? ''} ${query}`;
    const known = this.#prepared.get(key);
    if (known) return known;
    const document = parseDocument(query);
    const definition = findOperation(document, operationName);
    const introspections = countIntrospections(document);
    if (introspections > 1) refuseIf(severalIntrospections);
    // Before `validate`, whose cost grows with the square of an operation that exceeds the limits.
    const measured = document.definitions.map((one) => {
      if (one.kind !== Kind.OPERATION_DEFINITION) return 0;
      const { error, points } = measureOperation(schema, document, one, variables, platformLimits);
      refuseIf(error);
      return one === definition ? points : 0;
    });
    const prepared: PreparedOperation = {
      document,
      definition,
      usesIntrospection: introspections > 0,
      points: Math.max(...measured),
      hasVariableCost: dependsOnVariables(document),
      checked: new Map(),
      uses: 0,
      compiled: undefined,
    };
    const [error, ...others] = validateDocument(schema, document, suggest);
    if (error) throw new GraphqlRefusal(error, ...others);
    this.#prepared.set(key, prepared);
    return prepared;
  }
}

const severalIntrospections = graphqlError(
  'QUERY_TOO_COMPLEX',
  'A document can have one field __schema or __type. Send several operations instead.',
);

/** A tenant can lower them. */
export const platformLimits: Limits = { depth: 7, complexity: 1_000, aliases: 30 };

export function refuseIf(error: GraphqlError | undefined): void {
  if (error) throw new GraphqlRefusal(error);
}

/** Executes an operation: compiled if it is used often and graphql-jit supports it. */
export async function executeOperation(
  schema: GraphQLSchema,
  operation: PreparedOperation,
  variables: Readonly<Record<string, unknown>>,
  state: RequestState,
  /** The payload of an event, for a subscription. */
  rootValue?: unknown,
): Promise<ExecutionResult> {
  operation.uses++;
  if (operation.compiled === undefined && operation.uses >= compileAfterUses)
    operation.compiled = compile(schema, operation);
  if (operation.compiled) {
    const { query, hasLiterals, readVariables } = operation.compiled;
    const result = await query(rootValue, state, readVariables(variables));
    // Errors of variables, before anything is executed: graphql-js names those of the operation.
    if (!hasLiterals || 'data' in result) return result;
  }
  const { document, definition } = operation;
  return execute({
    schema,
    document,
    rootValue,
    contextValue: state,
    variableValues: variables,
    operationName: definition.name?.value,
    fieldResolver: readProperty,
  });
}

/** As compiled operations do, for which a function or a promise is not a value. */
const readProperty: GraphQLFieldResolver<unknown, RequestState> = (source, _, __, { parentType, fieldName }) => {
  const value = (source as Record<string, unknown> | undefined)?.[fieldName];
  if (typeof value === 'function' || value instanceof Promise) {
    throw new Error(`${parentType}.${fieldName} is a function or a promise; it needs a resolver`);
  }
  return value;
};

function compile(schema: GraphQLSchema, { document, definition }: PreparedOperation): CompiledOperation | false {
  const { document: hoisted, ...literals } = hoistLiterals(schema, document, definition);
  if (!isCompilable(schema, hoisted)) return false;
  try {
    const compiled = compileQuery(schema, hoisted, definition.name?.value, { disablingCapturingStackErrors: true });
    return isCompiledQuery(compiled) ? { query: compiled.query, ...literals } : false;
  } catch {
    return false;
  }
}

function findOperation(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const named = operations as OperationDefinitionNode[];
  const found = name === undefined ? named : named.filter((one) => one.name?.value === name);
  if (found.length === 1) return found[0] as OperationDefinitionNode;
  const problem =
    name !== undefined
      ? `The document has no operation ${name}.`
      : named.length === 0
        ? 'The document has no operation.'
        : 'The document has several operations; name one of them in `operationName`.';
  throw new GraphqlRefusal(graphqlError('BAD_INPUT', problem));
}

function countIntrospections(document: DocumentNode): number {
  let count = 0;
  visit(document, {
    Field: ({ name }) => {
      if (introspectionFields.has(name.value)) count += 1;
    },
  });
  return count;
}
