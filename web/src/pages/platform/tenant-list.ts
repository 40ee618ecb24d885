import type { PlatformTenant } from '@chowk/client';
import { pick } from '../../routing/search-params.ts';

export const moveSteps: Readonly<Record<NonNullable<PlatformTenant['move']>['step'], string>> = {
  copying: 'The data is being copied; the tenant stays in use.',
  paused: 'The last changes are being copied; the tenant is paused for seconds.',
  switched: 'The tenant is on the new server; the old database is being removed.',
  undoing: 'The move is being undone; the tenant stays where it was.',
};

/** Whether something goes on that ends without the user. */
export function isChanging({ move, status }: Pick<PlatformTenant, 'move' | 'status'>): boolean {
  return move !== null || ['creating', 'importing', 'deleting'].includes(status);
}

export const listSearch = pick('search', 'sort_by', 'sort_order', 'status', 'role', 'ring', 'database_server');
