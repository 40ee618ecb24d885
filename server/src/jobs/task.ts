import type { TSchema } from '@chowk/kit/kernel';

/** One run of a job, as it waits in a queue. */
export interface Task {
  readonly job: string;
  /** Empty for a system job, and for a scheduled task that becomes one task for each tenant. */
  readonly tenant: string;
  /** The user who added it; absent if the platform did. */
  readonly userId?: number | undefined;
  readonly data: unknown;
  readonly requestId: string;
  /** The version of the module whose process added it; absent for jobs of the kernel. */
  readonly version?: string | undefined;
}

export interface JobHandler {
  readonly queue: string;
  /** How many tasks a worker takes at once. Default 1. */
  readonly batchSize?: number;
  /** Seconds to wait before each retry. */
  readonly retries: readonly number[];
  /** Runs for the platform and not for a tenant. */
  readonly system?: boolean;
  /** The module that declares the job; `undefined` is the kernel. */
  readonly module?: string | undefined;
  /** The version of the module. */
  readonly version?: string | undefined;
  /** Absent for a job that only the kernel can add. */
  readonly data?: TSchema;
  /** Resolves to the value that the job returns. */
  perform(task: Task): Promise<unknown>;
}

export interface AddOptions {
  readonly id?: string;
  readonly startAt?: Date;
}

export interface Entry {
  readonly task: Task;
  readonly options?: AddOptions;
}

/** For jobs without `retries`. In seconds. */
export const defaultRetries: readonly number[] = [5, 30, 120, 600];
