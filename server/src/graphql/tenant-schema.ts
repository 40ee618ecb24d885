import { createHash } from 'node:crypto';
import { type GraphQLSchema, getNullableType, isListType, isNonNullType, isObjectType, printSchema } from 'graphql';
import type { RegisteredAction } from '../actions/registry.ts';
import { type Composition, compose } from './compose.ts';
import type { ConnectionPage } from './connection.ts';
import { type Complete, derivedResolver, type FieldResolver, type Info, triedResolver } from './derived-resolvers.ts';
import { type DerivedField, type EventField, isById } from './derived-schema.ts';
import { guardResolver } from './directives.ts';
import type { ModuleSchema } from './module-schema.ts';
import type { RequestState } from './request-state.ts';
import { selectedFields } from './selected-fields.ts';
import type { ObjectReference } from './type-writer.ts';

/** An event that clients can subscribe to. */
export interface SubscribedEvent extends EventField {
  readonly module: string;
}

/** The schema of all tenants with the same modules. */
export interface TenantSchema {
  readonly schema: GraphQLSchema;
  /** By the field of `Subscription`. */
  readonly events: ReadonlyMap<string, SubscribedEvent>;
  readonly fingerprint: string;
  readonly omitted: readonly string[];
}

/** Identifies a set of modules and their versions. */
export function setFingerprint(schemas: readonly ModuleSchema[]): string {
  const names = schemas.map(({ module, version }) => `${module}@${version}`).sort();
  return createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 16);
}

export function buildTenantSchema(schemas: readonly ModuleSchema[], isValid = false): TenantSchema {
  const composition = compose(
    schemas.flatMap(({ module, documents }) => documents.map((document) => ({ module, document }))),
    isValid,
  );
  assignResolvers(composition, schemas);
  const events = new Map(
    schemas.flatMap(({ module, eventFields }) => eventFields.map((field) => [field.name, { ...field, module }])),
  );
  return { schema: composition.schema, events, fingerprint: setFingerprint(schemas), omitted: composition.omitted };
}

export function printSdl({ schema }: TenantSchema): string {
  return `${printSchema(schema)}\n`;
}

function assignResolvers({ schema }: Composition, schemas: readonly ModuleSchema[]): void {
  const completion = createCompletion(schemas);
  const assign = (path: string, resolver: FieldResolver) => {
    const [typeName = '', fieldName = ''] = path.split('.');
    const type = schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
    // Without the modules of their types, fields are left out.
    if (field) field.resolve = resolver;
  };
  assign('Query.tenant', (_, __, { ctx }) => ctx.tenant);
  for (const part of schemas) {
    for (const [path, reference] of part.references) {
      const field = path.slice(path.indexOf('.') + 1);
      const complete = completion(reference);
      if (complete) assign(path, (parent, _, state, info) => complete((parent as never)[field], state, info));
    }
    for (const [path, amount] of part.amounts) assign(path, (parent) => withCurrency(parent, amount));
    for (const type of part.types.keys()) {
      assign(`${type}Connection.totalCount`, (page) => (page as ConnectionPage).count());
    }
    for (const derived of part.derivedFields) {
      const path = `${derived.root}.${derived.name}`;
      if (part.resolvers.has(path)) continue;
      assign(path, derived.hasUserErrors ? triedResolver(derived) : derivedResolver(derived, completion));
    }
    for (const { name, definition } of part.eventFields) {
      // The root value is the payload.
      assign(`Subscription.${name}`, (payload, _, { ctx }) =>
        definition.mask ? definition.mask(ctx.inModule(part.module), payload) : payload,
      );
    }
    for (const [path, resolver] of part.resolvers) {
      const run: FieldResolver = (parent, args, state, info) =>
        settleItems(resolver(parent as never, args as never, state.contextFor(part.module)), info);
      assign(path, run);
    }
  }
  guardFields(schema);
}

function withCurrency(parent: unknown, field: string): object | null {
  const { currency, [field]: amount } = parent as Record<string, unknown>;
  return amount == null || currency == null ? null : { amount, currency };
}

/** Applies `@can`, `@auth` and `@cache`. */
function guardFields(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) guardResolver(schema, type.name, field);
  }
}

/** How an object that may lack fields of its type gets them: from the action that returns all of them by id. */
function createCompletion(schemas: readonly ModuleSchema[]): (reference: ObjectReference) => Complete | undefined {
  const types = new Map(schemas.flatMap(({ types }) => [...types]));
  const loaders = new Map(
    schemas.flatMap(({ derivedFields }) => derivedFields.flatMap((field) => [...findLoaders(field, types)])),
  );
  return ({ type, fields, isList }) => {
    const action = loaders.get(type);
    const missing = types.get(type)?.difference(fields);
    if (!action || !missing || missing.size === 0) return undefined;
    const load = (value: unknown, state: RequestState) =>
      value == null ? value : state.load(action, { id: (value as { id: string }).id });
    return (value, state, info) => {
      if (value == null || selectedFields(info).isDisjointFrom(missing)) return value;
      return isList
        ? settleItems(
            (value as unknown[]).map((item) => load(item, state)),
            info,
          )
        : load(value, state);
    };
  };
}

/**
 * A list without promises: graphql-jit loses the place of one that is rejected. If one that is required fails, the list
 * does: graphql-js would leave promises of its other items without a handler.
 */
function settleItems(value: unknown, info: Info): unknown {
  if (value instanceof Promise) return value.then((settled) => settleItems(settled, info));
  if (!Array.isArray(value) || !value.some((item) => item instanceof Promise)) return value;
  const type = getNullableType(info.returnType);
  if (isListType(type) && isNonNullType(type.ofType)) return Promise.all(value);
  return Promise.allSettled(value).then((items) =>
    items.map((item) => (item.status === 'fulfilled' ? item.value : asError(item.reason))),
  );
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** The type whose records the field returns with all fields by id, with the action. */
function* findLoaders(
  { action, object, shape }: DerivedField,
  types: ReadonlyMap<string, ReadonlySet<string>>,
): Generator<[string, RegisteredAction]> {
  const returnsRecord = shape.kind === 'value' && isById(action);
  if (returnsRecord && object && !object.isList && types.get(object.type)?.isSubsetOf(object.fields)) {
    yield [object.type, action];
  }
}
