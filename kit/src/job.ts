import type { Ctx, SystemCtx } from './context.ts';
import type { Static, TSchema } from './schema.ts';

/** A background job for a tenant or, in a system module, for the platform. */
export interface Job {
  readonly data: TSchema;
  /** The name of its queue. Default `default`. */
  readonly queue?: string;
  /**
   * A worker takes up to this many tasks of the queue at once and reports them together. For short jobs that may run again.
   * Default 1; the smallest of the queue's jobs applies.
   */
  readonly batchSize?: number;
  /** Seconds to wait before each retry. */
  readonly retries?: readonly number[];
  /**
   * A cron expression in UTC: runs for each tenant that has the module, or once for the platform. If it has a run in each hour,
   * tenants in which nothing has changed for two days have theirs in one hour of the day only.
   */
  readonly schedule?: string;
  /** Runs for the platform and not for a tenant. */
  readonly system?: true;
  /** `chowkd jobs:run` prints the value it returns. */
  run(ctx: Ctx, data: unknown): Promise<unknown>;
}

export interface TypedJob<Data extends TSchema> extends Job {
  readonly data: Data;
}

export function job<Data extends TSchema>(
  definition: Omit<Job, 'run' | 'data'> & {
    readonly data: Data;
    run(ctx: Ctx, data: Static<Data>): Promise<unknown>;
  },
): TypedJob<Data> {
  return definition as TypedJob<Data>;
}

/** A job of a system module that runs for the platform. */
export function systemJob<Data extends TSchema>(
  definition: Omit<Job, 'run' | 'data' | 'system'> & {
    readonly data: Data;
    run(ctx: SystemCtx, data: Static<Data>): Promise<unknown>;
  },
): TypedJob<Data> {
  return { ...definition, system: true } as unknown as TypedJob<Data>;
}

export type JobTypes<Table> = {
  [Name in keyof Table]: Table[Name] extends TypedJob<infer Data> ? Static<Data> : never;
};
