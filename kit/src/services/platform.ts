import type { Db } from '../database.ts';
import type { Promotion, PromotionRequest } from './promotion.ts';

/** A background job that waits, runs or has failed. */
export interface WaitingJob {
  readonly id: string;
  readonly ring: string | null;
  readonly queue: string;
  readonly job: string;
  readonly tenant: string;
  readonly state: string;
  readonly tries: number;
  readonly error: string | null;
  readonly created_at: string;
}

/** What a process did in the seconds before `at`. */
export interface FigureSample {
  readonly at: string;
  readonly requests: number;
  /** Responses of 500 and above. */
  readonly errors: number;
  /** The mean duration of the requests, in milliseconds. */
  readonly duration_ms: number;
  /** The longest time in which the process could do nothing else, in milliseconds. */
  readonly delay_ms: number;
  readonly memory_bytes: number;
  readonly busy_connections: number;
  /** Callers that wait for a database connection. */
  readonly waiting: number;
  readonly sockets: number;
}

/** What operators do with commands, for the owner of the platform. Texts that are returned say why something is refused. */
export interface PlatformService {
  suspend(tenantId: string, reason: string | null): Promise<boolean>;
  resume(tenantId: string): Promise<boolean>;
  /** Why this process cannot copy or export the tenant. */
  archiveProblem(tenantId: string): Promise<string | undefined>;
  /** Writes an archive of the tenant to a file that does not exist yet. */
  exportTenant(tenantId: string, file: string): Promise<{ readonly rows: number; readonly bytes: number }>;
  cloneTenant(tenantId: string, newId: string): Promise<void>;
  /** Records a sandbox of the tenant `of`, in the transaction. */
  reserveSandbox(db: Db, sandbox: { readonly id: string; readonly of: string }): Promise<void>;
  /** Copies settings and catalogue into a reserved sandbox and makes it available. If that fails, nothing of it is left. */
  fillSandbox(id: string, ownerId: number): Promise<void>;
  /** Throws while it is being filled. */
  deleteSandbox(id: string): Promise<void>;
  moveTenant(tenantId: string, server: string, onProgress: (line: string) => void): Promise<{ readonly from: string }>;
  planPromotion(request: PromotionRequest): Promise<Promotion | string | undefined>;
  /** Rewrites the lock file of the ring. */
  promote(
    request: PromotionRequest,
    options: { readonly operator: string; readonly reason: string | undefined; readonly force: boolean },
  ): Promise<string | undefined>;
  /** Asks the fronts to replace the process of a ring. */
  reload(ring: string, operator: string): Promise<void>;
  recordOperation(operation: {
    readonly operator: string;
    readonly operation: string;
    readonly ring: string;
    readonly tenant_id: string;
    readonly from_value?: string | undefined;
    readonly to_value?: string | undefined;
    readonly status?: 'done' | 'failed';
    readonly reason?: string | undefined;
  }): Promise<void>;
  listJobs(options: { readonly onlyFailed: boolean }): Promise<{ rows: readonly WaitingJob[]; total: number }>;
  /** Retries the failed job with this id, or all of them, and returns their number. */
  retryJobs(id?: string): Promise<number>;
  /** The database servers of tenants. `status`: `up` or `down`. */
  listServers(): Promise<readonly { readonly name: string; readonly weight: number; readonly status: string }[]>;
  /** The figures of this process, the oldest first. */
  figures(): { readonly seconds: number; readonly samples: readonly FigureSample[] };
}
