import type { Collection, ProductsListCollectionsInput } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plus, Tags } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useCan } from '../../api/use-api.ts';
import { useKeys } from '../../keyboard/keys.ts';
import type { Column } from '../../list/data-table.tsx';
import { ResourceList } from '../../list/resource-list.tsx';
import { useList } from '../../list/use-list.ts';
import type { ViewList } from '../../list/view-filters.ts';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { describeRule } from './collection-rule.ts';

/** All collections, and the one that is open beside them. */
export function CollectionsPage() {
  return (
    <Needs permission="products.view">
      <Collections />
    </Needs>
  );
}

const views = [{ label: 'All', search: {} }];
const viewList: ViewList = { action: 'products.listCollections', fields: ['search', 'sort_by', 'sort_order'] };

function Collections() {
  const search: Search = useSearch({ from: '/shell/products/collections' });
  const openId = useParams({ strict: false }).id;
  const hasDetail = useChildMatches().length > 0;
  const navigate = useNavigate();
  const canCreate = useCan()('products.create');
  const list = useList(keys.collections.list(search), async (client, page) => {
    const input = { ...(search as ProductsListCollectionsInput), ...page };
    const { collections, pagination } = await client.products.listCollections(input);
    return { rows: collections, total: pagination.total };
  });
  const create = () => void navigate({ to: '/products/collections/new', search });
  useKeys(canCreate ? [{ key: 'n', label: 'New collection', run: create }] : []);
  return (
    <ResourceList
      title="Collections"
      names={['collection', 'collections']}
      icon={Tags}
      list={list}
      columns={columns}
      columnsBesideRecord={['title', 'products']}
      rowName={({ title }) => title}
      search={search}
      onSearch={(next) => void navigate({ to: '.', search: next, replace: next.search !== search.search })}
      views={views}
      viewList={viewList}
      filters={[]}
      placeholder="Search title"
      sortedBy="created_at"
      openId={openId}
      onOpen={({ id }) => void navigate({ to: '/products/collections/$id', params: { id }, search })}
      detail={hasDetail && <Outlet />}
      actions={
        canCreate && (
          <Button variant="primary" onClick={create}>
            <Icon icon={Plus} strokeWidth={1.75} />
            New collection
          </Button>
        )
      }
      empty={
        <EmptyState
          icon={Tags}
          title="No collections yet"
          action={
            canCreate && (
              <Button variant="primary" onClick={create}>
                New collection
              </Button>
            )
          }
        >
          Group products for a website or a discount: chosen one by one, or all that match a rule.
        </EmptyState>
      }
      onClear={() => void navigate({ to: '/products/collections' })}
    />
  );
}

const columns: readonly Column<Collection>[] = [
  {
    key: 'title',
    label: 'Collection',
    sortBy: 'title',
    isOnPhone: true,
    cell: ({ id, title }) => (
      <Link
        to="/products/collections/$id"
        params={{ id }}
        search={(search) => search}
        className="min-w-0 truncate font-medium hover:underline"
      >
        {title}
      </Link>
    ),
  },
  {
    key: 'products',
    label: 'Products',
    width: '22rem',
    cell: ({ rule }) => <span className="text-secondary">{rule ? describeRule(rule) : 'Chosen one by one'}</span>,
  },
  {
    key: 'slug',
    label: 'Slug',
    width: '12rem',
    cell: ({ slug }) => <span className="text-secondary">{slug}</span>,
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
