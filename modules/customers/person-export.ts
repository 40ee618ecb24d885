import type { Ctx, Static } from '@chowk/kit';
import type { PersonExport } from './schemas.ts';
export async function exportPerson(_ctx: Ctx, _key: { id: string }): Promise<Static<typeof PersonExport>> {
  throw new Error('to come');
}
