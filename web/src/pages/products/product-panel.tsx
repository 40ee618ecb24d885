import type { Product } from '@chowk/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { affectedByProduct } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { usePriceFormat } from './currency.ts';
import { ProductForm } from './product-form.tsx';
import { ProductImages } from './product-images.tsx';
import { statuses } from './product-list.ts';
import { StockSection } from './stock-section.tsx';
import { VariantsSection } from './variants-section.tsx';

export function ProductPanel() {
  const { id } = useParams({ from: '/shell/products/$id' });
  const search = useSearch({ from: '/shell/products' });
  const navigate = useNavigate();
  const can = useCan();
  const { data, error } = useApi(keys.products.detail(id), (client) => client.products.get({ id }));
  const product = data?.product;
  const close = () => navigate({ to: '/products', search });
  return (
    <DetailPanel
      key={id}
      title={product?.title}
      error={product ? null : error}
      onClose={close}
      actions={product && can('products.delete') && <DeleteProduct product={product} onDeleted={close} />}
      hasIconActions
    >
      {product && (
        <>
          <Summary product={product} />
          {product.options.length > 0 && <VariantsSection product={product} />}
          <StockSection product={product} />
          <ProductImages product={product} />
          {can('products.edit') ? (
            <section aria-label="Details" className="grid gap-4">
              <h2 className="font-semibold">Details</h2>
              <ProductForm product={product} />
            </section>
          ) : (
            <Details product={product} />
          )}
          {product.options.length === 0 && <VariantsSection product={product} />}
          <p className="text-xs text-faint">
            Created <RelativeTime time={product.created_at} />, changed <RelativeTime time={product.updated_at} />
          </p>
        </>
      )}
    </DetailPanel>
  );
}

function Summary({
  product: { sku, status, price, price_max, compare_at_price, options },
}: {
  readonly product: Product;
}) {
  const format = usePriceFormat();
  return (
    <p className="-mt-4 flex flex-wrap items-center gap-x-3 gap-y-1">
      <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>
      <span className="numeric font-medium">
        {price === price_max ? format(price) : `${format(price)} – ${format(price_max)}`}
      </span>
      {options.length === 0 && compare_at_price && <s className="numeric text-secondary">{format(compare_at_price)}</s>}
      {options.length === 0 && <span className="min-w-0 truncate text-secondary">{sku}</span>}
    </p>
  );
}

/** For those who may not edit. */
function Details({ product }: { readonly product: Product }) {
  const { categories, tags, description } = product;
  const rows = [
    ['Categories', categories.join(', ')],
    ['Tags', tags.join(', ')],
    ['Description', description],
  ] as const;
  return (
    <dl className="grid grid-cols-[8rem_1fr] gap-y-2 border-t border-line pt-4">
      {rows.map(
        ([label, value]) =>
          value && (
            <div key={label} className="contents">
              <dt className="text-secondary">{label}</dt>
              <dd className="min-w-0 break-words whitespace-pre-line">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function DeleteProduct({ product, onDeleted }: { readonly product: Product; readonly onDeleted: () => Promise<void> }) {
  const { id, sku, title, stock, reserved, images } = product;
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  const remove = useAction((client) => client.products.delete({ id }), {
    affects: affectedByProduct(id),
    done: () => `${title} deleted.`,
    leave: onDeleted,
  });
  const parts = [
    stock > 0 && `its stock of ${count(stock)}`,
    images.length > 0 && (images.length === 1 ? 'its image' : `its ${images.length} images`),
  ].filter(Boolean);
  return (
    <>
      <IconButton label="Delete product" onClick={() => setAsking(true)}>
        <Icon icon={Trash2} />
      </IconButton>
      <Dialog title="This product cannot be deleted" isOpen={isAsking && reserved > 0} onClose={close}>
        <p className="text-secondary">
          {count(reserved)} units of {title} are reserved. Archive the product, or wait until they are sold or released.
        </p>
      </Dialog>
      <ConfirmDialog
        title="Delete this product?"
        isOpen={isAsking && reserved === 0}
        onClose={close}
        action="Delete product"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: close })}
      >
        <strong className="font-semibold text-text">{title}</strong> (SKU {sku}) is deleted
        {parts.length > 0 && `, with ${parts.join(' and ')}`}. Past orders keep it. This cannot be undone; to stop
        selling it, archive it instead.
      </ConfirmDialog>
    </>
  );
}
