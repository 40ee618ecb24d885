import type { ConversationAgent } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan, useMe } from '../../api/use-api.ts';
import { Checkbox } from '../../ui/field.tsx';

/** Who is available: set by the member, or by a member who may assign conversations. */
export function MemberAvailability({ agents }: { readonly agents: readonly ConversationAgent[] }) {
  const me = useMe().data;
  const can = useCan();
  const change = useAction(
    (client, { user, is_available }: ConversationAgent) =>
      client.conversations.setAvailability({ user_id: user.id, is_available }),
    {
      affects: [keys.conversations.agents],
      done: (_, { user, is_available }) => `${user.name} is ${is_available ? 'available' : 'away'}.`,
    },
  );
  const canChange = (id: number) => can('conversations.reply') && (id === me?.id || can('conversations.assign'));
  return (
    <ul aria-label="Members who answer" className="border-t border-line">
      {agents.map(({ user, is_available }) => (
        <li
          key={user.id}
          className="flex min-h-10 flex-wrap items-center justify-between gap-x-4 border-b border-line py-1"
        >
          <span className="min-w-0 break-words">{user.id === me?.id ? `${user.name} (you)` : user.name}</span>
          <Checkbox
            label="Available"
            aria-label={`${user.name} is available`}
            checked={
              change.isPending && change.variables.user.id === user.id ? change.variables.is_available : is_available
            }
            disabled={!canChange(user.id)}
            onChange={({ target }) => change.mutate({ user, is_available: target.checked })}
          />
        </li>
      ))}
    </ul>
  );
}
