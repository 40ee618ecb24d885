import type { Answer, Ctx } from '@chowk/kit';
import type { ExportQuery } from './schemas.ts';
export async function exportCustomers(_ctx: Ctx, _query: ExportQuery): Promise<Answer> {
  throw new Error('to come');
}
