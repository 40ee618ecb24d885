import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { buildSchema } from 'graphql';
import { schemaChanges } from '../server/src/graphql/schema-changes.ts';

// biome-ignore lint/suspicious/noExplicitAny: parts of OpenAPI documents have many shapes
type Any = any;

/** Announced breaking changes, each with its reason, in the words of `findBreakingChanges`. */
const accepted: Readonly<Record<string, string>> = {};

/** What a client of the old document would notice: something is gone, or a request needs more than before. */
export function findBreakingChanges(old: Any, current: Any): string[] {
  const changes: string[] = [];
  for (const [path, methods] of Object.entries<Any>(old.paths)) {
    for (const [method, operation] of Object.entries<Any>(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const next = current.paths[path]?.[method];
      if (next) compareOperations({ name, old, current, changes }, operation, next);
      else changes.push(`${name} is gone`);
    }
  }
  for (const [event, { post }] of Object.entries<Any>(old.webhooks ?? {})) {
    const next = current.webhooks?.[event];
    const payload = (operation: Any) => operation.requestBody.content['application/json'].schema;
    const name = `webhook ${event}`;
    if (next) compareOutputs({ name, old, current, changes }, payload(post), payload(next.post));
    else changes.push(`${name} is gone`);
  }
  return changes;
}

/** What a GraphQL client of the old schema would notice. */
export function findBreakingSchemaChanges(old: string, current: string): string[] {
  return schemaChanges(buildSchema(old), buildSchema(current))
    .filter(({ severity }) => severity === 'breaking')
    .map(({ description }) => `GraphQL: ${description}`);
}

interface Comparison {
  readonly name: string;
  readonly old: Any;
  readonly current: Any;
  readonly changes: string[];
}

function compareOperations(comparison: Comparison, before: Any, after: Any): void {
  const { name, old, current, changes } = comparison;
  const parameters = (document: Any, operation: Any) =>
    new Map<string, Any>(
      operation.parameters
        .map((one: Any) => resolveReference(document, one))
        .map((one: Any) => [`${one.in} ${one.name}`, one]),
    );
  const [known, given] = [parameters(old, before), parameters(current, after)];
  for (const [key, parameter] of known) {
    const next = given.get(key);
    if (next) compareInputs({ ...comparison, name: `${name}: ${key}` }, parameter.schema, next.schema);
    else changes.push(`${name}: the parameter ${key} is gone`);
  }
  for (const [key, { required }] of given) {
    if (required && !known.get(key)?.required) changes.push(`${name}: the parameter ${key} is required`);
  }
  if (after.requestBody?.required && !before.requestBody?.required) changes.push(`${name}: the body is required`);
  const body = (operation: Any) => Object.entries<Any>(operation.requestBody?.content ?? {});
  for (const [type, { schema }] of body(before)) {
    const next = after.requestBody?.content[type];
    if (next) compareInputs({ ...comparison, name: `${name}: body` }, schema, next.schema);
    else changes.push(`${name}: the body ${type} is gone`);
  }
  for (const [status, response] of Object.entries<Any>(before.responses)) {
    if (!/^2/.test(status)) continue;
    const next = after.responses[status];
    const content = (document: Any, one: Any) => resolveReference(document, one)?.content?.['application/json']?.schema;
    if (!next) changes.push(`${name}: the status ${status} is gone`);
    else compareOutputs({ ...comparison, name: `${name}: ${status}` }, content(old, response), content(current, next));
  }
}

/** A request that was valid must be valid. */
function compareInputs(comparison: Comparison, before: Any, after: Any, depth = 0): void {
  const { name, changes } = comparison;
  const [one, other] = resolveBoth(comparison, before, after);
  if (!one || !other || depth > 6) return;
  const types = missing(one.type, other.type);
  if (types.length > 0) changes.push(`${name} no longer takes the type ${types.join(', ')}`);
  const values = other.enum ? missing(one.enum ?? [], other.enum) : [];
  if (values.length > 0) changes.push(`${name} no longer takes ${values.join(', ')}`);
  for (const limit of tightened(one, other)) changes.push(`${name} has the ${limit}`);
  for (const field of other.required ?? []) {
    if (!one.required?.includes(field) && one.properties) changes.push(`${name}.${field} is required`);
  }
  for (const [field, schema] of Object.entries<Any>(one.properties ?? {})) {
    const next = other.properties?.[field];
    if (next) compareInputs({ ...comparison, name: `${name}.${field}` }, schema, next, depth + 1);
    else changes.push(`${name}.${field} is gone`);
  }
  if (one.items && other.items) compareInputs({ ...comparison, name: `${name}[]` }, one.items, other.items, depth + 1);
}

const upperLimits = ['maxLength', 'maxItems', 'maxProperties', 'maximum', 'exclusiveMaximum'];
const lowerLimits = ['minLength', 'minItems', 'minProperties', 'minimum', 'exclusiveMinimum'];

/** The limits that refuse values which were valid. */
function tightened(one: Any, other: Any): string[] {
  const isTighter = (limit: string) =>
    upperLimits.includes(limit)
      ? other[limit] < (one[limit] ?? Number.POSITIVE_INFINITY)
      : lowerLimits.includes(limit)
        ? other[limit] > (one[limit] ?? (limit.startsWith('min') && limit !== 'minimum' ? 0 : Number.NEGATIVE_INFINITY))
        : other[limit] !== undefined && other[limit] !== one[limit];
  return [...upperLimits, ...lowerLimits, 'pattern', 'format', 'multipleOf']
    .filter(isTighter)
    .map((limit) => `${limit} ${other[limit]}`);
}

/** What a response had it must have. */
function compareOutputs(comparison: Comparison, before: Any, after: Any, depth = 0): void {
  const { name, changes } = comparison;
  const [one, other] = resolveBoth(comparison, before, after);
  if (!one || depth > 6) return;
  if (!other) return void changes.push(`${name} has no body`);
  const types = one.type ? missing(other.type, one.type) : [];
  if (types.length > 0) changes.push(`${name} can be ${types.join(', ')}`);
  for (const [field, schema] of Object.entries<Any>(one.properties ?? {})) {
    const next = other.properties?.[field];
    if (!next) changes.push(`${name}.${field} is gone`);
    else compareOutputs({ ...comparison, name: `${name}.${field}` }, schema, next, depth + 1);
    if (next && one.required?.includes(field) && !other.required?.includes(field))
      changes.push(`${name}.${field} may be absent`);
  }
  if (one.items && other.items) compareOutputs({ ...comparison, name: `${name}[]` }, one.items, other.items, depth + 1);
}

/** Those of the first that the second does not have. An integer is a number. */
function missing(wanted: unknown, given: unknown): unknown[] {
  if (given === undefined) return [];
  const list = [given].flat();
  return [wanted ?? []].flat().filter((one) => !list.includes(one) && !(one === 'integer' && list.includes('number')));
}

function resolveBoth({ old, current }: Comparison, before: Any, after: Any): [Any, Any] {
  return [simplify(old, before), simplify(current, after)];
}

/** Follows references, and takes `null` beside one schema as a type. */
function simplify(document: Any, schema: Any): Any {
  const target = resolveReference(document, schema);
  const branches: Any[] = target?.anyOf ?? [];
  const others = branches.filter(({ type }) => type !== 'null');
  if (others.length !== 1) return target;
  const only = resolveReference(document, others[0]);
  return only.type && branches.length > 1 ? { ...only, type: [only.type, 'null'].flat() } : only;
}

function resolveReference(document: Any, part: Any): Any {
  if (part?.$ref === undefined) return part;
  return part.$ref
    .split('/')
    .slice(1)
    .reduce((inside: Any, key: string) => inside[key], document);
}

/** Names what would break clients of the last release. */
if (import.meta.main) {
  const docs = resolve(import.meta.dirname, '../docs');
  const read = (file: string) => readFile(join(docs, file), 'utf8');
  const release = 'releases/openapi-1.0.0.json';
  const changes = [
    ...findBreakingChanges(JSON.parse(await read(release)), JSON.parse(await read('openapi.json'))),
    ...findBreakingSchemaChanges(await read('releases/schema-1.0.0.graphql'), await read('schema.graphql')),
  ];
  const unknown = changes.filter((change) => !(change in accepted));
  if (unknown.length > 0) {
    console.error(`The API breaks clients of docs/releases:\n${unknown.join('\n')}`);
    process.exitCode = 1;
  }
}
