import { X } from 'lucide-react';
import { useRef, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useSearchResults } from '../../api/search-results.ts';
import { useCan } from '../../api/use-api.ts';
import { fromThousandths } from '../../format/amount.ts';
import { money } from '../../format/numbers.ts';
import { IconButton } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { type DraftItem, type ItemErrorField, type ItemField, lineTotal, type OrderErrors } from './order-draft.ts';

interface ItemsSectionProps {
  readonly items: readonly DraftItem[];
  readonly currency: string | undefined;
  readonly onChange: (items: readonly DraftItem[]) => void;
  readonly errors: OrderErrors;
}

/** Products, or anything else that has a name and a price. */
export function ItemsSection({ items, currency, onChange, errors }: ItemsSectionProps) {
  const list = useRef<HTMLUListElement>(null);
  const add = (item: Omit<DraftItem, 'key' | 'quantity'>) => {
    const same = items.find(({ sku, price }) => sku !== null && sku === item.sku && price === item.price);
    if (same) onChange(items.map((one) => (one === same ? { ...one, quantity: increased(one.quantity) } : one)));
    else onChange([...items, { ...item, key: nextKey(items), quantity: '1' }]);
    // Without a product, the price comes next.
    if (item.price === '') {
      setTimeout(() => list.current?.querySelector<HTMLElement>('li:last-child [name$=price]')?.focus());
    }
  };
  return (
    <Section title="Items">
      <ProductSearch
        error={errors.items === undefined || items.length > 0 ? undefined : 'Add at least one item.'}
        currency={currency}
        onAdd={add}
      />
      {items.length > 0 && (
        <div className="@container grid gap-1">
          <div aria-hidden className={`${columns} text-xs font-medium text-secondary @max-xl:hidden`}>
            <span>Name</span>
            <span className="text-right">Quantity</span>
            <span className="text-right">{currency === undefined ? 'Price' : `Price in ${currency}`}</span>
            <span className="text-right">Total</span>
          </div>
          <ul ref={list} className="grid">
            {items.map((item, index) => (
              <ItemRow
                key={item.key}
                item={item}
                index={index}
                currency={currency}
                errors={errors}
                onChange={(changes) => onChange(items.map((one) => (one === item ? { ...one, ...changes } : one)))}
                onRemove={() => onChange(items.filter((one) => one !== item))}
              />
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
}

function nextKey(items: readonly DraftItem[]): string {
  return String(Math.max(0, ...items.map(({ key }) => Number(key) || 0)) + 1);
}

function increased(quantity: string): string {
  return /^\d+$/.test(quantity) ? String(Number(quantity) + 1) : '1';
}

interface ProductSearchProps {
  readonly error: string | undefined;
  readonly currency: string | undefined;
  readonly onAdd: (item: Omit<DraftItem, 'key' | 'quantity'>) => void;
}

function ProductSearch({ error, currency, onAdd }: ProductSearchProps) {
  const [text, setText] = useState('');
  const typed = text.trim();
  const canSearch = useCan()('products.view');
  const { data, ...state } = useSearchResults(keys.products.search, canSearch ? typed : '', (client, q) =>
    client.products.search({ q, limit: 8 }),
  );
  const found = (data?.products ?? []).filter(({ status }) => status === 'active');
  const options = [
    ...found.flatMap(({ title, variants }) =>
      variants.map(({ id, title: variant, sku, price, available }) => {
        const name = variant === '' ? title : `${title}, ${variant}`;
        return {
          key: id,
          label: name,
          detail: `${sku} · ${available > 0 ? `${available} available` : 'out of stock'}`,
          aside: currency === undefined ? price : money(price, currency),
          choose: () => onAdd({ name, sku, variantId: id, price }),
        };
      }),
    ),
    ...(typed === ''
      ? []
      : [
          {
            key: 'text',
            label: `Add “${typed}” without a product`,
            choose: () => onAdd({ name: typed, sku: null, price: '' }),
          },
        ]),
  ];
  return (
    <SearchBox
      label="Add an item"
      placeholder="Add a product by title or SKU, or type anything"
      name="items"
      text={text}
      onText={setText}
      options={options}
      {...state}
      error={error}
    />
  );
}

/** Where there is little room, on a phone and beside a list, the name has a line of its own. */
const columns =
  'grid grid-cols-[6rem_minmax(0,1fr)_6.5rem_2.75rem] gap-2 @xl:grid-cols-[minmax(0,1fr)_6rem_7.5rem_7.5rem_2.25rem]';

interface ItemRowProps {
  readonly item: DraftItem;
  readonly index: number;
  readonly currency: string | undefined;
  readonly errors: OrderErrors;
  readonly onChange: (changes: Partial<DraftItem>) => void;
  readonly onRemove: () => void;
}

const fields: readonly ItemErrorField[] = ['name', 'sku', 'variant_id', 'quantity', 'price'];

function ItemRow({ item, index, currency, errors, onChange, onRemove }: ItemRowProps) {
  const total = lineTotal(item);
  const amount = total === undefined ? undefined : fromThousandths(total, currency);
  const label = {
    name: 'Name',
    quantity: 'Quantity',
    price: currency === undefined ? 'Price' : `Price in ${currency}`,
  };
  const fieldName = (key: ItemErrorField) => `items.${index}.${key}` as const;
  const field = (key: ItemField) => (
    <Input
      name={fieldName(key)}
      aria-label={`${label[key]} of item ${index + 1}`}
      placeholder={label[key]}
      inputMode={key === 'name' ? 'text' : 'decimal'}
      autoComplete="off"
      value={item[key]}
      onChange={({ target }) => onChange({ [key]: target.value })}
      aria-invalid={errors[fieldName(key)] === undefined ? undefined : true}
      aria-describedby={errors[fieldName(key)] === undefined ? undefined : `${fieldName(key)}-error`}
      className={key === 'name' ? '' : 'numeric text-right'}
    />
  );
  return (
    <li className={`${columns} items-start border-b border-line py-3`}>
      <div className="@max-xl:col-span-full">
        {field('name')}
        {item.sku !== null && <p className="mt-1 text-xs text-faint">{item.sku}</p>}
      </div>
      {field('quantity')}
      {field('price')}
      <span className="numeric flex min-h-9 items-center justify-end text-right wrap-anywhere max-md:min-h-11">
        {amount === undefined ? '–' : currency === undefined ? amount : money(amount, currency)}
      </span>
      <IconButton label={`Remove item ${index + 1}`} onClick={onRemove}>
        <Icon icon={X} />
      </IconButton>
      {fields.map(
        (key) =>
          errors[fieldName(key)] !== undefined && (
            <p key={key} id={`${fieldName(key)}-error`} className="col-span-full text-xs text-error">
              {errors[fieldName(key)]}
            </p>
          ),
      )}
    </li>
  );
}
