import { LRUCache } from 'lru-cache';
import type { Kernel } from '../kernel.ts';
import { type ModuleSchema, readModuleSchema, rootFields } from './module-schema.ts';
import { buildTenantSchema, printSdl, setFingerprint, type TenantSchema } from './tenant-schema.ts';

/** A schema in this process. */
export interface CachedSchema extends TenantSchema {
  /** Unique in this process. */
  readonly id: string;
  readonly cacheKey: string;
}

/** Tenants with the same modules share a schema. */
const maxSchemas = 100;

/** The schemas of tenants, each composed when a tenant with its modules first needs it. */
export class TenantSchemas {
  readonly #kernel: Kernel;
  readonly #moduleSchemas: readonly ModuleSchema[];
  readonly #schemas = new LRUCache<string, CachedSchema>({ max: maxSchemas });
  /** The schema of each set of aliases that the installations return. */
  readonly #byInstallation = new WeakMap<ReadonlySet<string>, CachedSchema>();
  /** The schema of all modules has been composed and is valid. */
  #allAreValid = false;
  #built = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#moduleSchemas = kernel.modules.map((module) => readModuleSchema(module, kernel.actions));
  }

  get fieldsByModule(): ReadonlyMap<string, readonly string[]> {
    return new Map(this.#moduleSchemas.map((schema) => [schema.module, rootFields(schema)]));
  }

  async get(tenantId: string): Promise<CachedSchema> {
    const enabled = await this.#kernel.installations.enabled(tenantId);
    const known = this.#byInstallation.get(enabled);
    if (known) return known;
    const { systemModules } = this.#kernel;
    const schema = this.#composeCached(
      this.#moduleSchemas.filter(({ module }) => systemModules.has(module) || enabled.has(module)),
    );
    this.#byInstallation.set(enabled, schema);
    return schema;
  }

  /** Composes the schema of all modules, which most tenants have. */
  composeAll(): string {
    const schema = this.#composeCached(this.#moduleSchemas);
    this.#allAreValid = true;
    for (const part of schema.omitted) this.#kernel.log.warn({}, `the GraphQL schema does not have ${part}`);
    return printSdl(schema);
  }

  async sdl(tenantId: string): Promise<string> {
    const schema = await this.get(tenantId);
    const cached = await this.#kernel.cache.get(schema.cacheKey);
    return typeof cached === 'string' ? cached : this.#shareSdl(schema);
  }

  #composeCached(schemas: readonly ModuleSchema[]): CachedSchema {
    const fingerprint = setFingerprint(schemas);
    const known = this.#schemas.get(fingerprint);
    if (known) return known;
    const cacheKey = `graphql:schema:${this.#kernel.config.ringName}:${fingerprint}`;
    const isValid = this.#allAreValid && schemas.length < this.#moduleSchemas.length;
    const schema = { ...buildTenantSchema(schemas, isValid), id: String(++this.#built), cacheKey };
    this.#schemas.set(fingerprint, schema);
    return schema;
  }

  /** Other processes, of this ring and of others, read the SDL from the cache. */
  async #shareSdl(schema: CachedSchema): Promise<string> {
    const sdl = printSdl(schema);
    await this.#kernel.cache.set(schema.cacheKey, sdl, this.#kernel.config.graphqlSchemaCacheTtl);
    return sdl;
  }
}
