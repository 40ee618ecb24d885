import type { Caller, Db, Membership } from '@chowk/kit/kernel';
import type { AuditEntry } from '../actions/audit-log.ts';
import type { FileChanges } from '../files/file-store.ts';
import type { RequestSource } from '../network.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { Transaction } from './transaction.ts';

/** The call that a context belongs to. */
export interface ContextOptions {
  readonly requestId: string;
  /** The module whose code runs; `undefined` is the kernel. */
  readonly module?: string | undefined;
  /** The module that calls the operation. */
  readonly callingModule?: string | undefined;
  readonly tenant?: TenantEntry | undefined;
  readonly user?: Caller | undefined;
  readonly membership?: Membership | undefined;
  /** The request that the call comes from. */
  readonly source?: RequestSource;
  /** The audit entry of the call. */
  readonly auditEntry?: AuditEntry | undefined;
  /** The ETags in the `If-Match` header. */
  readonly ifMatch?: string | undefined;
  /** The platform itself calls, as in a job: no permission is required. */
  readonly system?: true | undefined;
  readonly transaction?: Transaction;
  /** A transaction in the central database. */
  readonly central?: Db;
  /** Files that the request has written and not kept yet. */
  readonly writtenFiles?: FileChanges | undefined;
  /** The number of bus calls above this one. */
  readonly depth?: number;
}
