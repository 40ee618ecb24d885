import { type Ctx, sql } from '@chowk/kit';

export interface Contact {
  readonly id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

export async function contacts(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Contact>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db.rows<Contact>(sql`
    SELECT id, first_name, last_name, email, phone FROM customers WHERE id = ANY(${ids}::uuid[])`);
  return new Map(rows.map((row) => [row.id, row]));
}
