import type { ConversationsListInput } from '@chowk/client';
import { toFilters, type ViewList } from '../../list/view-filters.ts';
import type { Search } from '../../routing/search-params.ts';

export const viewList: ViewList = {
  action: 'conversations.list',
  fields: ['search', 'status', 'assignee_id', 'unassigned', 'channel', 'unread', 'failed', 'snoozed'],
  types: { assignee_id: 'number', unassigned: 'boolean', unread: 'boolean', failed: 'boolean', snoozed: 'boolean' },
  defaults: { status: 'open', snoozed: 'false' },
};

/** Mine and unassigned are those that are open. What is snoozed is in none. */
export function builtInViews(userId: number) {
  return {
    open: { label: 'Open', search: {} },
    mine: { label: 'Mine', search: { assignee_id: String(userId) } },
    unassigned: { label: 'Unassigned', search: { unassigned: 'true' } },
    pending: { label: 'Pending', search: { status: 'pending' } },
    closed: { label: 'Closed', search: { status: 'closed' } },
  } as const;
}
export type ViewName = keyof ReturnType<typeof builtInViews>;

export function listInput(search: Search): ConversationsListInput {
  return toFilters(viewList, search) as ConversationsListInput;
}
