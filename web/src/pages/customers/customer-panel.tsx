import { ChowkError, type CustomerDetail } from '@chowk/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Download, Ellipsis, Merge, MessageSquare, Pencil, ShoppingBag, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../api-action.ts';
import { useApi, useCan } from '../../api-query.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { saveFile } from '../../save-file.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Addresses } from './addresses.tsx';
import { Conversations } from './conversations.tsx';
import { nameOf, searchOfList } from './customer-list.ts';
import { CustomerSummary } from './customer-summary.tsx';
import { Details } from './details.tsx';
import { EditCustomer } from './edit-customer.tsx';
import { EraseDialog } from './erase-dialog.tsx';
import { Orders } from './orders.tsx';
import { Timeline } from './timeline.tsx';

const from = '/shell/customers/$id';

/** What one needs to know while on the phone. */
export function CustomerPanel() {
  const { id } = useParams({ from });
  const { edit } = useSearch({ from });
  const list = searchOfList(useSearch({ from: '/shell/customers' }));
  const navigate = useNavigate();
  const { data, error } = useApi(['customers', id], (client) => client.customers.get({ id }));
  const customer = error ? undefined : data?.customer;
  const close = () => void navigate({ to: '/customers', search: list });
  const isEditing = edit === 'profile';
  const mergedInto = error instanceof ChowkError ? error.body.merged_into : undefined;
  if (typeof mergedInto === 'string') return <Merged id={mergedInto} onClose={close} />;
  return (
    <DetailPanel
      key={id}
      title={customer && nameOf(customer)}
      error={error}
      onClose={close}
      actions={customer && !isEditing && <Actions customer={customer} onGone={close} />}
    >
      {customer && (isEditing ? <EditCustomer customer={customer} /> : <Customer customer={customer} />)}
    </DetailPanel>
  );
}

function Merged({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  return (
    <DetailPanel title="Merged customer" onClose={onClose}>
      <Notice>
        This customer was merged into another one.{' '}
        <Link to="/customers/$id" params={{ id }} className="underline underline-offset-4">
          Show that customer
        </Link>
      </Notice>
    </DetailPanel>
  );
}

const tabs = [
  { key: 'timeline', label: 'Timeline', Content: Timeline },
  { key: 'orders', label: 'Orders', Content: Orders },
  { key: 'conversations', label: 'Conversations', Content: Conversations, permission: 'conversations.view' },
  { key: 'addresses', label: 'Addresses', Content: Addresses },
  { key: 'details', label: 'Details', Content: Details },
];

function Customer({ customer }: { readonly customer: CustomerDetail }) {
  const can = useCan();
  const { tab } = useSearch({ from });
  const visible = tabs.filter(({ permission }) => permission === undefined || can(permission));
  const current = visible.find(({ key }) => key === tab) ?? (visible[0] as (typeof tabs)[number]);
  const counts: Readonly<Record<string, number>> = {
    orders: customer.total_orders,
    addresses: customer.addresses.length,
  };
  return (
    <>
      <CustomerSummary customer={customer} />
      <div className="grid min-w-0 gap-4">
        <nav aria-label="About the customer" className="-mx-2.5 flex overflow-x-auto border-b border-line">
          {visible.map(({ key, label }) => (
            <Link
              key={key}
              to="."
              search={(search) => ({ ...search, tab: key, edit: undefined })}
              replace
              aria-current={key === current.key ? 'page' : undefined}
              className="-mb-px inline-flex h-9 items-center border-b-2 border-transparent px-2.5 text-sm font-medium whitespace-nowrap text-secondary hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-text max-md:h-11"
            >
              {label}
              {Boolean(counts[key]) && (
                <span className="numeric ml-1.5 text-xs font-normal text-faint">{counts[key]}</span>
              )}
            </Link>
          ))}
        </nav>
        <current.Content customer={customer} />
      </div>
    </>
  );
}

interface ActionsProps {
  readonly customer: CustomerDetail;
  /** The customer is no longer in the list. */
  readonly onGone: () => void;
}

function Actions({ customer, onGone }: ActionsProps) {
  const can = useCan();
  const navigate = useNavigate();
  const [isErasing, setErasing] = useState(false);
  const { id } = customer;
  const exportData = useAction(
    async (client) => {
      const content = JSON.stringify(await client.customers.exportPerson({ id }), null, 2);
      saveFile(new Blob([content], { type: 'application/json' }), `customer-${id}.json`);
    },
    { changes: [], done: () => `Exported all data about ${nameOf(customer)}.` },
  );
  const hasMenu = ['conversations.reply', 'customers.merge', 'customers.export', 'customers.delete'].some(can);
  return (
    <>
      {can('orders.create') && (
        <Button
          className="max-sm:hidden"
          onClick={() => void navigate({ to: '/orders/new' as '/orders', search: { customer: id } as never })}
        >
          <ShoppingBag size={16} strokeWidth={1.5} aria-hidden />
          New order
        </Button>
      )}
      {can('customers.edit') && (
        <Button onClick={() => void navigate({ to: '.', search: (search) => ({ ...search, edit: 'profile' }) })}>
          <Pencil size={16} strokeWidth={1.5} aria-hidden />
          Edit
        </Button>
      )}
      {hasMenu && (
        <Menu
          trigger={
            <IconButton label="More actions">
              <Ellipsis size={16} strokeWidth={1.5} aria-hidden />
            </IconButton>
          }
        >
          {can('orders.create') && (
            <div className="sm:hidden">
              <MenuItem
                icon={<ShoppingBag size={16} strokeWidth={1.5} aria-hidden />}
                onSelect={() => void navigate({ to: '/orders/new' as '/orders', search: { customer: id } as never })}
              >
                New order
              </MenuItem>
            </div>
          )}
          {can('conversations.reply') && (
            <MenuItem
              icon={<MessageSquare size={16} strokeWidth={1.5} aria-hidden />}
              onSelect={() => void navigate({ to: '/conversations/new', search: { customer_id: id } })}
            >
              New message
            </MenuItem>
          )}
          {can('customers.merge') && (
            <MenuItem
              icon={<Merge size={16} strokeWidth={1.5} aria-hidden />}
              onSelect={() => void navigate({ to: '/customers/merge', search: { primary: id } })}
            >
              Merge with another customer
            </MenuItem>
          )}
          {can('customers.export') && (
            <MenuItem
              icon={<Download size={16} strokeWidth={1.5} aria-hidden />}
              onSelect={() => exportData.mutate(undefined as never)}
            >
              Export all data
            </MenuItem>
          )}
          {can('customers.delete') && (
            <>
              <MenuLine />
              <MenuItem icon={<Trash2 size={16} strokeWidth={1.5} aria-hidden />} onSelect={() => setErasing(true)}>
                Delete or erase
              </MenuItem>
            </>
          )}
        </Menu>
      )}
      <EraseDialog customer={customer} isOpen={isErasing} onClose={() => setErasing(false)} onGone={onGone} />
    </>
  );
}
