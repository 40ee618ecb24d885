import type { Product, ProductImage } from '@chowk/client';
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useSearchResults } from '../../api/search-results.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Thumbnail } from './thumbnail.tsx';

export interface ChosenProduct {
  readonly id: string;
  readonly title: string;
  readonly sku: string;
  readonly image: ProductImage | undefined;
}

export function toChosen({ id, title, sku, images }: Product): ChosenProduct {
  return { id, title, sku, image: images[0] };
}

interface ChosenProductsProps {
  readonly products: readonly ChosenProduct[];
  readonly onChange: (products: readonly ChosenProduct[]) => void;
  readonly error: string | undefined;
}

/** Products that are searched, added and put in order, by drag or with the buttons. */
export function ChosenProducts({ products, onChange, error }: ChosenProductsProps) {
  const [dragged, setDragged] = useState<string>();
  const move = (id: string, to: number) => {
    const moved = products.find((one) => one.id === id);
    if (moved) onChange(products.filter((one) => one !== moved).toSpliced(to, 0, moved));
  };
  return (
    <div data-own-draft className="grid gap-3">
      <ProductSearch except={products} onAdd={(product) => onChange([...products, product])} error={error} />
      {products.length === 0 ? (
        <p className="text-sm text-secondary">No products yet. They are shown in the order of this list.</p>
      ) : (
        <ul className="grid" aria-label="Products of the collection">
          {products.map(({ id, title, sku, image }, index) => (
            <li
              key={id}
              draggable
              onDragStart={(event) => {
                event.dataTransfer.setData('text/plain', title);
                setDragged(id);
              }}
              onDragEnd={() => setDragged(undefined)}
              onDragOver={(event) => dragged !== undefined && event.preventDefault()}
              onDrop={(event) => {
                event.preventDefault();
                if (dragged !== undefined) move(dragged, index);
              }}
              className={`flex min-h-11 min-w-0 cursor-grab items-center gap-2.5 border-b border-line py-1 ${dragged === id ? 'opacity-50' : ''}`}
            >
              <span className="numeric w-6 shrink-0 text-right text-xs text-faint">{index + 1}</span>
              <Thumbnail image={image} className="size-8" />
              <span className="grid min-w-0 flex-1">
                <span className="truncate">{title}</span>
                <span className="truncate text-xs text-secondary">{sku}</span>
              </span>
              <span className="flex shrink-0">
                <IconButton
                  label={`Move ${title} up`}
                  disabled={index === 0}
                  className="disabled:opacity-30"
                  onClick={() => move(id, index - 1)}
                >
                  <Icon icon={ArrowUp} />
                </IconButton>
                <IconButton
                  label={`Move ${title} down`}
                  disabled={index === products.length - 1}
                  className="disabled:opacity-30"
                  onClick={() => move(id, index + 1)}
                >
                  <Icon icon={ArrowDown} />
                </IconButton>
                <IconButton label={`Remove ${title}`} onClick={() => onChange(products.filter((one) => one.id !== id))}>
                  <Icon icon={X} />
                </IconButton>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface ProductSearchProps {
  readonly except: readonly ChosenProduct[];
  readonly onAdd: (product: ChosenProduct) => void;
  readonly error: string | undefined;
}

function ProductSearch({ except, onAdd, error }: ProductSearchProps) {
  const [text, setText] = useState('');
  const { data, ...state } = useSearchResults(keys.products.search, text.trim(), (client, q) =>
    client.products.search({ q, limit: 8 }),
  );
  const known = new Set(except.map(({ id }) => id));
  const options = (data?.products ?? [])
    .filter(({ id }) => !known.has(id))
    .map((product) => ({
      key: product.id,
      label: product.title,
      detail: product.sku,
      choose: () => onAdd(toChosen(product)),
    }));
  return (
    <SearchBox
      label="Add a product"
      placeholder="Add a product by title or SKU"
      name="products"
      text={text}
      onText={setText}
      options={options}
      {...state}
      {...(data && { empty: 'No other product matches.' })}
      error={error}
    />
  );
}
