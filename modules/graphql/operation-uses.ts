import type { Ctx, Db, SystemServices } from '@chowk/kit';

/** The uses of an operation since they were last written. */
export interface Uses<Operation> {
  readonly operation: Operation;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly count: number;
}

interface Options<Operation> {
  /** The maximum number of different operations of a tenant in memory. */
  readonly max: number;
  write(db: Db, uses: readonly Uses<Operation>[]): Promise<unknown>;
}

interface Batch<Operation> {
  readonly db: Db;
  readonly uses: Map<string, Uses<Operation>>;
}

const flushEveryMs = 3_000;

/** Counts the uses of operations in memory and writes them every few seconds, so that no request waits for it. */
export class OperationUses<Operation extends { readonly hash: string }> {
  readonly #options: Options<Operation>;
  readonly #system: SystemServices;
  /** By tenant. */
  readonly #pending = new Map<string, Batch<Operation>>();
  readonly #writing = new Map<string, Promise<void>>();

  constructor(system: SystemServices, options: Options<Operation>) {
    this.#options = options;
    this.#system = system;
    const timer = setInterval(() => void this.#flushAll(), flushEveryMs).unref();
    system.onClose(() => {
      clearInterval(timer);
      return this.#flushAll();
    });
  }

  /** Counts one use. */
  add(ctx: Ctx, operation: Operation): void {
    const at = ctx.now();
    this.#add(ctx.tenant.id, ctx.db, { operation, firstAt: at, lastAt: at, count: 1 });
  }

  /** Writes the uses of a tenant. If that fails, it is tried again later. */
  async flush(tenantId: string): Promise<void> {
    while (this.#writing.has(tenantId)) await this.#writing.get(tenantId);
    const batch = this.#pending.get(tenantId);
    if (!batch) return;
    this.#pending.delete(tenantId);
    const writing = this.#write(tenantId, batch).finally(() => this.#writing.delete(tenantId));
    this.#writing.set(tenantId, writing);
    await writing;
  }

  async #flushAll(): Promise<void> {
    for (const tenantId of [...this.#pending.keys()]) await this.flush(tenantId);
  }

  #add(tenantId: string, db: Db, added: Uses<Operation>): void {
    const { uses } = this.#pending.get(tenantId) ?? { uses: new Map<string, Uses<Operation>>() };
    this.#pending.set(tenantId, { db, uses });
    const { hash } = added.operation;
    const known = uses.get(hash);
    if (known) uses.set(hash, { ...added, firstAt: known.firstAt, count: known.count + added.count });
    else if (uses.size < this.#options.max) uses.set(hash, added);
  }

  async #write(tenantId: string, { db, uses }: Batch<Operation>): Promise<void> {
    try {
      await this.#options.write(db, [...uses.values()]);
    } catch (error) {
      this.#system.log.warn({ err: error, tenant: tenantId }, 'could not write the uses of operations; will retry');
      for (const use of uses.values()) this.#add(tenantId, db, use);
    }
  }
}
