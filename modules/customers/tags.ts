import type { Ctx, Static } from '@chowk/kit';
import type { BulkTags, BulkTagsAnswer } from './schemas.ts';
export async function addTags(_ctx: Ctx, _input: BulkTags): Promise<Static<typeof BulkTagsAnswer>> {
  throw new Error('to come');
}
export async function removeTags(_ctx: Ctx, _input: BulkTags): Promise<Static<typeof BulkTagsAnswer>> {
  throw new Error('to come');
}
