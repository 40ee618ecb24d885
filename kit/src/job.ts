import type { Ctx } from './context.ts';
import type { Static, TSchema } from './schema.ts';

/** Work done later, by a worker, for the tenant that asked for it. */
export interface Job {
  readonly data: TSchema;
  /** The named queue it waits in. Default `default`. */
  readonly queue?: string;
  /** Seconds to wait before each further try; as many tries as there are numbers, after the first. */
  readonly retries?: readonly number[];
  /** A cron expression in UTC: done for every tenant that has the module. */
  readonly schedule?: string;
  run(ctx: Ctx, data: unknown): Promise<void>;
}

export interface TypedJob<Data extends TSchema> extends Job {
  readonly data: Data;
}

export function job<Data extends TSchema>(
  definition: Omit<Job, 'run' | 'data'> & {
    readonly data: Data;
    run(ctx: Ctx, data: Static<Data>): Promise<void>;
  },
): TypedJob<Data> {
  return definition as TypedJob<Data>;
}

export type JobsOf<Table> = {
  [Name in keyof Table]: Table[Name] extends TypedJob<infer Data> ? Static<Data> : never;
};
