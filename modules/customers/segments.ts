import type { Ctx } from '@chowk/kit';
import type { Customer, SegmentKey } from './schemas.ts';
export async function listSegments(_ctx: Ctx): Promise<{ key: SegmentKey; label: string; count: number }[]> {
  throw new Error('to come');
}
/** The segments that a customer is in now. */
export async function segmentsOf(_ctx: Ctx, _customer: Customer): Promise<SegmentKey[]> {
  return [];
}
