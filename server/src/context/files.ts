import type { Db, Files } from '@chowk/kit/kernel';
import type { FileStore, FileTransaction } from '../files/file-store.ts';
import type { ContextOptions } from './context-options.ts';
import type { Transaction } from './transaction.ts';

type BeginTransaction = <Result>(work: (transaction: Transaction) => Promise<Result>) => Promise<Result>;

/** `ctx.files` of a tenant's module. */
export function tenantFiles(
  store: FileStore,
  { module = 'kernel', tenant, transaction, writtenFiles, system }: ContextOptions,
  begin: BeginTransaction,
): Files {
  if (!tenant) throw new Error("the call is bound to no tenant; declare `tenant: 'required'` on the action");
  return store.forOwner(
    // What a job writes, such as a received mail or an export, is not refused.
    { module, tenantId: tenant.id, storageLimit: system ? null : tenant.limits.storage_mb },
    {
      db: transaction?.db ?? tenant.db,
      request: writtenFiles,
      transaction: transaction?.files,
      inTransaction: (work) => (transaction ? work(transaction) : begin(work)),
    },
  );
}

/** `ctx.files` of a system module: they belong to no tenant. */
export function centralFiles(
  store: FileStore,
  { module = 'kernel', writtenFiles }: ContextOptions,
  central: Db,
  transaction?: FileTransaction,
): Files {
  return store.forOwner(
    { module, tenantId: undefined },
    {
      db: transaction?.db ?? central,
      request: writtenFiles,
      transaction: transaction?.files,
      inTransaction: (work) => (transaction ? work(transaction) : store.inCentralTransaction(work)),
    },
  );
}
