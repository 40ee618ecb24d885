import type { Ctx, Paging } from '@chowk/kit';
import type { ListQuery } from './schemas.ts';
export async function listCustomers(_ctx: Ctx, _query: ListQuery): Promise<string> {
  throw new Error('to come');
}
export async function listVips(_ctx: Ctx, _paging: Paging): Promise<string> {
  throw new Error('to come');
}
