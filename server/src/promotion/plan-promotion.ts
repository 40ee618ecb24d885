import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { satisfies } from 'semver';
import type { Config } from '../config/config.ts';
import { describeProblem, migrationProblems } from '../db/linter/migration-problems.ts';
import { iterateTenants } from '../graphql/broken-queries.ts';
import type { Kernel } from '../kernel.ts';
import { type LoadedModule, loadLockedModules } from '../loader/load-modules.ts';
import { folderIntegrity, type LockedModule, type LockFile } from '../loader/lock-file.ts';
import { ringLockFile } from '../loader/lock-path.ts';
import { readManifest } from '../loader/manifest.ts';
import { findModuleFolder, modulesFolder, packageFolder } from '../loader/module-folders.ts';
import { readRingLock } from '../loader/ring-lock.ts';
import { listRings, type Ring, requireRing } from '../tenancy/rings.ts';
import { version as platformVersion } from '../version.ts';
import { consumptionProblems } from './consumption-problems.ts';
import { type ModuleChanges, type ModuleSets, moduleChanges } from './module-changes.ts';
import { queryProblems } from './query-problems.ts';
import { soakProblem } from './soak.ts';

export interface PromotionRequest {
  readonly alias: string;
  readonly to: string;
  /** The ring whose version is taken over. */
  readonly from?: string | undefined;
  /** The version, if no ring is given. */
  readonly version?: string | undefined;
  /** How long the version must have served the ring `from`. */
  readonly soakMs?: number | undefined;
}

/** What a promotion means for the ring. */
export interface PromotionReport extends ModuleChanges {
  readonly alias: string;
  readonly ring: string;
  readonly from_version: string | null;
  readonly to_version: string;
  /** What it would break. */
  readonly refusals: readonly string[];
}

export interface PromotionPlan {
  readonly file: string;
  readonly lock: LockFile;
  readonly next: LockFile;
  /** `undefined` if the ring has the version already. */
  readonly report: PromotionReport | undefined;
}

/** Loads the modules of the ring before and after the change, and compares them. Changes nothing. */
export async function planPromotion(kernel: Kernel, request: PromotionRequest): Promise<PromotionPlan> {
  const { config, central } = kernel;
  const { alias } = request;
  const ring = await requireRing(central.db, request.to);
  const candidate = await findCandidate(kernel, request);
  const { file, lock } = await readRingLock(config, ring);
  await requireOwnFile(kernel, ring, file);
  const locked = lock.modules[alias];
  const modules = { ...lock.modules, [alias]: candidate };
  const sorted = Object.fromEntries(Object.entries(modules).sort(([one], [other]) => (one < other ? -1 : 1)));
  const next = { ...lock, generated_at: kernel.now().toISOString(), modules: sorted };
  if (locked?.version === candidate.version && locked.integrity === candidate.integrity) {
    return { file, lock, next, report: undefined };
  }
  const platform = await platformProblem(config, alias, candidate, ring);
  const sets = { before: await loadLockedModules(config, lock), after: await loadLockedModules(config, next) };
  const report = {
    alias,
    ring: ring.name,
    from_version: locked?.version ?? null,
    to_version: candidate.version,
    ...moduleChanges(alias, sets),
    refusals: [
      ...platform,
      ...(await notSoaked(kernel, request, candidate)),
      ...(await migrationRefusals(alias, sets)),
      ...consumptionProblems(alias, sets),
      ...(await queryProblems(iterateTenants(kernel, ring.name), { from: sets.before, to: sets.after })),
    ],
  };
  return { file, lock, next, report };
}

async function findCandidate(
  { config, central }: Kernel,
  { alias, from, version }: PromotionRequest,
): Promise<LockedModule> {
  if (from === undefined) return findVersion(config, alias, version ?? '');
  const { file, lock } = await readRingLock(config, await requireRing(central.db, from));
  const locked = lock.modules[alias];
  if (!locked) throw new Error(`the ring ${from} does not have the module ${alias}; see ${file}`);
  await findModuleFolder(config, alias, locked);
  return locked;
}

/** A version that comes with the platform or is installed. */
async function findVersion(config: Config, alias: string, version: string): Promise<LockedModule> {
  for (const folder of [join(modulesFolder, alias), packageFolder(config, alias, version)]) {
    const file = join(folder, 'module.json');
    if (!existsSync(file) || (await readManifest(file)).version !== version) continue;
    return { version, integrity: await folderIntegrity(folder) };
  }
  throw new Error(`${alias} ${version} is not installed; run 'chowkd module:install ${alias}@${version}' first`);
}

/** Rings that were registered without a lock file of their own would change with the other ring. */
async function requireOwnFile({ config, central }: Kernel, ring: Ring, file: string): Promise<void> {
  const rings = await listRings(central.db);
  const other = rings.find((one) => one.name !== ring.name && ringLockFile(config, one) === file);
  if (other) throw new Error(`the rings ${ring.name} and ${other.name} share ${file}; give each its own`);
}

async function platformProblem(
  config: Config,
  alias: string,
  candidate: LockedModule,
  { name, platform_version }: Ring,
): Promise<string[]> {
  const folder = await findModuleFolder(config, alias, candidate);
  const { compatibility } = await readManifest(join(folder, 'module.json'));
  const running = platform_version ?? platformVersion;
  if (satisfies(running, compatibility.platform)) return [];
  return [
    `${alias} ${candidate.version} needs platform ${compatibility.platform}, but the ring ${name} runs ${running}`,
  ];
}

async function notSoaked(
  { central, now }: Kernel,
  { alias, from, soakMs }: PromotionRequest,
  { version }: LockedModule,
): Promise<string[]> {
  if (soakMs === undefined || from === undefined) return [];
  return [(await soakProblem(central.db, { ring: from, alias, version, durationMs: soakMs }, now())) ?? []].flat();
}

/** The new migrations that are not additive, and old ones that have changed. */
async function migrationRefusals(alias: string, { before, after }: ModuleSets): Promise<string[]> {
  const find = (modules: readonly LoadedModule[]) =>
    modules.find((one) => one.alias === alias)?.migrations ?? { owner: alias, migrations: [] };
  const known = new Map(find(before).migrations.map(({ name, checksum }) => [name, checksum]));
  const { migrations } = find(after);
  const added = migrations.filter(({ name }) => !known.has(name));
  const changed = migrations.filter(({ name, checksum }) => (known.get(name) ?? checksum) !== checksum);
  return [
    ...changed.map(({ name }) => `the migration ${alias}/${name} differs from that of the version before`),
    ...(await migrationProblems([{ owner: alias, migrations: added }])).map(describeProblem),
  ];
}
