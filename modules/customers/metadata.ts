import { type Ctx, sql } from '@chowk/kit';
import type { MetadataChanges } from './schemas.ts';

interface Entry {
  readonly id: string;
  readonly key: string;
  readonly value: string | null;
  /** The module that has written it. */
  readonly source: string;
}

/** Whether the entry has changed. `null` removes it. */
export async function writeMetadata(ctx: Ctx, { id, key, value, source }: Entry): Promise<boolean> {
  const isEntry = sql`customer_id = ${id} AND module_source = ${source} AND key = ${key}`;
  if (value === null) return (await ctx.db.run(sql`DELETE FROM customer_metadata WHERE ${isEntry}`)) > 0;
  const written = await ctx.db.run(sql`
    INSERT INTO customer_metadata AS m (id, customer_id, key, value, module_source, created_at, updated_at)
    VALUES (${ctx.newId()}, ${id}, ${key}, ${value}, ${source}, ${ctx.now()}, ${ctx.now()})
    ON CONFLICT (customer_id, module_source, key)
    DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at WHERE m.value <> excluded.value`);
  return written > 0;
}

/** Sets what callers of the API store about a locked customer. Returns whether something has changed. */
export async function setMetadata(ctx: Ctx, id: string, changes: MetadataChanges): Promise<boolean> {
  let isChanged = false;
  for (const [key, value] of Object.entries(changes)) {
    isChanged = (await writeMetadata(ctx, { id, key, value, source: 'api' })) || isChanged;
  }
  return isChanged;
}
