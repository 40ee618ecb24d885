import type { Discount, PricingListDiscountsInput } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plus, TicketPercent } from 'lucide-react';
import { useMemo } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { useKeys } from '../../keyboard/keys.ts';
import type { Column } from '../../list/data-table.tsx';
import { ResourceList } from '../../list/resource-list.tsx';
import { useList } from '../../list/use-list.ts';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { exactTime } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { usePriceFormat } from '../products/currency.ts';
import { discountText, filters, listSearch, statuses, usesText, viewList, views } from './discount-list.ts';

/** The columns for which there is room beside a discount. */
const columnsBesideDiscount = ['code', 'value', 'status', 'uses'];

/** All discount codes, and the one that is open beside them. */
export function DiscountsPage() {
  return (
    <Needs permission="products.view">
      <Discounts />
    </Needs>
  );
}

function Discounts() {
  const search: Search = listSearch(useSearch({ from: '/shell/discounts' }));
  const openId = useParams({ strict: false }).id;
  const hasDetail = useChildMatches().length > 0;
  const navigate = useNavigate();
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const list = useList(keys.discounts.list(search), async (client, page) => {
    const input = { ...(search as PricingListDiscountsInput), ...page };
    const { discounts, pagination } = await client.pricing.listDiscounts(input);
    return { rows: discounts, total: pagination.total };
  });
  const price = usePriceFormat();
  const columns = useMemo(() => discountColumns(price), [price]);
  return (
    <ResourceList
      title="Discounts"
      names={['discount', 'discounts']}
      icon={TicketPercent}
      list={list}
      columns={columns}
      columnsBesideRecord={columnsBesideDiscount}
      rowName={({ code }) => code}
      search={search}
      onSearch={show}
      views={views}
      viewList={viewList}
      filters={filters}
      placeholder="Search code or title"
      sortedBy="created_at"
      openId={openId}
      onOpen={({ id }) => void navigate({ to: '/discounts/$id', params: { id }, search })}
      detail={hasDetail && <Outlet />}
      actions={<NewDiscountButton search={search} />}
      empty={<NoDiscounts />}
      onClear={() => void navigate({ to: '/discounts' })}
    />
  );
}

function discountColumns(price: (amount: string) => string): readonly Column<Discount>[] {
  return [
    {
      key: 'code',
      label: 'Code',
      width: '12rem',
      sortBy: 'code',
      isOnPhone: true,
      cell: ({ id, code }) => (
        <Link
          to="/discounts/$id"
          params={{ id }}
          search={(search) => listSearch(search)}
          className="block min-w-0 truncate font-medium hover:underline"
        >
          {code}
        </Link>
      ),
    },
    {
      key: 'title',
      label: 'Title',
      cell: ({ title }) => <span className="text-secondary">{title}</span>,
    },
    {
      key: 'value',
      label: 'Discount',
      width: '8rem',
      isNumber: true,
      cell: (discount) => discountText(discount, price),
    },
    {
      key: 'status',
      label: 'Status',
      width: '8rem',
      isOnPhone: true,
      cell: ({ status }) => <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>,
    },
    {
      key: 'uses',
      label: 'Used',
      width: '7.5rem',
      sortBy: 'uses',
      isNumber: true,
      cell: (discount) => usesText(discount, count),
    },
    {
      key: 'starts',
      label: 'Starts',
      width: '11rem',
      isExtra: true,
      cell: ({ starts_at }) => starts_at && <span className="text-secondary">{exactTime(starts_at)}</span>,
    },
    {
      key: 'ends',
      label: 'Ends',
      width: '11rem',
      cell: ({ ends_at }) => ends_at && <span className="text-secondary">{exactTime(ends_at)}</span>,
    },
    {
      key: 'created',
      label: 'Created',
      width: '7rem',
      sortBy: 'created_at',
      isNumber: true,
      cell: ({ created_at }) => <RelativeTime time={created_at} />,
    },
  ];
}

function NewDiscountButton({ search }: { readonly search: Search }) {
  const canEdit = useCan()('products.edit');
  const navigate = useNavigate();
  const create = () => void navigate({ to: '/discounts/new', search });
  useKeys(canEdit ? [{ key: 'n', label: 'New discount', run: create }] : []);
  if (!canEdit) return null;
  return (
    <Button variant="primary" onClick={create}>
      <Icon icon={Plus} strokeWidth={1.75} />
      New discount
    </Button>
  );
}

function NoDiscounts() {
  const canEdit = useCan()('products.edit');
  const navigate = useNavigate();
  const action = canEdit && (
    <Button variant="primary" onClick={() => void navigate({ to: '/discounts/new' })}>
      New discount
    </Button>
  );
  return (
    <EmptyState icon={TicketPercent} title="No discounts yet" action={action}>
      Give customers a code for a percentage, an amount or free shipping.
    </EmptyState>
  );
}
