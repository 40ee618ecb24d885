import {
  Failure,
  type GraphqlEngine,
  type GraphqlError,
  type GraphqlOperation,
  type GraphqlResult,
  type GraphqlSubscription,
  type Settings,
} from '@chowk/kit/kernel';
import {
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { authorize } from '../actions/authorize.ts';
import { takeFromRateLimit } from '../actions/resolve-caller.ts';
import type { Context } from '../context/context.ts';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import type { RateLimitState } from '../rate-limiter.ts';
import { compareNamedSchemas } from './compare-schemas.ts';
import { executionError, failureError } from './errors.ts';
import { GraphqlRefusal, graphqlError } from './graphql-refusal.ts';
import { introspectOnce } from './introspection-results.ts';
import { type Limits, measureOperation } from './limits.ts';
import { executeOperation, Operations, type PreparedOperation, platformLimits, refuseIf } from './operations.ts';
import { type RequestServices, RequestState } from './request-state.ts';
import { isDeeper } from './scalars.ts';
import { subscriptionField } from './subscription-field.ts';
import type { SubscribedEvent } from './tenant-schema.ts';
import { TenantSchemas } from './tenant-schemas.ts';

/** GraphQL over the actions: a schema for each set of enabled modules. */
export function graphqlEngine(getKernel: () => Kernel): GraphqlEngine {
  let services: (RequestServices & { readonly schemas: TenantSchemas; readonly operations: Operations }) | undefined;
  // Created with the first request, so that the start of the platform does not wait for it.
  const ensureServices = () => {
    const kernel = getKernel();
    services ??= {
      kernel,
      actions: kernel.actionsByName,
      schemas: new TenantSchemas(kernel),
      operations: new Operations(),
    };
    return services;
  };

  async function prepare(ctx: Context, operation: GraphqlOperation) {
    const { kernel, schemas, operations } = ensureServices();
    if (isDeeper(operation.variables, maxVariablesDepth)) refuseIf(variablesTooDeep);
    const settings = await kernel.settings.get(ctx.tenant.id);
    const { schema, events, id } = await schemas.get(ctx.tenant.id);
    const canIntrospect = kernel.config.graphqlIntrospection || settings['graphql.introspection'];
    const prepared = operations.prepare(schema, id, operation, canIntrospect);
    if (prepared.usesIntrospection && !canIntrospect) refuseIf(introspectionDisabled);
    const points = checkLimits(schema, prepared, operation.variables ?? {}, settings);
    return { schema, events, prepared, settings, points };
  }

  /** Counts what the operation costs against the user's limit per minute. */
  function takePoints({ principal, client }: Context, points: number) {
    const { limiter, config, now } = getKernel();
    const limit = config.graphqlCostPerMinute;
    if (limit === 0) return { points };
    const call = { ...principal, address: client.address, now: now().getTime() };
    const state = takeFromRateLimit(limiter, limit, call, { name: 'graphql', amount: Math.min(points, limit) });
    if (!state.allowed) throw new GraphqlRefusal(failureError(tooExpensive(state, limit)));
    return { points, limit_per_minute: limit, remaining: state.remaining };
  }

  type Prepared = Awaited<ReturnType<typeof prepare>>;

  async function run(
    ctx: Context,
    { schema, prepared, settings }: Prepared,
    { variables = {} }: GraphqlOperation,
    payload?: unknown,
  ): Promise<GraphqlResult> {
    const state = new RequestState(ensureServices(), ctx, settings['graphql.audit_mutations']);
    const { data, errors } = await introspectOnce(prepared, () =>
      executeOperation(schema, prepared, variables, state, payload),
    );
    const { log } = ensureServices().kernel;
    return {
      ...(errors && { errors: errors.map((error) => executionError(error, log, ctx.requestId)) }),
      ...(data === undefined ? {} : { data }),
    };
  }

  return {
    async execute(ctx, operation) {
      try {
        const request = await prepare(ctx as Context, operation);
        const kind = request.prepared.definition.operation;
        if (kind === 'subscription') refuseIf(socketRequired);
        if (kind === 'mutation' && operation.isQuery) refuseIf(postRequired);
        const cost = takePoints(ctx as Context, request.points);
        return { ...(await run(ctx as Context, request, operation)), extensions: { cost } };
      } catch (error) {
        return refusal(error);
      }
    },
    async subscribe(ctx, operation) {
      try {
        const request = await prepare(ctx as Context, operation);
        const { schema, events } = request;
        const { document, definition } = request.prepared;
        if (definition.operation !== 'subscription') refuseIf(subscriptionsOnly);
        const variables = readVariables(schema, definition, operation.variables);
        const field = subscriptionField(document, definition);
        const found = events.get(field.name.value) as SubscribedEvent;
        const { needs = [], recipient } = found.definition;
        const subject = readSubject(schema, field, variables);
        const { installations } = getKernel();
        const subscription: GraphqlSubscription = {
          event: found.event,
          userId: recipient && (ctx as Context).user.id,
          includes: (payload) => subject === undefined || found.definition.subject?.(payload) === subject,
          findRefusal: async (one) => {
            try {
              await authorize(
                installations,
                { module: found.module, needs, isReadOnly: true },
                (one as Context).principal,
              );
              return undefined;
            } catch (error) {
              return toRefusal(error);
            }
          },
          execute: (one, payload) => run(one as Context, request, operation, payload),
        };
        refuseIf(await subscription.findRefusal(ctx));
        takePoints(ctx as Context, request.points);
        return subscription;
      } catch (error) {
        return refusal(error);
      }
    },
    async validate(ctx, operation) {
      try {
        await prepare(ctx as Context, operation);
        return [];
      } catch (error) {
        return refusal(error).errors;
      }
    },
    composeAll: () => ensureServices().schemas.composeAll(),
    fieldsByModule: () => ensureServices().schemas.fieldsByModule,
    sdl: (ctx) => ensureServices().schemas.sdl((ctx as Context).tenant.id),
    compareSchemas: (from, to) => compareNamedSchemas(getKernel(), from, to),
  };
}

const introspectionDisabled = graphqlError(
  'INTROSPECTION_DISABLED',
  'Introspection is disabled. An administrator can enable it with the setting graphql.introspection.',
);

const socketRequired = graphqlError(
  'SOCKET_REQUIRED',
  'Subscriptions need a WebSocket with the protocol graphql-transport-ws, at the same address.',
);

const postRequired = graphqlError('POST_REQUIRED', 'Send mutations with POST: GET changes nothing.');

const subscriptionsOnly = graphqlError('BAD_INPUT', 'Sockets are for subscriptions. Send other operations with POST.');

/** Code that walks the variables is recursive. */
const maxVariablesDepth = 64;
const variablesTooDeep = graphqlError('BAD_INPUT', `Variables can be nested ${maxVariablesDepth} deep at most.`);

/** Rethrows what is not a failure of the caller. */
function toRefusal(error: unknown): GraphqlError {
  if (error instanceof Failure && error.status < 500) return failureError(error);
  throw error;
}

function refusal(error: unknown): GraphqlResult & { errors: readonly GraphqlError[] } {
  if (error instanceof GraphqlRefusal) return { errors: error.errors };
  throw error;
}

/** The id of the record that a subscription is about, if it names one. */
function readSubject(schema: GraphQLSchema, field: FieldNode, variables: Record<string, unknown>): string | undefined {
  const definition = schema.getSubscriptionType()?.getFields()[field.name.value];
  const { id } = definition ? getArgumentValues(definition, field, variables) : {};
  return typeof id === 'string' ? id : undefined;
}

/** The variables with their defaults. Wrong ones are refused, because every event would fail. */
function readVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: GraphqlOperation['variables'] = {},
): Record<string, unknown> {
  const { errors: [error] = [], coerced = {} } = getVariableValues(schema, variableDefinitions, variables, {
    maxErrors: 1,
  });
  refuseIf(error && graphqlError('BAD_INPUT', error.message, error.locations));
  return coerced;
}

/** The maximum number of checked variables that an operation remembers. */
const maxChecked = 100;
const maxCheckedLength = 500;

/** Returns what the operation costs. The limits of the platform have been checked, unless they depend on the variables. */
function checkLimits(
  schema: GraphQLSchema,
  { document, definition, points: knownPoints, hasVariableCost, checked }: PreparedOperation,
  variables: Readonly<Record<string, unknown>>,
  settings: Settings,
): number {
  const limits: Limits = {
    depth: settings['graphql.limits.depth'],
    complexity: settings['graphql.limits.complexity'],
    aliases: settings['graphql.limits.aliases'],
  };
  const names = Object.keys(limits) as (keyof Limits)[];
  if (!hasVariableCost && names.every((name) => limits[name] >= platformLimits[name])) return knownPoints;
  const key = JSON.stringify([limits, variables]);
  const known = checked.get(key);
  if (known !== undefined) return known;
  const { points, error } = measureOperation(schema, document, definition, variables, limits);
  refuseIf(error);
  if (key.length <= maxCheckedLength && checked.size < maxChecked) checked.set(key, points);
  return points;
}

function tooExpensive({ seconds }: RateLimitState, limit: number): Failure {
  return fail('graphql.too_expensive', { limit, seconds }, { headers: { 'Retry-After': String(seconds) } });
}
