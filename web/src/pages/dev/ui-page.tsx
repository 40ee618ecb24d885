import { Inbox, MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type Column, DataTable } from '../../list/data-table.tsx';
import { useSelection } from '../../list/selection.ts';
import { SelectionBar } from '../../list/selection-bar.tsx';
import { chooseTheme } from '../../theme.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuHeading, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Popover } from '../../ui/popover.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';

const rows = [
  { number: '1042', name: 'Asha Rao', total: '₹4,950.00', tone: 'warning', status: 'Pending', hours: 0.1 },
  { number: '1041', name: 'बिंदु शर्मा', total: '₹1,20,400.00', tone: 'success', status: 'Delivered', hours: 3 },
  {
    number: '1040',
    name: 'Maximiliane Hohenzollern-Sigmaringen',
    total: '€12.40',
    tone: 'error',
    status: 'Failed',
    hours: 80,
  },
] as const;

/** Every part of the design system, to look at. */
export function UiPage() {
  return (
    <main className="mx-auto grid max-w-5xl gap-10 px-4 py-10 md:px-8">
      <title>Design system · Chowk</title>
      <header className="flex flex-wrap items-end justify-between gap-4">
        <div>
          <h1 className="text-2xl font-semibold tracking-tight">Design system</h1>
          <p className="text-secondary">The parts of the console.</p>
        </div>
        <div className="flex gap-1">
          <Button variant="quiet" onClick={() => chooseTheme('light')}>
            Light
          </Button>
          <Button variant="quiet" onClick={() => chooseTheme('dark')}>
            Dark
          </Button>
          <Button variant="quiet" onClick={() => chooseTheme('system')}>
            System
          </Button>
        </div>
      </header>
      <Buttons />
      <Fields />
      <Overlays />
      <Part title="Table and status">
        <Table caption="Orders">
          <thead>
            <tr>
              <HeaderCell>Order</HeaderCell>
              <HeaderCell>Customer</HeaderCell>
              <HeaderCell>Status</HeaderCell>
              <HeaderCell isNumber>Total</HeaderCell>
              <HeaderCell isNumber>Placed</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ number, name, total, tone, status, hours }) => (
              <tr key={number}>
                <Cell className="numeric font-medium">{number}</Cell>
                <Cell className="w-full max-w-0 min-w-32 truncate">{name}</Cell>
                <Cell>
                  <StatusPill tone={tone}>{status}</StatusPill>
                </Cell>
                <Cell isNumber className="whitespace-nowrap">
                  {total}
                </Cell>
                <Cell isNumber>
                  <RelativeTime time={new Date(Date.now() - hours * 3_600_000).toISOString()} />
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
        <div className="flex flex-wrap gap-2">
          <StatusPill>Neutral</StatusPill>
          <StatusPill tone="info">Info</StatusPill>
          <StatusPill tone="success">Success</StatusPill>
          <StatusPill tone="warning">Warning</StatusPill>
          <StatusPill tone="error">Error</StatusPill>
        </div>
      </Part>
      <LongTable />
      <Part title="Notices">
        <div className="grid gap-2 md:grid-cols-2">
          <Notice>The export is being prepared. You can leave this page.</Notice>
          <Notice tone="success">Invitation sent to asha@example.com.</Notice>
          <Notice tone="warning">12 products are running out.</Notice>
          <Notice tone="error">The refund exceeds the remaining total of ₹120.00.</Notice>
        </div>
      </Part>
      <Part title="Loading and empty">
        <div className="grid gap-6 md:grid-cols-2">
          <div className="grid content-start gap-2">
            <Skeleton className="h-6 w-40" />
            <Skeleton className="h-4 w-full" />
            <Skeleton className="h-4 w-2/3" />
          </div>
          <EmptyState
            icon={Inbox}
            title="No conversations yet"
            action={<Button variant="primary">Start a conversation</Button>}
          >
            Messages of your customers appear here.
          </EmptyState>
        </div>
      </Part>
    </main>
  );
}

const people = 100_000;
const columns: readonly Column<{ readonly id: string }>[] = [
  { key: 'name', label: 'Name', isOnPhone: true, cell: ({ id }) => <a href={`#${id}`}>Customer {id}</a> },
  { key: 'orders', label: 'Orders', width: '8rem', isNumber: true, isOnPhone: true, cell: ({ id }) => Number(id) % 17 },
];

const person = (index: number) => ({ id: String(index + 1) });

/** The table of the lists, with rows that need no platform. */
function LongTable() {
  const selection = useSelection('');
  const list = {
    identity: '',
    total: people,
    error: null,
    isOutdated: false,
    rowAt: person,
    loaded: Array.from({ length: 100 }, (_, index) => person(index)),
    show: () => {},
  };
  return (
    <Part title="List">
      <SelectionBar selection={selection}>
        <Button variant="quiet">Add tags</Button>
      </SelectionBar>
      <div className="flex h-64 flex-col">
        <DataTable
          caption="Customers"
          list={list}
          columns={columns}
          rowName={({ id }) => `Customer ${id}`}
          onOpen={({ id }) => toast(`Customer ${id}`)}
          selection={selection}
          empty={null}
        />
      </div>
    </Part>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid gap-4 border-t border-line pt-4">
      <h2 className="text-xs font-medium text-secondary">{title}</h2>
      {children}
    </section>
  );
}

function Buttons() {
  return (
    <Part title="Buttons">
      <div className="flex flex-wrap items-center gap-2">
        <Button variant="primary">
          <Icon icon={Plus} strokeWidth={1.75} />
          New order
        </Button>
        <Button>Export</Button>
        <Button variant="quiet">Cancel</Button>
        <Button variant="danger">Delete</Button>
        <Button variant="primary" isBusy>
          Saving
        </Button>
        <Button disabled>Disabled</Button>
        <IconButton label="Edit">
          <Icon icon={Pencil} />
        </IconButton>
      </div>
    </Part>
  );
}

function Fields() {
  return (
    <Part title="Fields">
      <div className="grid items-start gap-4 md:grid-cols-3">
        <Field label="Name" help="As it appears on invoices.">
          {(control) => <Input {...control} placeholder="Acme Stores" />}
        </Field>
        <Field label="Email" error="Enter an address such as asha@example.com.">
          {(control) => <Input {...control} defaultValue="asha@" />}
        </Field>
        <Field label="Country">
          {(control) => (
            <Select {...control}>
              <option>India</option>
              <option>Germany</option>
            </Select>
          )}
        </Field>
        <Checkbox label="Notify the customer" defaultChecked />
        <Checkbox label="Mark as paid" />
      </div>
    </Part>
  );
}

function Overlays() {
  const [isOpen, setOpen] = useState(false);
  const trigger = (
    <IconButton label="More">
      <Icon icon={MoreHorizontal} />
    </IconButton>
  );
  return (
    <Part title="Dialog, popover, menu and toast">
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => setOpen(true)}>Open a dialog</Button>
        <Button
          onClick={() => toast('Order 1042 cancelled.', { label: 'Undo', run: () => toast('Order 1042 restored.') })}
        >
          Show a toast
        </Button>
        <Popover trigger={<Button>Open a popover</Button>} label="Filters">
          <Field label="Tags">{(control) => <Input {...control} />}</Field>
        </Popover>
        <Menu trigger={trigger} align="start">
          <MenuHeading>Order 1042</MenuHeading>
          <MenuItem icon={Pencil} onSelect={() => toast('Edit')}>
            Edit
          </MenuItem>
          <MenuLine />
          <MenuItem icon={Trash2} onSelect={() => setOpen(true)}>
            Delete
          </MenuItem>
        </Menu>
      </div>
      <Dialog title="Delete order 1042?" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p className="text-secondary">Its items, history and messages are deleted too. This cannot be undone.</p>
        <div className="mt-5 flex justify-end gap-2">
          <Button variant="quiet" onClick={() => setOpen(false)}>
            Cancel
          </Button>
          <Button variant="danger" onClick={() => setOpen(false)}>
            Delete the order
          </Button>
        </div>
      </Dialog>
    </Part>
  );
}
