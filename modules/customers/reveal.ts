import type { Ctx } from '@chowk/kit';
import { findCustomer } from './find.ts';
import type { Reveal, RevealedField } from './schemas.ts';

/** The whole phone or email, also for callers who see it masked. The audit log has the field, not its value. */
export async function revealField(ctx: Ctx, { id, field }: Reveal): Promise<RevealedField> {
  const customer = await findCustomer(ctx, id);
  return { field, value: customer[field] };
}
