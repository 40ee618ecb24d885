import { type Action, type Module, permissionsFor, settingDefinitions } from '@chowk/kit/kernel';
import { inlineSchema } from '../schemas/components.ts';
import { consumedOperation, type Manifest } from './manifest.ts';

interface Described {
  readonly manifest: Manifest;
  readonly definition: Module;
}

/** The manifest with the events and settings of the code, unless it lists them. */
export function completeManifest(manifest: Manifest, { events, listeners, settings }: Module): Manifest {
  const listens = [...new Set((listeners ?? []).map(({ event }) => event))];
  const derived = {
    ...(events || listeners ? { events: { emits: Object.keys(events ?? {}), listens } } : {}),
    ...(settings ? { settings: settingDefinitions(settings) } : {}),
  } as Partial<Manifest>;
  return { ...derived, ...manifest };
}

/**
 * The manifest of a packed module: with the operations that it provides and, of those that it consumes, the schemas that it
 * was built against, so that compatibility can be checked without running the code.
 */
export function packedManifest(module: Described, modules: readonly Described[]): Manifest {
  const { manifest, definition } = module;
  const provides = Object.entries(definition.actions ?? {}).filter(([, { bus }]) => bus);
  const internal = Object.entries(definition.operations ?? {});
  const consumes = (manifest.api?.consumes ?? []).map((entry) => {
    const consumed = consumedOperation(entry);
    const action = findOperation(modules, consumed.operation);
    return action ? { ...consumed, ...schemas(action) } : consumed;
  });
  const api = {
    ...(provides.length > 0 ? { provides: provides.map(([name, action]) => describeProvided(name, action)) } : {}),
    ...(internal.length > 0 ? { internal: internal.map(([name, action]) => describeInternal(name, action)) } : {}),
    consumes,
  };
  const complete = completeManifest(manifest, definition);
  const events = complete.events && { events: { ...complete.events, schemas: payloadSchemas(definition) } };
  return { ...manifest, ...complete, ...events, api } as Manifest;
}

function payloadSchemas({ events = {} }: Module): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(events).map(([name, { payload }]) => [name, inlineSchema(payload, 'output')]),
  );
}

/** An operation that modules can call, by name. */
export function findOperation(modules: readonly Pick<Described, 'definition'>[], name: string): Action | undefined {
  for (const { definition } of modules) {
    const action = definition.operations?.[name] ?? definition.actions?.[name];
    if (action?.bus || action?.internal) return action;
  }
  return undefined;
}

/** The schemas of an operation as a manifest has them. */
export function schemas({ input, output }: Pick<Action, 'input' | 'output'>) {
  return {
    input: inlineSchema(input ?? { type: 'object' }),
    ...(output ? { output: inlineSchema(output, 'output') } : {}),
  };
}

function describeProvided(name: string, action: Action) {
  const permissions = permissionsFor(action);
  return {
    name,
    description: describe(action),
    ...(permissions.length === 0 ? {} : { permission: permissions.length === 1 ? permissions[0] : permissions }),
    rate_limit: action.bus?.rateLimit,
    ...(action.graphql === false ? { graphql_expose: false } : {}),
    ...schemas(action),
  };
}

function describeInternal(name: string, action: Action) {
  return {
    name,
    description: describe(action),
    ...(action.internal === 'system' ? { system: true } : {}),
    ...schemas(action),
  };
}

function describe({ summary, description }: Action): string {
  return description === undefined ? `${summary}.` : `${summary}. ${description}`;
}
