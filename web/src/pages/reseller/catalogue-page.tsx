import type { Product } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { Package } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { useDebounced } from '../../state/debounced.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { TenantsLayout } from './tenants-layout.tsx';

/** The products that all tenants of the reseller sell. */
export function CataloguePage() {
  return (
    <TenantsLayout tab="/tenants/products">
      <div className="grid min-h-0 max-w-3xl flex-1 content-start gap-6 overflow-y-auto pt-4 pb-12">
        <p className="text-secondary">
          Every organization that came through you sells these products. They follow your changes; each organization
          sets only its own stock.
        </p>
        <AddProduct />
        <MandatoryProducts />
      </div>
    </TenantsLayout>
  );
}

function useMandatory() {
  return useAction(
    (client, { product, mandatory }: { product: Product; mandatory: boolean }) =>
      client.products.update({ id: product.id, mandatory }),
    {
      affects: [keys.catalogue.all, keys.products.all],
      done: (_result, { product, mandatory }) =>
        mandatory ? `All your tenants get ${product.title}.` : `${product.title} is no longer mandatory.`,
    },
  );
}

function AddProduct() {
  const [text, setText] = useState('');
  const search = useDebounced(text.trim(), 200);
  const { data } = useApi(
    keys.catalogue.search(search),
    (client) => client.products.list({ search, mandatory: false, per_page: 6 }),
    search.length > 1,
  );
  const change = useMandatory();
  return (
    <div className="grid gap-2">
      <Field label="Make a product mandatory">
        {(control) => (
          <Input
            {...control}
            type="search"
            value={text}
            placeholder="Search title or SKU"
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {search.length > 1 && data && (
        <ul className="divide-y divide-line">
          {data.products.map((product) => (
            <li key={product.id} className="flex items-center gap-3 py-2">
              <span className="min-w-0 flex-1 truncate">{product.title}</span>
              <Button
                aria-label={`Make mandatory: ${product.title}`}
                isBusy={change.isPending && change.variables.product.id === product.id}
                onClick={() => change.mutate({ product, mandatory: true }, { onSuccess: () => setText('') })}
              >
                Make mandatory
              </Button>
            </li>
          ))}
          {data.products.length === 0 && <li className="py-2 text-secondary">No other product matches.</li>}
        </ul>
      )}
    </div>
  );
}

function MandatoryProducts() {
  const { data, error } = useApi(keys.catalogue.mandatory, (client) =>
    client.products.list({ mandatory: true, per_page: 100, sort_by: 'title', sort_order: 'asc' }),
  );
  const change = useMandatory();
  if (!data) return <Loading error={error} className="h-40" />;
  if (data.products.length === 0) {
    return (
      <EmptyState icon={Package} title="No mandatory products yet">
        Search one of your products above.
      </EmptyState>
    );
  }
  return (
    <ul aria-label="Mandatory products" className="divide-y divide-line border-t border-line">
      {data.products.map((product) => (
        <li key={product.id} className="flex flex-wrap items-center gap-3 py-2.5">
          <Link
            to="/products/$id"
            params={{ id: product.id }}
            className="min-w-40 flex-1 truncate font-medium hover:underline"
          >
            {product.title}
          </Link>
          <Button
            variant="quiet"
            aria-label={`Remove ${product.title}`}
            onClick={() => change.mutate({ product, mandatory: false })}
          >
            Remove
          </Button>
        </li>
      ))}
    </ul>
  );
}
