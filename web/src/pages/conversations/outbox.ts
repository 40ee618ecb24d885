import { ChowkError, type Client, type Conversation, type ConversationMessage, newKey } from '@chowk/client';
import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { affectedByConversation } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { tenantKey } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { api, onUserChange, storageKey, useTenant } from '../../session/session.ts';
import { storedValue } from '../../session/stored.ts';
import type { Observable } from '../../state/observable.ts';
import { toast } from '../../ui/toast.tsx';
import type { FilledTemplate } from './template-text.ts';

/** A message that is shown although the platform does not have it yet; the browser keeps it until it is sent or discarded. */
export interface Outgoing {
  /** The idempotency key: a retry creates no second message. */
  readonly key: string;
  readonly conversationId: string;
  readonly direction: 'outbound' | 'note';
  readonly body: string;
  /** Recorded without being sent. */
  readonly isLogged?: boolean;
  readonly attachmentIds?: readonly string[];
  /** WhatsApp; the body is its text. */
  readonly template?: FilledTemplate;
  /** The newest message that the author has seen, or null if there was none. */
  readonly lastMessageId?: string | null;
  readonly problem?: string;
  /** It was not sent because a colleague has answered since that message. */
  readonly isAnswered?: boolean;
}

type MessagePage = Awaited<ReturnType<typeof readMessages>>;

type Outbox = Observable<readonly Outgoing[] | undefined>;

const none: readonly Outgoing[] = [];
const checked = new WeakSet<Outbox>();

/** The outbox of the user in the tenant. */
function openOutbox(): Outbox {
  const outbox = storedValue(storageKey('outbox.messages')) as Outbox;
  if (!checked.has(outbox)) {
    checked.add(outbox);
    void markUnsent(outbox);
  }
  return outbox;
}

const lockName = ({ key }: Outgoing) => `outbox.${key}`;

/** The page that sends a message holds its lock; other tabs leave it alone. Without HTTPS a browser has no locks. */
function whileSending(message: Outgoing, work: () => Promise<void>): Promise<void> {
  return navigator.locks ? navigator.locks.request(lockName(message), work) : work();
}

/** Marks messages that no page is sending any more. */
async function markUnsent(outbox: Outbox): Promise<void> {
  const found = new Set(outbox.get()?.map(({ key }) => key));
  if (found.size === 0) return;
  const held = (await navigator.locks?.query())?.held ?? [];
  const sending = new Set(held.map(({ name }) => name));
  const problem = 'The page was closed before the message was sent.';
  const isUnsent = (one: Outgoing) => found.has(one.key) && !sending.has(lockName(one));
  outbox.set(outbox.get()?.map((message) => (isUnsent(message) ? { problem, ...message } : message)));
}

function removeFrom(outbox: Outbox, { key }: Outgoing): void {
  const rest = (outbox.get() ?? none).filter((one) => one.key !== key);
  outbox.set(rest.length === 0 ? undefined : rest);
}

export function readMessages(client: Client, id: string, cursor: string | undefined) {
  return client.conversations.messages({ id, limit: 30, ...(cursor !== undefined && { cursor }) });
}

export function useOutbox(conversationId: string): readonly Outgoing[] {
  const outbox = openOutbox();
  const all = useSyncExternalStore(outbox.subscribe, outbox.get) ?? none;
  return all.filter((one) => one.conversationId === conversationId);
}

/** Sends messages; those that fail stay in the outbox until they are sent again or discarded. */
export function useSend() {
  const cache = useQueryClient();
  const tenant = useTenant();
  const refetch = useRefetch();
  const navigate = useNavigate();
  const messagesKey = (id: string) => tenantKey(tenant, keys.conversations.messages(id));
  const send = (message: Outgoing) => whileSending(message, () => sendNow(message));
  /** What the customer does not get cannot be a second answer. */
  function addLastMessage(message: Outgoing): Outgoing {
    const { conversationId: id, direction, isLogged = false } = message;
    const data = cache.getQueryData<InfiniteData<MessagePage>>(messagesKey(id));
    if (!data || direction === 'note' || isLogged) return message;
    return { ...message, lastMessageId: data.pages[0]?.messages[0]?.id ?? null };
  }
  async function sendNow(message: Outgoing): Promise<void> {
    const { key, conversationId: id } = message;
    // Stays that of the sender, even if another user has signed in when it fails.
    const outbox = openOutbox();
    removeFrom(outbox, message);
    outbox.set([...(outbox.get() ?? none), message]);
    try {
      const sent = await reply(message);
      await cache.cancelQueries({ queryKey: messagesKey(id) });
      cache.setQueryData<InfiniteData<MessagePage>>(messagesKey(id), (data) => data && withMessage(data, sent));
      removeFrom(outbox, message);
      await refetch(...affectedByConversation(id));
    } catch (error) {
      const isAnswered = error instanceof ChowkError && error.code === 'conversations.answered_since';
      const problem = isAnswered ? 'A colleague has answered in the meantime.' : errorMessage(error);
      const failed = { ...message, problem, isAnswered };
      outbox.set(outbox.get()?.map((one) => (one.key === key ? failed : one)));
      const open = () => void navigate({ to: '/conversations/$id', params: { id } });
      if (!location.pathname.endsWith(id)) toast(`A message was not sent. ${problem}`, { label: 'Open', run: open });
      if (isAnswered) await refetch(...affectedByConversation(id));
    }
  }
  return {
    send: (message: Omit<Outgoing, 'key' | 'problem'>) => void send(addLastMessage({ ...message, key: newKey() })),
    retry: ({ problem: _, ...message }: Outgoing) => void send(message),
    /** Although a colleague has answered. It is another request, so it has another key. */
    sendAnyway({ problem: _problem, isAnswered: _isAnswered, lastMessageId: _seen, ...message }: Outgoing) {
      removeFrom(openOutbox(), message);
      void send({ ...message, key: newKey() });
    },
    discard: (message: Outgoing) => removeFrom(openOutbox(), message),
  };
}

/** Ends when the user signs out: the request must not be repeated as the next user. */
async function reply(message: Outgoing) {
  const { key: idempotencyKey, conversationId: id, direction, body, template, lastMessageId } = message;
  const { isLogged = false, attachmentIds = [] } = message;
  const controller = new AbortController();
  const { signal } = controller;
  const stop = onUserChange(() => controller.abort(new Error('You signed out before the message was sent.')));
  try {
    const input = {
      id,
      direction,
      body,
      log_only: isLogged,
      attachment_ids: attachmentIds,
      ...(template && { template }),
      ...(lastMessageId !== undefined && { last_message_id: lastMessageId }),
    };
    return await api().conversations.reply(input, { idempotencyKey, signal });
  } finally {
    stop();
  }
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
