import type { Conversation } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  ArrowLeft,
  ChevronDown,
  Clock,
  Merge,
  Moon,
  MoreHorizontal,
  RotateCcw,
  Trash2,
  UserRound,
  UserRoundX,
} from 'lucide-react';
import { useState } from 'react';
import { affectedByConversation } from '../../api/affected-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan, useMe } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { customerName } from '../../people/customer-name.ts';
import { useMembers } from '../../people/members.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuHeading, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { useConversationActions } from './conversation-actions.ts';
import { channels, snoozeEnd, statuses } from './conversation-list.ts';
import { MergeDialog } from './merge-dialog.tsx';
import { snoozeTimes } from './snooze-times.ts';

interface ThreadHeaderProps {
  readonly conversation: Conversation;
  readonly isShowingCustomer: boolean;
  readonly onShowCustomer: () => void;
  readonly onClose: () => void;
}

export function ThreadHeader({ conversation, isShowingCustomer, onShowCustomer, onClose }: ThreadHeaderProps) {
  const { customer, channel, subject, status, is_snoozed, snoozed_until } = conversation;
  const can = useCan();
  const actions = useConversationActions(conversation);
  return (
    <header className="@container border-b border-line px-4 py-2.5 md:px-6">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <IconButton label="Back to the list" className="-ml-2 lg:hidden" onClick={onClose}>
          <Icon icon={ArrowLeft} size={18} />
        </IconButton>
        <div className="min-w-0 flex-1">
          <h1 className="truncate text-lg font-semibold tracking-tight">{customerName(customer)}</h1>
          <p className="truncate text-sm text-secondary">
            {channels[channel].label}
            {subject !== '' && ` · ${subject}`}
          </p>
        </div>
        <div className="flex items-center gap-2 @max-lg:order-last @max-lg:w-full">
          <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>
          <Assignee conversation={conversation} />
          {can('conversations.close') &&
            (status === 'closed' ? (
              <Button className="@max-lg:ml-auto" onClick={() => actions.setStatus('open')}>
                Reopen
              </Button>
            ) : (
              <Button className="@max-lg:ml-auto" onClick={() => actions.setStatus('closed')}>
                Close
              </Button>
            ))}
        </div>
        <div className="flex">
          <IconButton
            label="Show the customer"
            aria-pressed={isShowingCustomer}
            className="aria-pressed:bg-accent-tint aria-pressed:text-accent-strong min-[85rem]:hidden"
            onClick={onShowCustomer}
          >
            <Icon icon={UserRound} size={18} />
          </IconButton>
          <More conversation={conversation} />
        </div>
      </div>
      {is_snoozed && (
        <p className="pt-1.5">
          <StatusPill>Snoozed {snoozeEnd(snoozed_until)}</StatusPill>
        </p>
      )}
    </header>
  );
}

function Assignee({ conversation }: { readonly conversation: Conversation }) {
  const { assignee, assignee_id } = conversation;
  const can = useCan();
  const me = useMe().data;
  const { assign } = useConversationActions(conversation);
  const team = useMembers();
  const name = assignee?.name ?? (assignee_id === null ? 'Unassigned' : 'Former member');
  if (!can('conversations.assign')) return <span className="max-w-40 truncate text-sm text-secondary">{name}</span>;
  const others = team.data?.filter(({ id }) => id !== me?.id) ?? [];
  const trigger = (
    <Button variant="quiet" className="px-2.5">
      <span className="max-w-36 truncate">{assignee_id === me?.id ? 'You' : name}</span>
      <Icon icon={ChevronDown} size={14} className="shrink-0" label="Change the assignee" />
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <MenuHeading>Assign to</MenuHeading>
      {me && (
        <MenuItem isChosen={assignee_id === me.id} onSelect={() => assign(me.id, 'you')}>
          {me.name} (you)
        </MenuItem>
      )}
      {others.map((member) => (
        <MenuItem key={member.id} isChosen={assignee_id === member.id} onSelect={() => assign(member.id, member.name)}>
          {member.name}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={UserRoundX} isChosen={assignee_id === null} onSelect={() => assign(null)}>
        Unassigned
      </MenuItem>
    </Menu>
  );
}

function More({ conversation }: { readonly conversation: Conversation }) {
  const { id, status, customer, is_snoozed, message_count: messages } = conversation;
  const can = useCan();
  const navigate = useNavigate();
  const search = useSearch({ from: '/shell/conversations' });
  const actions = useConversationActions(conversation);
  const [isAsking, setAsking] = useState(false);
  const [isMerging, setMerging] = useState(false);
  const remove = useAction((client) => client.conversations.delete({ id }), {
    affects: affectedByConversation(id),
    done: () => `Conversation with ${customerName(customer)} deleted.`,
    leave: () => navigate({ to: '/conversations', search }),
  });
  if (!['reply', 'close', 'delete'].some((one) => can(`conversations.${one}`))) return null;
  const trigger = (
    <IconButton label="More" className="-mr-2">
      <Icon icon={MoreHorizontal} />
    </IconButton>
  );
  return (
    <>
      <Menu trigger={trigger}>
        {can('conversations.close') && status !== 'pending' && (
          <MenuItem icon={Clock} onSelect={() => actions.setStatus('pending')}>
            Set to pending
          </MenuItem>
        )}
        {can('conversations.close') && status === 'pending' && (
          <MenuItem icon={RotateCcw} onSelect={() => actions.setStatus('open')}>
            Set to open
          </MenuItem>
        )}
        {can('conversations.close') && (
          <MenuItem icon={Merge} onSelect={() => setMerging(true)}>
            Merge another conversation…
          </MenuItem>
        )}
        {can('conversations.reply') && status !== 'closed' && (
          <>
            <MenuLine />
            <MenuHeading>Snooze</MenuHeading>
            {snoozeTimes().map(([label, until]) => (
              <MenuItem key={label} icon={Moon} onSelect={() => actions.snooze(until)}>
                {label}
              </MenuItem>
            ))}
            {is_snoozed && (
              <MenuItem icon={RotateCcw} onSelect={actions.endSnooze}>
                End snooze
              </MenuItem>
            )}
          </>
        )}
        {can('conversations.delete') && <MenuLine />}
        {can('conversations.delete') && (
          <MenuItem icon={Trash2} onSelect={() => setAsking(true)}>
            Delete conversation
          </MenuItem>
        )}
      </Menu>
      <MergeDialog conversation={conversation} isOpen={isMerging} onClose={() => setMerging(false)} />
      <ConfirmDialog
        title="Delete this conversation?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete conversation"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        The conversation with <strong className="font-semibold text-text">{customerName(customer)}</strong> is deleted
        {messages > 0 && `, with ${messages === 1 ? 'its message' : `all ${count(messages)} messages and notes`}`}. This
        cannot be undone. The customer and their orders stay.
      </ConfirmDialog>
    </>
  );
}
