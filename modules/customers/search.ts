import type { Ctx } from '@chowk/kit';
import type { Customer, SearchQuery } from './schemas.ts';
export async function searchCustomers(_ctx: Ctx, _query: SearchQuery): Promise<Customer[]> {
  throw new Error('to come');
}
