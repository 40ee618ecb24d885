import type { OrderDetails } from '@chowk/client';
import { Ellipsis } from 'lucide-react';
import { useCan } from '../../api/use-api.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { findNextStep, listActions, type OrderAction, orderActions } from './order-actions.ts';

interface OrderMenuProps {
  readonly order: OrderDetails;
  readonly onAction: (action: OrderAction) => void;
}

/** Everything but the next step. What takes something away is at the end, and asks first. */
export function OrderMenu({ order, onAction }: OrderMenuProps) {
  const can = useCan();
  const step = findNextStep(order, can);
  const actions = listActions(order, can).filter((action) => action !== step);
  if (actions.length === 0) return null;
  const item = (action: OrderAction) => (
    // A dialog opens after the menu has closed.
    <MenuItem key={action} onSelect={() => setTimeout(() => onAction(action))}>
      {orderActions[action].label}
    </MenuItem>
  );
  const others = actions.filter((action) => !orderActions[action].isDestructive);
  const destructive = actions.filter((action) => orderActions[action].isDestructive);
  return (
    <Menu
      trigger={
        <IconButton label="More actions">
          <Icon icon={Ellipsis} />
        </IconButton>
      }
    >
      {others.map(item)}
      {others.length > 0 && destructive.length > 0 && <MenuLine />}
      {destructive.map(item)}
    </Menu>
  );
}
