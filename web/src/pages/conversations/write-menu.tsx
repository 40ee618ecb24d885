import { useNavigate } from '@tanstack/react-router';
import { ChevronDown, SquarePen } from 'lucide-react';
import { useCan } from '../../api/use-api.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuHeading, MenuItem } from '../../ui/menu.tsx';
import { type Channel, channels } from './conversation-list.ts';

interface WriteMenuProps {
  readonly customer: { readonly id: string; readonly email?: string | null; readonly phone?: string | null };
  /** What the conversation is about: `Order 1042`. */
  readonly subject?: string;
}

/** Begins a conversation with a customer, over a channel on which they can be reached. */
export function WriteMenu({ customer: { id, email, phone }, subject }: WriteMenuProps) {
  const can = useCan()('conversations.reply');
  const navigate = useNavigate();
  if (!can) return null;
  const reachable: readonly Channel[] = [
    ...(email ? (['email'] as const) : []),
    ...(phone ? (['whatsapp', 'sms'] as const) : []),
    'phone',
  ];
  const trigger = (
    <Button>
      <Icon icon={SquarePen} />
      Write
      <Icon icon={ChevronDown} size={14} />
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <MenuHeading>New conversation</MenuHeading>
      {reachable.map((channel) => (
        <MenuItem
          key={channel}
          icon={channels[channel].icon}
          onSelect={() =>
            void navigate({
              to: '/conversations/new',
              search: { customer_id: id, new_channel: channel, ...(subject !== undefined && { subject }) },
            })
          }
        >
          {channel === 'phone' ? 'Note a phone call' : channels[channel].label}
        </MenuItem>
      ))}
    </Menu>
  );
}
