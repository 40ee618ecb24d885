import { ChowkError, type ConsoleEntry, type CustomerDetail } from '@chowk/client';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Download, Ellipsis, Merge, Pencil, ShoppingBag, Trash2 } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { entryKey, useEntries } from '../../modules/entries.ts';
import { EntryContent, SectionActions } from '../../modules/entry-content.tsx';
import { customerName } from '../../people/customer-name.ts';
import { saveFile } from '../../screen/save-file.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { TabBar, TabCount, tabStyle } from '../../ui/tabs.tsx';
import { Addresses } from './addresses.tsx';
import { Conversations } from './conversations.tsx';
import { listSearch } from './customer-list.ts';
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
  const list = listSearch(useSearch({ from: '/shell/customers' }));
  const navigate = useNavigate();
  const { data, error } = useApi(keys.customers.detail(id), (client) => client.customers.get({ id }));
  const customer = data?.customer;
  const close = () => navigate({ to: '/customers', search: list });
  const isEditing = edit === 'profile';
  const editButton = useReturnFocus(isEditing);
  const mergedInto = error instanceof ChowkError ? error.body.merged_into : undefined;
  if (typeof mergedInto === 'string')
    return <Navigate to="/customers/$id" params={{ id: mergedInto }} search={list} replace />;
  return (
    <DetailPanel
      key={id}
      title={customer && customerName(customer)}
      error={customer ? null : error}
      onClose={close}
      actions={customer && !isEditing && <Actions customer={customer} editButton={editButton} onGone={close} />}
    >
      {customer && (isEditing ? <EditCustomer customer={customer} /> : <Customer customer={customer} />)}
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
  const entries = useEntries('customer');
  const visible = [
    ...tabs.filter(({ permission }) => permission === undefined || can(permission)),
    ...entries.map((entry) => ({ key: entryKey(entry), label: entry.title, Content: undefined })),
  ];
  const current = visible.find(({ key }) => key === tab) ?? (visible[0] as (typeof tabs)[number]);
  const entry = entries.find((one) => entryKey(one) === current.key);
  const counts: Readonly<Record<string, number>> = { addresses: customer.addresses.length };
  return (
    <>
      <CustomerSummary customer={customer} />
      <div className="grid min-w-0 gap-4">
        <TabBar label="About the customer" className="-mx-2.5">
          {visible.map(({ key, label }) => (
            <Link
              key={key}
              to="."
              search={(search) => ({ ...search, tab: key, edit: undefined })}
              replace
              aria-current={key === current.key ? 'page' : undefined}
              className={tabStyle}
            >
              {label}
              {Boolean(counts[key]) && <TabCount>{counts[key]}</TabCount>}
            </Link>
          ))}
        </TabBar>
        {current.Content && <current.Content customer={customer} />}
        {entry && <ModuleTab key={current.key} entry={entry} id={customer.id} />}
      </div>
    </>
  );
}

function ModuleTab({ entry, id }: { readonly entry: ConsoleEntry; readonly id: string }) {
  return (
    <div className="grid min-w-0 gap-4">
      <SectionActions entry={entry} id={id} />
      <EntryContent entry={entry} id={id} />
    </div>
  );
}

interface ActionsProps {
  readonly customer: CustomerDetail;
  readonly editButton: RefObject<HTMLButtonElement | null>;
  /** The customer is no longer in the list. */
  readonly onGone: () => Promise<void>;
}

function Actions({ customer, editButton, onGone }: ActionsProps) {
  const can = useCan();
  const navigate = useNavigate();
  const [isErasing, setErasing] = useState(false);
  const { id } = customer;
  const exportData = useAction(
    async (client) => {
      const content = JSON.stringify(await client.customers.exportPerson({ id }), null, 2);
      saveFile(new Blob([content], { type: 'application/json' }), `customer-${id}.json`);
    },
    { affects: [], done: () => `All data about ${customerName(customer)} exported.` },
  );
  const hasMenu = ['customers.merge', 'customers.export', 'customers.delete'].some(can);
  const canOrder = can('orders.create');
  // On a phone there is room for one button: an order is what a call is usually about.
  const isEditInMenu = canOrder && can('customers.edit');
  const edit = () => void navigate({ to: '.', search: (search) => ({ ...search, edit: 'profile' }) });
  return (
    <>
      {canOrder && (
        <Button onClick={() => void navigate({ to: '/orders/new', search: { customer: id } })}>
          <Icon icon={ShoppingBag} />
          New order
        </Button>
      )}
      {can('customers.edit') && (
        <Button ref={editButton} className={canOrder ? 'max-sm:hidden' : ''} onClick={edit}>
          <Icon icon={Pencil} />
          Edit
        </Button>
      )}
      {(hasMenu || isEditInMenu) && (
        <Menu
          trigger={
            <IconButton label="More actions" className={hasMenu ? '' : 'sm:hidden'}>
              <Icon icon={Ellipsis} />
            </IconButton>
          }
        >
          {isEditInMenu && (
            <div className="sm:hidden">
              <MenuItem icon={Pencil} onSelect={edit}>
                Edit
              </MenuItem>
            </div>
          )}
          {can('customers.merge') && (
            <MenuItem icon={Merge} onSelect={() => void navigate({ to: '/customers/merge', search: { primary: id } })}>
              Merge with another customer
            </MenuItem>
          )}
          {can('customers.export') && (
            <MenuItem icon={Download} onSelect={() => exportData.mutate(undefined)}>
              Export all data
            </MenuItem>
          )}
          {can('customers.delete') && (
            <>
              <MenuLine />
              <MenuItem icon={Trash2} onSelect={() => setErasing(true)}>
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
