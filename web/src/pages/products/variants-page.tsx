import type { Product } from '@chowk/client';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { affectedByProduct } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { count } from '../../format/numbers.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { useLive } from '../../live/use-live.ts';
import { api } from '../../session/session.ts';
import { useStored } from '../../session/stored.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { readVariants, type VariantDraft } from './variant-draft.ts';
import { VariantEditor } from './variant-editor.tsx';
import { removedVariants, toVariantInput } from './variant-input.ts';

/** The options of a product and all its variants, saved together. */
export function VariantsPage() {
  return (
    <Needs permission="products.edit">
      <Variants />
    </Needs>
  );
}

function Variants() {
  const { id } = useParams({ from: '/shell/products/$id/variants' });
  const navigate = useNavigate();
  const { data, error } = useApi(keys.products.detail(id), (client) => client.products.get({ id }));
  useLive(['productUpdated', 'productStockChanged'], keys.products.detail(id));
  useKeys([
    { key: 'Escape', label: 'Back to the product', run: () => void navigate({ to: '/products/$id', params: { id } }) },
  ]);
  return (
    <Page title={data ? `Variants of ${data.product.title}` : 'Variants'}>
      <Link
        to="/products/$id"
        params={{ id }}
        className="-mt-6 inline-flex min-h-8 items-center gap-1.5 justify-self-start text-sm text-secondary hover:text-text max-md:min-h-11"
      >
        <Icon icon={ArrowLeft} />
        Back to the product
      </Link>
      {data ? (
        <VariantForm key={id} product={data.product} />
      ) : error ? (
        <ReadError error={error} />
      ) : (
        <Skeleton className="h-80 w-full" />
      )}
    </Page>
  );
}

/** What is edited, and what it was when the editing began. */
interface StoredDraft {
  readonly base: VariantDraft;
  readonly draft: VariantDraft;
}

function VariantForm({ product }: { readonly product: Product }) {
  const { id, sku, price, images, variants } = product;
  const current = readVariants(product);
  const [stored, setStored] = useStored<StoredDraft | undefined>(`draft.product.${id}.variants`, undefined);
  const { base, draft } = stored ?? { base: current, draft: current };
  const refetch = useRefetch();
  const form = useForm<object, string>(async () => {
    await save(product, base, draft);
    setStored(undefined);
    toast('Variants saved.');
    await refetch(...affectedByProduct(id));
  });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(base);
  const discard = () => {
    setStored(undefined);
    form.discard();
    void refetch(keys.products.detail(id));
  };
  return (
    <form {...form.props} className="grid min-w-0 gap-6">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <VariantEditor
        draft={draft}
        onChange={(next) => setStored({ base, draft: next })}
        errors={form.errors}
        images={images}
        defaults={{ sku, price }}
        hasGrid
      />
      <RemovedNotice product={product} draft={draft} />
      {isChanged && (
        <div className="sticky bottom-0 z-[2] flex items-center justify-end gap-2 border-t border-line bg-canvas py-3">
          <span className="mr-auto text-sm text-secondary">Not saved yet</span>
          <Button variant="quiet" onClick={discard}>
            Discard
          </Button>
          <Button type="submit" variant="primary" isBusy={form.isBusy}>
            {variants.length === 1 && draft.rows.length === 1 ? 'Save' : 'Save all'}
          </Button>
        </div>
      )}
    </form>
  );
}

/** Variants that others have added meanwhile would be removed: then nothing is saved. */
async function save({ id }: Product, base: VariantDraft, draft: VariantDraft): Promise<void> {
  const { product } = await api().products.get({ id });
  const shape = ({ options, rows }: VariantDraft) =>
    JSON.stringify([options, rows.map(({ key, values }) => [key, values])]);
  if (shape(readVariants(product)) !== shape(base)) {
    throw new Error('Another user has added or removed variants meanwhile. Discard your changes and start again.');
  }
  const version = { headers: { 'If-Match': `"${product.updated_at}"` } };
  await api().products.update({ id, ...toVariantInput(draft, base) }, version);
}

function RemovedNotice({ product, draft }: { readonly product: Product; readonly draft: VariantDraft }) {
  const removed = removedVariants(product.variants, draft);
  if (removed.length === 0) return null;
  const units = removed.reduce((sum, { stock }) => sum + stock, 0);
  const reserved = removed.filter((variant) => variant.reserved > 0);
  const name = ({ title, sku }: Product['variants'][number]) => title || sku;
  const shown = removed.slice(0, 5).map(name).join(', ');
  return (
    <Notice tone={reserved.length > 0 ? 'error' : 'warning'}>
      {removed.length === 1 ? '1 variant' : `${count(removed.length)} variants`} will be removed: {shown}
      {removed.length > 5 && ` and ${count(removed.length - 5)} more`}.{' '}
      {units > 0 && `${count(units)} units leave the stock. `}
      {reserved.length > 0
        ? `Units of ${reserved.map(name).join(', ')} are reserved for orders: they cannot be removed until they are sold or released.`
        : 'Past orders keep them.'}
    </Notice>
  );
}
