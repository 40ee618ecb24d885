import type { Ctx, Static } from '@chowk/kit';
import type { CustomerRecord, Merge, MergePreview } from './schemas.ts';
export async function mergeCustomers(_ctx: Ctx, _merge: Merge): Promise<CustomerRecord> {
  throw new Error('to come');
}
export async function previewMerge(_ctx: Ctx, _merge: Merge): Promise<Static<typeof MergePreview>> {
  throw new Error('to come');
}
