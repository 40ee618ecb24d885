import type { Ctx, Paging, Static } from '@chowk/kit';
import type { OrderPage } from './schemas.ts';
export async function listOrders(_ctx: Ctx, _key: { id: string }, _paging: Paging): Promise<Static<typeof OrderPage>> {
  throw new Error('to come');
}
