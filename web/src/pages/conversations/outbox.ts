import type { Client, Conversation, ConversationMessage } from '@chowk/client';
import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useRefresh } from '../../api-action.ts';
import { keyOf } from '../../api-query.ts';
import { messageOf } from '../../form.ts';
import { observable } from '../../observable.ts';
import { api, useTenant } from '../../session.ts';

/** A message that is shown although the platform does not have it yet. */
export interface Outgoing {
  /** With which it is sent again, so that it is never there twice. */
  readonly key: string;
  readonly conversationId: string;
  readonly direction: 'outbound' | 'note';
  readonly body: string;
  readonly sentAt: string;
  readonly problem?: string;
}

type MessagePage = Awaited<ReturnType<typeof readMessages>>;

const outbox = observable<readonly Outgoing[]>([]);

export function readMessages(client: Client, id: string, cursor: string | undefined) {
  return client.conversations.messages({ id, limit: 30, ...(cursor !== undefined && { cursor }) });
}

export function useOutbox(conversationId: string): readonly Outgoing[] {
  const all = useSyncExternalStore(outbox.subscribe, outbox.get);
  return all.filter((one) => one.conversationId === conversationId);
}

/** Sends messages; those that fail stay in the outbox until they are sent again or discarded. */
export function useSend() {
  const cache = useQueryClient();
  const tenant = useTenant();
  const refresh = useRefresh();
  const discard = ({ key }: Outgoing) => outbox.set(outbox.get().filter((one) => one.key !== key));
  async function send(message: Outgoing): Promise<void> {
    const { key, conversationId: id, direction, body } = message;
    outbox.set([...outbox.get().filter((one) => one.key !== key), message]);
    try {
      const sent = await api().conversations.reply({ id, direction, body }, { idempotencyKey: key });
      const messagesKey = keyOf(tenant, 'conversations', id, 'messages');
      await cache.cancelQueries({ queryKey: messagesKey });
      cache.setQueryData<InfiniteData<MessagePage>>(messagesKey, (data) => data && withMessage(data, sent));
      discard(message);
      await refresh('conversations');
    } catch (error) {
      const failed = { ...message, problem: messageOf(error) };
      outbox.set(outbox.get().map((one) => (one.key === key ? failed : one)));
    }
  }
  return {
    send: (message: Pick<Outgoing, 'conversationId' | 'direction' | 'body'>) =>
      void send({ ...message, key: newKey(), sentAt: new Date().toISOString() }),
    retry: ({ problem: _, ...message }: Outgoing) => void send(message),
    discard,
  };
}

function withMessage(
  { pages: [first, ...others], ...rest }: InfiniteData<MessagePage>,
  { conversation_message: message }: { conversation: Conversation; conversation_message: ConversationMessage },
): InfiniteData<MessagePage> {
  if (!first || first.messages.some(({ id }) => id === message.id)) {
    return { ...rest, pages: first ? [first, ...others] : others };
  }
  return { ...rest, pages: [{ ...first, messages: [message, ...first.messages] }, ...others] };
}

/** Not `randomUUID`, which browsers have on secure pages only. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
