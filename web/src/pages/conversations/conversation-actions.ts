import type { Conversation } from '@chowk/client';
import { affectedByConversation } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { errorMessage } from '../../format/error-message.ts';
import { customerName } from '../../people/customer-name.ts';
import { api } from '../../session/session.ts';
import { toast } from '../../ui/toast.tsx';
import { type Status, snoozeEnd } from './conversation-list.ts';

const changed: Readonly<Record<Status, string>> = {
  open: 'reopened',
  pending: 'set to pending',
  closed: 'closed',
};

/** Changes of a conversation, each with Undo. */
export function useConversationActions(conversation: Conversation) {
  const { id, status, assignee_id, customer, is_snoozed, snoozed_until } = conversation;
  const refetch = useRefetch();
  async function change(run: () => Promise<unknown>, text: string, undo: () => Promise<unknown>): Promise<void> {
    try {
      await run();
      toast(text, { label: 'Undo', run: () => void undo().then(() => refetch(...affectedByConversation(id)), fail) });
    } catch (error) {
      fail(error);
    }
    await refetch(...affectedByConversation(id));
  }
  const updateStatus = (next: Status) => api().conversations.updateStatus({ id, status: next });
  const updateAssignee = (next: number | null) => api().conversations.assign({ id, assignee_id: next });
  const snooze = (until: string | null) => api().conversations.snooze({ id, until });
  const unsnooze = () => api().conversations.unsnooze({ id });
  return {
    setStatus(next: Status) {
      if (next === status) return;
      const text = `Conversation with ${customerName(customer)} ${changed[next]}.`;
      void change(
        () => updateStatus(next),
        text,
        () => updateStatus(status),
      );
    },
    /** `name` for the message: `you`, a member, or undefined for nobody. */
    assign(next: number | null, name?: string) {
      if (next === assignee_id) return;
      const text = name === undefined ? 'Conversation unassigned.' : `Conversation assigned to ${name}.`;
      void change(
        () => updateAssignee(next),
        text,
        () => updateAssignee(assignee_id),
      );
    },
    /** Null: until the customer writes. */
    snooze(until: string | null) {
      void change(
        () => snooze(until),
        `Conversation snoozed ${snoozeEnd(until)}.`,
        () => (is_snoozed ? snooze(snoozed_until) : unsnooze()),
      );
    },
    endSnooze() {
      void change(unsnooze, 'Conversation is back.', () => snooze(snoozed_until));
    },
  };
}

function fail(error: unknown): void {
  toast(errorMessage(error));
}
