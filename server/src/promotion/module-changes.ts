import { isDeepStrictEqual } from 'node:util';
import { type Action, permissionsFor, type SchemaChange, type TSchema } from '@chowk/kit/kernel';
import { composeAll } from '../graphql/named-schema.ts';
import { schemaChanges } from '../graphql/schema-changes.ts';
import type { LoadedModule } from '../loader/load-modules.ts';
import { schemas } from '../loader/packed-manifest.ts';
import { collectPermissions } from '../loader/permissions.ts';
import { inputProblem, outputProblem } from '../loader/schema-compatibility.ts';
import { inlineSchema } from '../schemas/components.ts';

/** Something that both versions have and that differs. */
interface Changed {
  readonly name: string;
  /** Why it is not compatible; null if it is. */
  readonly problem: string | null;
}

interface Difference {
  readonly gained: readonly string[];
  readonly changed: readonly Changed[];
  readonly lost: readonly string[];
}

/** What a version of a module means for a ring that runs another version, or none. */
export interface ModuleChanges {
  /** Files that only the new version has. */
  readonly migrations: readonly string[];
  readonly operations: Difference;
  readonly permissions: Difference;
  readonly settings: Difference;
  /** With the payloads of those that are new or changed. */
  readonly events: Difference & { readonly payloads: Readonly<Record<string, unknown>> };
  readonly graphql: readonly SchemaChange[];
}

export interface ModuleSets {
  readonly before: readonly LoadedModule[];
  readonly after: readonly LoadedModule[];
}

export function moduleChanges(alias: string, { before, after }: ModuleSets): ModuleChanges {
  const [old, current] = [before, after].map((set) => set.find((one) => one.alias === alias));
  const known = new Set(old?.migrations.migrations.map(({ name }) => name));
  const events = difference(payloads(old), payloads(current), (from, to) => outputProblem(from, to));
  const described = new Set([...events.gained, ...events.changed.map(({ name }) => name)]);
  return {
    migrations: (current?.migrations.migrations ?? []).map(({ name }) => name).filter((name) => !known.has(name)),
    operations: difference(operations(old), operations(current), operationProblem),
    permissions: difference(permissions(old), permissions(current), () => undefined),
    settings: difference(settings(old), settings(current), (from, to) => inputProblem(from.schema, to.schema)),
    events: {
      ...events,
      payloads: Object.fromEntries([...payloads(current)].filter(([name]) => described.has(name))),
    },
    graphql: schemaChanges(composeAll(before), composeAll(after)),
  };
}

function difference<Item>(
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
  problem: (before: Item, after: Item) => string | undefined,
): Difference {
  const changed = [...before].flatMap(([name, old]) => {
    const current = after.get(name);
    if (current === undefined || isDeepStrictEqual(old, current)) return [];
    return [{ name, problem: problem(old, current) ?? null }];
  });
  return {
    gained: [...after.keys()].filter((name) => !before.has(name)),
    changed,
    lost: [...before.keys()].filter((name) => !after.has(name)),
  };
}

interface Operation extends ReturnType<typeof schemas> {
  readonly http: string | undefined;
  readonly needs: readonly string[];
  readonly isOnBus: boolean;
}

/** Actions of every transport, and operations for other modules. */
function operations(module: LoadedModule | undefined): Map<string, Operation> {
  const { actions = {}, operations: internal = {} } = module?.definition ?? {};
  return new Map(Object.entries({ ...actions, ...internal }).map(([name, action]) => [name, describe(action)]));
}

function describe(action: Action): Operation {
  return {
    ...schemas(action),
    http: action.http,
    needs: permissionsFor(action),
    isOnBus: Boolean(action.bus ?? action.internal),
  };
}

/** Why a caller of the old version cannot use the new one; `undefined` if it can. */
export function operationProblem(before: Operation, after: Operation): string | undefined {
  const lostPermission =
    before.needs.length === 0 ? after.needs : before.needs.filter((one) => !after.needs.includes(one));
  if (before.http !== undefined && before.http !== after.http) return `${before.http} becomes ${after.http ?? 'none'}`;
  if (before.isOnBus && !after.isOnBus) return 'modules can no longer call it';
  if (after.needs.length > 0 && lostPermission.length > 0) return `it needs ${after.needs.join(' or ')}`;
  return inputProblem(before.input, after.input) ?? outputProblem(before.output ?? {}, after.output ?? {});
}

/** The operation of a module that other modules can call. */
export function busOperation(module: LoadedModule | undefined, name: string): Operation | undefined {
  const operation = operations(module).get(name);
  return operation?.isOnBus ? operation : undefined;
}

function permissions(module: LoadedModule | undefined): Map<string, object> {
  const declared = module ? collectPermissions([module]) : [];
  return new Map(declared.map((permission) => [permission.name, permission]));
}

function settings(module: LoadedModule | undefined) {
  return new Map((module?.manifest.settings ?? []).map((setting) => [setting.key, setting]));
}

function payloads(module: LoadedModule | undefined) {
  const events = Object.entries(module?.definition.events ?? {});
  return new Map(events.map(([name, { payload }]) => [name, inlineSchema(payload as TSchema, 'output')]));
}
