import type { ConversationDetail } from '@chowk/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { tenantKey } from '../../api/use-api.ts';
import { api, useTenant } from '../../session/session.ts';

/** Notes that the user has seen the conversation, also each time the customer writes while it is open and visible. */
export function useMarkRead({ id, is_unread: isUnread, message_count: count }: ConversationDetail): void {
  const cache = useQueryClient();
  const tenant = useTenant();
  const refetch = useRefetch();
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each message
  useEffect(() => {
    if (!isUnread) return;
    const mark = async () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', mark);
      try {
        await api().conversations.markRead({ id });
      } catch {
        // It stays unread, and is marked the next time.
        return;
      }
      const detailKey = tenantKey(tenant, keys.conversations.detail(id));
      cache.setQueryData<{ conversation: ConversationDetail }>(
        detailKey,
        (data) => data && { conversation: { ...data.conversation, is_unread: false } },
      );
      await refetch(keys.conversations.lists);
    };
    document.addEventListener('visibilitychange', mark);
    void mark();
    return () => document.removeEventListener('visibilitychange', mark);
  }, [id, isUnread, count]);
}
