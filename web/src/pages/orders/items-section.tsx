import { X } from 'lucide-react';
import { useRef, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useSearchResults } from '../../api/search-results.ts';
import { useCan } from '../../api/use-api.ts';
import { fromThousandths, typedAmount } from '../../format/amount.ts';
import { money } from '../../format/numbers.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { DiscountKind } from './discount-kind.tsx';
import {
  type DraftDiscount,
  type DraftItem,
  type ItemErrorField,
  type ItemField,
  lineDiscount,
  lineTotal,
  type OrderErrors,
} from './order-draft.ts';

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
                onChange={(changes) => onChange(items.map((one) => (one === item ? withChanges(one, changes) : one)))}
                onRemove={() => onChange(items.filter((one) => one !== item))}
              />
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
}

/** Without the fields that were taken away. */
function withChanges(item: DraftItem, changes: DraftItemChanges): DraftItem {
  const fields = Object.entries({ ...item, ...changes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as unknown as DraftItem;
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
          choose: () => onAdd({ name, sku, variantId: id, price: typedAmount(price, currency) }),
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

type DraftItemChanges = { readonly [Name in keyof DraftItem]?: DraftItem[Name] | undefined };

interface ItemRowProps {
  readonly item: DraftItem;
  readonly index: number;
  readonly currency: string | undefined;
  readonly errors: OrderErrors;
  readonly onChange: (changes: DraftItemChanges) => void;
  readonly onRemove: () => void;
}

const fields: readonly ItemErrorField[] = ['name', 'sku', 'variant_id', 'quantity', 'price', 'discount.value'];

function ItemRow({ item, index, currency, errors, onChange, onRemove }: ItemRowProps) {
  const row = useRef<HTMLLIElement>(null);
  const total = lineTotal(item);
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
    <li ref={row} className={`${columns} items-start border-b border-line py-3`}>
      <div className="@max-xl:col-span-full">
        {field('name')}
        {(item.sku !== null || !item.discount) && (
          <div className="flex min-h-8 items-center gap-3 text-xs text-faint">
            {item.sku}
            {!item.discount && (
              <Button
                variant="quiet"
                className="-mx-3.5 h-8! text-xs max-md:h-11!"
                aria-label={`Discount item ${index + 1}`}
                onClick={() => {
                  onChange({ discount: { kind: 'percent', value: '' } });
                  setTimeout(() => row.current?.querySelector<HTMLElement>('[name$="discount.value"]')?.focus());
                }}
              >
                Discount
              </Button>
            )}
          </div>
        )}
      </div>
      {field('quantity')}
      {field('price')}
      <span className="numeric flex min-h-9 items-center justify-end text-right wrap-anywhere max-md:min-h-11">
        {total === undefined ? '–' : amountText(fromThousandths(total, currency), currency)}
      </span>
      <IconButton label={`Remove item ${index + 1}`} onClick={onRemove}>
        <Icon icon={X} />
      </IconButton>
      {item.discount && (
        <ItemDiscount
          item={item}
          discount={item.discount}
          index={index}
          currency={currency}
          error={errors[fieldName('discount.value')]}
          onChange={(discount) => onChange({ discount })}
        />
      )}
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

interface ItemDiscountProps {
  readonly item: DraftItem;
  readonly discount: DraftDiscount;
  readonly index: number;
  readonly currency: string | undefined;
  readonly error: string | undefined;
  readonly onChange: (discount: DraftDiscount | undefined) => void;
}

/** In the columns of its item. */
function ItemDiscount({ item, discount, index, currency, error, onChange }: ItemDiscountProps) {
  const amount = lineDiscount(item, currency);
  const name = `items.${index}.discount.value`;
  return (
    <>
      <span className="flex min-h-9 items-center justify-end text-sm text-secondary @max-xl:col-span-full @max-xl:min-h-0 @max-xl:justify-start">
        {discount.title ?? 'Discount'}
      </span>
      <Input
        name={name}
        aria-label={`Discount of item ${index + 1}`}
        inputMode="decimal"
        autoComplete="off"
        value={discount.value}
        onChange={({ target }) => onChange({ ...discount, value: target.value })}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : `${name}-error`}
        className="numeric text-right"
      />
      <DiscountKind
        label={`Percent or amount off item ${index + 1}`}
        kind={discount.kind}
        currency={currency}
        onChange={(kind) => onChange({ ...discount, kind })}
      />
      <span className="numeric flex min-h-9 items-center justify-end text-right wrap-anywhere text-secondary max-md:min-h-11">
        {amount === undefined ? '–' : amountText(`-${fromThousandths(amount, currency)}`, currency)}
      </span>
      <IconButton label={`Remove the discount of item ${index + 1}`} onClick={() => onChange(undefined)}>
        <Icon icon={X} />
      </IconButton>
    </>
  );
}

function amountText(amount: string, currency: string | undefined): string {
  return currency === undefined ? amount : money(amount, currency);
}
