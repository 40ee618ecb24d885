import { type Action, Bytes, IdSet, type Module, permissionsFor, type TSchema, uploadField } from '@chowk/kit/kernel';
import { pathParameters } from '../actions/registry.ts';
import { cronProblem } from '../jobs/cron.ts';
import { compileBody, unknownFormats } from '../schemas/validation.ts';
import { entryProblems } from './console-problems.ts';
import { type ConsumedOperation, consumedOperation, type Manifest } from './manifest.ts';
import { findOperation, schemas } from './packed-manifest.ts';
import { collectPermissions } from './permissions.ts';
import { inputProblem, outputProblem } from './schema-compatibility.ts';

const canDirective = /@can\(\s*permission:\s*"([^"]*)"/g;

interface CheckedModule {
  readonly alias: string;
  readonly manifest: Manifest;
  readonly definition: Module;
  readonly graphql?: { readonly sdl: readonly string[] } | undefined;
}

/** Throws if `module.json` and `module.ts` disagree or one of them is invalid, or for problems that were found before. */
export function checkModule(module: CheckedModule, found: readonly string[] = []): void {
  report(module.alias, [
    ...found,
    ...systemProblems(module),
    ...providedProblems(module),
    ...eventNameProblems(module),
    ...subscriptionProblems(module),
    ...nameProblems(module),
    ...settingProblems(module),
    ...scheduleProblems(module),
    ...uploadProblems(module),
    ...pathProblems(module),
    ...formatProblems(module),
    ...opaqueProblems(module),
    ...entryProblems(module),
  ]);
}

/** Throws if a module refers to a permission, an event or an operation that no loaded module has. */
export function checkReferences(modules: readonly CheckedModule[]): void {
  for (const [alias, problems] of referenceProblems(modules)) report(alias, problems);
}

/** By alias, the references of each module to permissions, events and operations that no loaded module has. */
export function referenceProblems(modules: readonly CheckedModule[]): Map<string, string[]> {
  const permissions = new Set(collectPermissions(modules).map(({ name }) => name));
  const events = new Set(modules.flatMap(({ manifest }) => manifest.events?.emits ?? []));
  return new Map(
    modules.map((module) => [
      module.alias,
      [
        ...duplicatePermissions(module, modules),
        ...duplicateNotifications(module, modules),
        ...permissionProblems(module, permissions),
        ...eventProblems(module, events),
        ...operationProblems(module, modules),
      ],
    ]),
  );
}

function report(alias: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`the module ${alias} cannot be loaded: ${problems.join('; ')}`);
}

function systemProblems({ manifest, definition }: CheckedModule): string[] {
  if (manifest.system) return [];
  const remedy = 'only a system module can have one; set "system": true in module.json or remove it';
  const systemJobs = Object.entries(definition.jobs ?? {}).filter(([, { system }]) => system);
  return [
    ...(definition.commands ?? []).map(({ name }) => `commands.${name}: ${remedy}`),
    ...(definition.identity ? [`identity: ${remedy}`] : []),
    ...systemJobs.map(([name]) => `jobs.${name}: this is a system job, and ${remedy}`),
  ];
}

const derived = 'remove it from module.json, which is completed from the code';

/** A packed manifest must name the operations of the code. */
function providedProblems({ manifest: { api = {} }, definition }: CheckedModule): string[] {
  const onBus = Object.entries(definition.actions ?? {}).filter(([, { bus }]) => bus);
  const coded = {
    provides: onBus.map(([name]) => name),
    internal: Object.keys(definition.operations ?? {}),
  };
  return (['provides', 'internal'] as const).flatMap((field) => {
    const declared = api[field]?.map(({ name }) => name);
    if (!declared) return [];
    return [...new Set(declared).symmetricDifference(new Set(coded[field]))].map(
      (name) => `api.${field}: ${name} is not the same in module.json and module.ts; ${derived}`,
    );
  });
}

function eventNameProblems({ manifest: { events }, definition }: CheckedModule): string[] {
  const listeners = definition.listeners ?? [];
  const names = listeners.map(({ name }) => name);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  const stale = (field: string, declared: readonly string[] = [], coded: readonly string[] = []) =>
    [...new Set(declared).symmetricDifference(new Set(coded))].map(
      (event) => `events.${field}: ${event} is not the same in module.json and module.ts; ${derived}`,
    );
  return [
    ...stale('emits', events?.emits, Object.keys(definition.events ?? {})),
    ...stale(
      'listens',
      events?.listens,
      listeners.map(({ event }) => event),
    ),
    ...repeated.map((name) => `listeners: two have the name ${name}; rename one`),
  ];
}

function subscriptionProblems({ definition }: CheckedModule): string[] {
  return Object.entries(definition.events ?? {})
    .filter(([, { graphql, needs }]) => graphql !== undefined && needs === undefined)
    .map(([name]) => `events.${name}: a GraphQL subscription needs a permission; declare one in needs`);
}

function nameProblems({ alias, manifest, definition }: CheckedModule): string[] {
  const names = {
    actions: manifest.system ? [] : Object.keys(definition.actions ?? {}),
    operations: Object.keys(definition.operations ?? {}),
    jobs: Object.keys(definition.jobs ?? {}),
    settings: (manifest.settings ?? []).map(({ key }) => key),
  };
  return Object.entries(names).flatMap(([field, list]) =>
    list.filter((name) => !name.startsWith(`${alias}.`)).map((name) => `${field}: ${name} must begin with ${alias}.`),
  );
}

function settingProblems({ manifest, definition }: CheckedModule): string[] {
  const declared = new Set((manifest.settings ?? []).map(({ key }) => key));
  const coded = new Set(Object.keys(definition.settings ?? {}));
  const stale = [...declared.symmetricDifference(coded)];
  return [
    ...stale.map((key) => `settings: ${key} is not the same in module.json and module.ts; ${derived}`),
    ...defaultProblems(manifest),
  ];
}

function defaultProblems({ settings = [] }: Manifest): string[] {
  return settings.flatMap(({ key, schema, default: value }) => {
    try {
      const wrong = compileBody({ type: 'object', properties: { default: schema } } as TSchema)({
        default: structuredClone(value),
      });
      return Object.values(wrong ?? {}).map(
        ([first]) => `settings.${key}.default: ${first?.message} Change the default or the schema`,
      );
    } catch (error) {
      return [`settings.${key}.schema: this is not a valid JSON schema (${(error as Error).message})`];
    }
  });
}

function scheduleProblems({ definition }: CheckedModule): string[] {
  return Object.entries(definition.jobs ?? {}).flatMap(([name, { schedule }]) => {
    const problem = schedule === undefined ? undefined : cronProblem(schedule);
    return problem === undefined
      ? []
      : [`jobs.${name}.schedule: '${schedule}' is not a cron expression (${problem}); write one such as '0 4 * * *'`];
  });
}

function uploadProblems({ definition }: CheckedModule): string[] {
  return Object.entries(definition.actions ?? {}).flatMap(([name, { accepts, input, bus, graphql }]) => {
    const isUpload = accepts === 'multipart';
    if (isUpload !== (uploadField(input?.properties) !== undefined)) {
      return [`actions.${name}: accepts: 'multipart' and an UploadedFile in the input belong together`];
    }
    return isUpload && (bus || graphql) ? [`actions.${name}: a file cannot be sent over the bus or in GraphQL`] : [];
  });
}

function pathProblems({ definition }: CheckedModule): string[] {
  return Object.entries(definition.actions ?? {}).flatMap(([name, { http = '', input, unchecked }]) =>
    pathParameters(http)
      .filter((parameter) => !unchecked && !Object.hasOwn(input?.properties ?? {}, parameter))
      .map((parameter) => `actions.${name}: the input has no field ${parameter}, which the path ${http} names; add it`),
  );
}

/** A validator ignores a format that it does not know. */
function formatProblems({ definition, manifest }: CheckedModule): string[] {
  const { actions = {}, operations = {}, events = {}, jobs = {} } = definition;
  const schemas: [string, unknown][] = [
    ...Object.entries({ ...actions, ...operations }).flatMap(([name, { input, output }]): [string, unknown][] => [
      [`${name}.input`, input],
      [`${name}.output`, output],
    ]),
    ...Object.entries(events).map(([name, { payload }]): [string, unknown] => [`events.${name}.payload`, payload]),
    ...Object.entries(jobs).map(([name, { data }]): [string, unknown] => [`jobs.${name}.data`, data]),
    ...(manifest.settings ?? []).map(({ key, schema }): [string, unknown] => [`settings.${key}.schema`, schema]),
  ];
  return schemas.flatMap(([place, schema]) =>
    unknownFormats(schema).map((format) => `${place}: there is no format ${format}; correct its name or remove it`),
  );
}

/** SQL stays inside its module: what others get is described by a schema, or is one of the opaque values of the kit. */
function opaqueProblems({ definition: { actions = {}, operations = {} } }: CheckedModule): string[] {
  return Object.entries({ ...actions, ...operations })
    .filter(([, { output, internal }]) => internal !== 'system' && hasOpaqueValue(output))
    .map(([name]) => `${name}.output: Type.Unsafe hides what callers get; describe it, or return an IdSet`);
}

const opaqueOfKit: ReadonlySet<unknown> = new Set([IdSet.schema, Bytes]);
const describing = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'items',
  'anyOf',
  'allOf',
  'oneOf',
  'enum',
  'const',
  '$ref',
];

function hasOpaqueValue(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null || opaqueOfKit.has(schema)) return false;
  const { type = 'object' } = schema as { type?: unknown };
  const isOpaque = '~unsafe' in schema && type === 'object' && !describing.some((keyword) => keyword in schema);
  return isOpaque || Object.values(schema).some(hasOpaqueValue);
}

function duplicatePermissions({ alias, manifest }: CheckedModule, modules: readonly CheckedModule[]): string[] {
  const own = new Set(collectPermissions([{ manifest }]).map(({ name }) => name));
  return modules
    .filter((other) => other.alias !== alias)
    .flatMap((other) => collectPermissions([other]).map(({ name }) => ({ name, by: other.alias })))
    .filter(({ name }) => own.has(name))
    .map(({ name, by }) => `permissions: ${name} is also declared by the module ${by}; declare it in one of them`);
}

function duplicateNotifications({ alias, definition }: CheckedModule, modules: readonly CheckedModule[]): string[] {
  return modules
    .filter((other) => other.alias !== alias)
    .flatMap((other) => Object.keys(other.definition.notifications ?? {}).map((name) => ({ name, by: other.alias })))
    .filter(({ name }) => definition.notifications?.[name])
    .map(({ name, by }) => `notifications: ${name} is also declared by the module ${by}; declare it in one of them`);
}

function permissionProblems({ manifest, definition, graphql }: CheckedModule, known: ReadonlySet<string>): string[] {
  const named = [
    ...Object.entries(definition.actions ?? {}).flatMap(([name, action]) =>
      permissionsFor(action).map((permission) => ({ field: `actions.${name}.needs`, permission })),
    ),
    ...Object.entries(definition.events ?? {}).flatMap(([name, { needs }]) =>
      needs === undefined ? [] : [{ field: `events.${name}.needs`, permission: needs }],
    ),
    ...(manifest.settings ?? []).flatMap(({ key, permission }) =>
      permission === undefined ? [] : [{ field: `settings.${key}.permission`, permission }],
    ),
    ...Object.entries(definition.console ?? {}).flatMap(([name, { needs }]) =>
      needs === undefined ? [] : [{ field: `console.${name}.needs`, permission: needs }],
    ),
    ...(graphql?.sdl ?? []).flatMap((sdl) =>
      [...sdl.matchAll(canDirective)].map(([, permission = '']) => ({ field: 'graphql: @can', permission })),
    ),
  ];
  const remedy = 'add it to permissions in module.json or correct the name';
  const own = new Set(collectPermissions([{ manifest }]).map(({ name }) => name));
  return [
    ...named
      .filter(({ permission }) => !known.has(permission))
      .map(({ field, permission }) => `${field}: there is no permission ${permission}; ${remedy}`),
    ...(manifest.api?.consumes ?? [])
      .map(consumedOperation)
      .filter(({ permission }) => typeof permission === 'string' && !own.has(permission))
      .map(
        ({ operation, permission }) =>
          `api.consumes: ${permission}, which is to authorize ${operation}, is not a permission of this module; ${remedy}`,
      ),
  ];
}

function eventProblems({ manifest }: CheckedModule, emitted: ReadonlySet<string>): string[] {
  return (manifest.events?.listens ?? [])
    .filter((event) => !event.endsWith('*') && !emitted.has(event))
    .map(
      (event) =>
        `events.listens: no module in the lock file emits ${event}; add the module that does, or correct the name`,
    );
}

function operationProblems({ manifest }: CheckedModule, modules: readonly CheckedModule[]): string[] {
  return (manifest.api?.consumes ?? []).map(consumedOperation).flatMap((consumed) => {
    const { operation } = consumed;
    const provider = findOperation(modules, operation);
    if (provider) return consumptionProblems(manifest, consumed, provider);
    const isAbsent = !modules.some(({ alias }) => operation.startsWith(`${alias}.`));
    if (consumed.optional && isAbsent) return [];
    return [
      `api.consumes: no module in the lock file provides ${operation}; add the module that does, or correct the name`,
    ];
  });
}

/** Why a module cannot use an operation: it is for system modules, or it has changed since the module was built. */
function consumptionProblems(
  { system = false }: Manifest,
  { operation, input, output }: ConsumedOperation,
  provider: Action,
): string[] {
  if (provider.internal === 'system' && !system) {
    return [`api.consumes: ${operation} is for system modules only; set "system": true in module.json or remove it`];
  }
  const current = schemas(provider);
  const changed =
    (input && inputProblem(input, current.input)) ?? (output && outputProblem(output, current.output ?? {}));
  if (!changed) return [];
  return [
    `api.consumes: ${operation} is not compatible with the version that the module was built against (${changed}); ` +
      'lock a version that is',
  ];
}
