import type { Ctx, SystemCtx } from './context.ts';
import type { Static, TSchema } from './schema.ts';

/** Work done later, by a worker, for the tenant that asked for it or, in a system module, for the platform. */
export interface Job {
  readonly data: TSchema;
  /** The named queue it waits in. Default `default`. */
  readonly queue?: string;
  /** Seconds to wait before each further try; as many tries as there are numbers, after the first. */
  readonly retries?: readonly number[];
  /** A cron expression in UTC: done for every tenant that has the module, or once for the platform. */
  readonly schedule?: string;
  /** Done for no tenant. */
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

/** A job of a system module, done for the platform and not for a tenant. */
export function systemJob<Data extends TSchema>(
  definition: Omit<Job, 'run' | 'data' | 'system'> & {
    readonly data: Data;
    run(ctx: SystemCtx, data: Static<Data>): Promise<unknown>;
  },
): TypedJob<Data> {
  return { ...definition, system: true } as unknown as TypedJob<Data>;
}

export type JobsOf<Table> = {
  [Name in keyof Table]: Table[Name] extends TypedJob<infer Data> ? Static<Data> : never;
};
