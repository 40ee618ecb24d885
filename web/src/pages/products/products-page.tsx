import type { Product, ProductsExportInput, ProductsListInput } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Ellipsis, Package, Plus, Store, Tags, Upload } from 'lucide-react';
import { useMemo } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { useKeys } from '../../keyboard/keys.ts';
import type { Column } from '../../list/data-table.tsx';
import { ResourceList } from '../../list/resource-list.tsx';
import { useSelection } from '../../list/selection.ts';
import { useList } from '../../list/use-list.ts';
import { useLive } from '../../live/use-live.ts';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { BulkStatus } from './bulk-status.tsx';
import { usePriceFormat } from './currency.ts';
import { productFilters, runningOut, statuses, viewList } from './product-list.ts';
import { StockButton } from './stock-button.tsx';
import { stockTone, useLowStock } from './stock-tone.ts';
import { Thumbnail } from './thumbnail.tsx';

/** The columns for which there is room beside a product. */
const columnsBesideProduct = ['title', 'status', 'price', 'stock'];

/** All products, and the one that is open beside them. */
export function ProductsPage() {
  return (
    <Needs permission="products.view">
      <Products />
    </Needs>
  );
}

function Products() {
  const search: Search = useSearch({ from: '/shell/products' });
  const openId = useParams({ strict: false }).id;
  const hasDetail = useChildMatches().length > 0;
  const navigate = useNavigate();
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const list = useList(keys.products.list(search), async (client, page) => {
    const { products, pagination } = await client.products.list({ ...(search as ProductsListInput), ...page });
    return { rows: products, total: pagination.total };
  });
  const categories = useApi(keys.products.categories, (client) => client.products.categories());
  const low = useApi(keys.products.runningOut, (client) =>
    client.products.list({ status: 'active', low_stock: true, per_page: 1 }),
  );
  const columns = useProductColumns();
  const selection = useSelection(list.identity);
  const can = useCan();
  useLive(['productCreated', 'productUpdated', 'productDeleted', 'productStockChanged'], keys.products.all);
  const views = [
    { label: 'All', search: {} },
    { label: 'Active', search: { status: 'active' } },
    { label: 'Drafts', search: { status: 'draft' } },
    { label: 'Running out', search: runningOut, count: low.data?.pagination.total },
  ];
  return (
    <ResourceList
      title="Products"
      names={['product', 'products']}
      icon={Package}
      list={list}
      columns={columns}
      columnsBesideRecord={columnsBesideProduct}
      rowName={({ title }) => title}
      search={search}
      onSearch={show}
      views={views}
      viewList={viewList}
      filters={productFilters(categories.data?.categories ?? [])}
      placeholder="Search title, SKU or tag"
      sortedBy="created_at"
      openId={openId}
      onOpen={({ id }) => void navigate({ to: '/products/$id', params: { id }, search })}
      detail={hasDetail && <Outlet />}
      exportFile={
        can('products.export') &&
        ((client, format, signal) => client.products.export({ ...(search as ProductsExportInput), format }, { signal }))
      }
      actions={<Actions search={search} />}
      selection={can('products.edit') && selection}
      selectionActions={<BulkStatus selection={selection} />}
      empty={<NoProducts />}
      {...(search.low_stock === 'true' && { noMatch: nothingRunningOut })}
      onClear={() => void navigate({ to: '/products' })}
    />
  );
}

const nothingRunningOut = (
  <EmptyState icon={Package} title="Nothing is running out">
    Products appear here when few units are left to sell.
  </EmptyState>
);

function useProductColumns(): readonly Column<Product>[] {
  const price = usePriceFormat();
  return useMemo(() => productColumns(price), [price]);
}

function productColumns(price: (amount: string) => string): readonly Column<Product>[] {
  return [
    // Where there is no room, the last ones leave first.
    {
      key: 'title',
      label: 'Product',
      sortBy: 'title',
      isOnPhone: true,
      cell: ({ id, title, images, variants }) => (
        <span className="flex min-w-0 items-center gap-2.5">
          <Thumbnail image={images[0]} className="size-7 max-md:size-9" />
          <Link
            to="/products/$id"
            params={{ id }}
            search={(search) => search}
            className="min-w-0 truncate font-medium hover:underline"
          >
            {title}
          </Link>
          {variants.length > 1 && (
            <span className="shrink-0 text-xs text-faint max-md:hidden">{count(variants.length)} variants</span>
          )}
        </span>
      ),
    },
    {
      key: 'status',
      label: 'Status',
      width: '7.5rem',
      cell: ({ status }) => <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>,
    },
    {
      key: 'price',
      label: 'Price',
      width: '8rem',
      sortBy: 'price',
      isNumber: true,
      cell: (product) => (product.price === product.price_max ? price(product.price) : `from ${price(product.price)}`),
    },
    {
      key: 'stock',
      label: 'In stock',
      width: '6.5rem',
      sortBy: 'stock',
      isNumber: true,
      isOnPhone: true,
      cell: (product) => <Stock product={product} />,
    },
    {
      key: 'sku',
      label: 'SKU',
      width: '9rem',
      sortBy: 'sku',
      cell: ({ sku }) => <span className="text-secondary">{sku}</span>,
    },
    {
      key: 'categories',
      label: 'Categories',
      width: '11rem',
      cell: ({ categories }) => <span className="text-secondary">{categories.join(', ')}</span>,
    },
    {
      key: 'reserved',
      label: 'Reserved',
      width: '6.5rem',
      isNumber: true,
      isExtra: true,
      cell: ({ reserved }) => count(reserved),
    },
    {
      key: 'available',
      label: 'Available',
      width: '6.5rem',
      isNumber: true,
      isExtra: true,
      cell: ({ available }) => count(available),
    },
    {
      key: 'tags',
      label: 'Tags',
      width: '11rem',
      isExtra: true,
      cell: ({ tags }) => <span className="text-secondary">{tags.join(', ')}</span>,
    },
    {
      key: 'updated',
      label: 'Updated',
      width: '7rem',
      sortBy: 'updated_at',
      isNumber: true,
      isExtra: true,
      cell: ({ updated_at }) => <RelativeTime time={updated_at} />,
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

/** The stock of a product with several variants is changed there. */
function Stock({ product }: { readonly product: Product }) {
  const [variant, ...others] = product.variants;
  const threshold = useLowStock();
  if (variant && others.length === 0) return <StockButton product={product} variant={variant} />;
  return (
    <Link
      to="/products/$id"
      params={{ id: product.id }}
      search={(search) => search}
      aria-label={`Stock of ${product.title}: ${count(product.stock)} in ${count(product.variants.length)} variants`}
      className={`hover:underline ${stockTone(product, threshold)}`}
    >
      {count(product.stock)}
    </Link>
  );
}

function Actions({ search }: { readonly search: Search }) {
  const can = useCan();
  const navigate = useNavigate();
  const canCreate = can('products.create');
  const create = () => void navigate({ to: '/products/new', search });
  useKeys(canCreate ? [{ key: 'n', label: 'New product', run: create }] : []);
  const more = (
    <Button aria-label="Collections and stock locations">
      <Icon icon={Ellipsis} />
    </Button>
  );
  return (
    <>
      {can('products.import') && (
        <Button onClick={() => void navigate({ to: '/products/import' })}>
          <Icon icon={Upload} />
          <span className="max-md:sr-only">Import</span>
        </Button>
      )}
      <Menu trigger={more}>
        <MenuItem icon={Tags} onSelect={() => void navigate({ to: '/products/collections' })}>
          Collections
        </MenuItem>
        <MenuItem icon={Store} onSelect={() => void navigate({ to: '/products/locations' })}>
          Stock locations
        </MenuItem>
      </Menu>
      {canCreate && (
        <Button variant="primary" onClick={create}>
          <Icon icon={Plus} strokeWidth={1.75} />
          New product
        </Button>
      )}
    </>
  );
}

function NoProducts() {
  const can = useCan();
  const navigate = useNavigate();
  const action = can('products.create') && (
    <Button variant="primary" onClick={() => void navigate({ to: '/products/new' })}>
      New product
    </Button>
  );
  return (
    <EmptyState icon={Package} title="No products yet" action={action}>
      Create the first one{can('products.import') && ', or import all of them from a CSV file'}.
    </EmptyState>
  );
}
