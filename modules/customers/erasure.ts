import type { Ctx } from '@chowk/kit';
import type { DeleteMode } from './schemas.ts';
export async function deleteCustomer(
  _ctx: Ctx,
  _key: { id: string },
  _query: { mode: DeleteMode },
): Promise<{ message: string }> {
  throw new Error('to come');
}
