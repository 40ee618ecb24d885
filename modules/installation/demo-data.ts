import type { SystemCtx } from '@chowk/kit';
import { fail } from './errors.ts';
import type { DemoData, NewDemoData } from './schemas.ts';

export async function fillWithDemoData(ctx: SystemCtx, { customers }: NewDemoData): Promise<DemoData> {
  const rows = await ctx.system.fillWithDemoData(ctx.tenant.id, customers);
  if (!rows) throw fail('installation.not_empty');
  const count = (table: string) => rows.get(table) ?? 0;
  return { customers: count('customers'), orders: count('orders'), products: count('products') };
}
