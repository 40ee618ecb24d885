import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Db, platformState, type SystemCtx, sql } from '@chowk/kit';
import { OperationUses, type Uses } from './operation-uses.ts';
import { findProblems, operationNameIn, register } from './persisted.ts';
import { maxQueryLength, type Registration, type UnregisteredOperation } from './schemas.ts';

interface Operation {
  readonly hash: string;
  readonly query: string;
  readonly operationName?: string | undefined;
}

/** Kept per tenant: those with the most uses. The list is one response, so the size of all queries is limited too. */
const limits = { count: 1_000, bytes: 16 * 1_048_576 };

/** The uses of unregistered operations. */
export const getUnregisteredUses = platformState(
  (system) => new OperationUses<Operation>(system, { max: 200, write: recordUses }),
);

/** Records the use of an operation that is not a persisted query, unless it could not be registered. */
export function recordUnregistered(ctx: SystemCtx, operation: Operation): void {
  const { query } = operation;
  if (query.length > maxQueryLength || query.includes('\0')) return;
  getUnregisteredUses(ctx.system).add(ctx, operation);
}

export async function listUnregistered(ctx: SystemCtx): Promise<UnregisteredOperation[]> {
  await getUnregisteredUses(ctx.system).flush(ctx.tenant.id);
  return ctx.db.rows<UnregisteredOperation>(sql`
    SELECT hash, operation_name, query, uses, first_seen_at, last_seen_at FROM unregistered_operations
    ORDER BY uses DESC, last_seen_at DESC, hash`);
}

/** Registers recorded operations, without `hashes` all of them. Those that are no longer valid stay. */
export async function registerUnregistered(
  ctx: SystemCtx,
  { hashes }: { hashes?: readonly string[] },
): Promise<Registration> {
  const recorded = await listUnregistered(ctx);
  const requested = new Set(hashes ?? recorded.map(({ hash }) => hash));
  const invalid: string[] = [];
  const operations: UnregisteredOperation[] = [];
  for (const operation of recorded) {
    if (!requested.delete(operation.hash)) continue;
    if ((await findProblems(ctx, operation.query)).length > 0) invalid.push(operation.hash);
    else operations.push(operation);
    // Validating a thousand operations takes a while: other requests run in between.
    await nextTurn();
  }
  const valid = await nameOperations(ctx.db, operations);
  if (valid.length > 0) await register(ctx, valid);
  const registered = valid.map(({ hash, name }) => ({ hash, name }));
  ctx.audit({ registered: [null, registered] });
  return { registered, invalid, not_found: [...requested] };
}

export async function clearUnregistered(ctx: SystemCtx): Promise<void> {
  await getUnregisteredUses(ctx.system).flush(ctx.tenant.id);
  await ctx.tx(async (tx) => {
    const deleted = await tx.db.run(sql`DELETE FROM unregistered_operations`);
    tx.audit({ operations: [deleted, 0] });
  });
}

/** Names operations after their GraphQL names, with a number if the name is taken. */
async function nameOperations(db: Db, operations: readonly UnregisteredOperation[]) {
  const rows = await db.rows<{ name: string }>(sql`SELECT name FROM persisted_queries`);
  const taken = new Set(rows.map(({ name }) => name));
  return operations.map(({ hash, query, operation_name }) => {
    const name = freeName(taken, operation_name ?? 'unnamed');
    taken.add(name);
    return { hash, query, name };
  });
}

function freeName(taken: ReadonlySet<string>, name: string): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) if (!taken.has(`${name}_${number}`)) return `${name}_${number}`;
}

function recordUses(db: Db, uses: readonly Uses<Operation>[]): Promise<void> {
  return db.tx(async (tx) => {
    // One process at a time, so that the limits hold.
    await tx.run(sql`SELECT pg_advisory_xact_lock(hashtext('unregistered_operations'))`);
    await upsertOperations(tx, uses);
    await deleteLeastUsed(tx);
  });
}

/** Another process may have registered an operation meanwhile. */
function upsertOperations(db: Db, uses: readonly Uses<Operation>[]): Promise<number> {
  const operations = uses.map(({ operation }) => operation);
  return db.run(sql`
    INSERT INTO unregistered_operations AS known (hash, operation_name, query, uses, first_seen_at, last_seen_at)
    SELECT * FROM unnest(
      ${operations.map(({ hash }) => hash)}::text[], ${operations.map(findName)}::text[],
      ${operations.map(({ query }) => query)}::text[], ${uses.map(({ count }) => count)}::bigint[],
      ${uses.map(({ firstAt }) => firstAt)}::timestamptz[], ${uses.map(({ lastAt }) => lastAt)}::timestamptz[]
    ) AS used (hash) WHERE NOT EXISTS (SELECT FROM persisted_queries p WHERE p.hash = used.hash)
    ON CONFLICT (hash) DO UPDATE SET uses = known.uses + excluded.uses,
      last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)`);
}

function deleteLeastUsed(db: Db): Promise<number> {
  return db.run(sql`
    DELETE FROM unregistered_operations WHERE hash IN (
      SELECT hash FROM (
        SELECT hash, row_number() OVER most_used AS position, sum(octet_length(query)) OVER most_used AS bytes
        FROM unregistered_operations WINDOW most_used AS (ORDER BY uses DESC, last_seen_at DESC, hash)
      ) AS ranked WHERE position > ${limits.count} OR bytes > ${limits.bytes})`);
}

/** The operation's name in the request or in the query. */
function findName({ operationName, query }: Operation): string | null {
  return (operationName ?? operationNameIn(query))?.slice(0, 255) ?? null;
}
