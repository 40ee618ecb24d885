import { ChowkError, type OrderDetails } from '@chowk/client';
import { useState } from 'react';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { plainAmount, typedAmount } from '../../format/amount.ts';
import { money } from '../../format/numbers.ts';
import { api } from '../../session/session.ts';
import { useDebounced } from '../../state/debounced.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { ItemsSection } from './items-section.tsx';
import { type DraftItem, lineTotal, type OrderErrorName, type OrderErrors, parseQuantity } from './order-draft.ts';
import { fromDiscount, hasValue, toDiscount } from './order-input.ts';
import { OrderSums } from './order-sums.tsx';
import { type ChangedChoices, PriceProblems } from './price-problems.tsx';

interface ItemsEditorProps {
  readonly order: OrderDetails;
  readonly onDone: () => void;
}

const pauseMs = 250;

/** Changes the items of an order, and shows what that changes of its price before it is saved. */
export function ItemsEditor({ order, onDone }: ItemsEditorProps) {
  const [before] = useState(order);
  const { id, order_number, currency } = before;
  const [items, setItems] = useState<readonly DraftItem[]>(() =>
    before.items.map((item) => toDraftItem(item, currency)),
  );
  const [choices, setChoices] = useState<ChangedChoices>({});
  const refetch = useRefetch();
  const { preview, errors: found, isOutdated } = useChangesPreview(before, items, choices);
  const isChanged = JSON.stringify(items) !== JSON.stringify(before.items.map((item) => toDraftItem(item, currency)));
  const form = useForm<object, OrderErrorName>(async () => {
    const version = { headers: { 'If-Match': `"${before.updated_at}"` } };
    const { order: saved } = await api().orders.update(
      { id, items: items.map((item) => toItem(before, item)), ...choices },
      version,
    );
    onDone();
    toast(`Items of order ${order_number} saved. The total is now ${money(saved.total, currency)}.`);
    await refetch(...affectedByOrder(before), keys.products.all);
  });
  const errors = { ...form.errors, ...found };
  return (
    <form
      {...form.props}
      // Enter in a field would save items that are not finished.
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
      }}
      className="grid gap-4"
    >
      <ItemsSection items={items} currency={currency} onChange={setItems} errors={errors} />
      <PriceProblems
        order={before}
        choices={choices}
        errors={found}
        onChange={(changes) => setChoices({ ...choices, ...changes })}
      />
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      {preview && (
        <div className={`grid gap-3 ${isOutdated ? 'opacity-50' : ''}`}>
          <OrderSums price={preview} />
          <Difference order={before} total={preview.total} difference={preview.difference} />
        </div>
      )}
      <div className="flex items-center gap-2">
        <Button
          type="submit"
          variant="primary"
          isBusy={form.isBusy}
          disabled={!isChanged || isOutdated || preview === undefined}
        >
          Save items
        </Button>
        <Button variant="quiet" onClick={onDone}>
          Discard
        </Button>
      </div>
    </form>
  );
}

interface DifferenceProps {
  readonly order: OrderDetails;
  readonly total: string;
  readonly difference: string;
}

function Difference({ order: { total: before, currency }, total, difference }: DifferenceProps) {
  const amount = money(difference.replace('-', ''), currency);
  const text =
    Number(difference) === 0 ? 'The price stays the same' : `${amount} ${difference.startsWith('-') ? 'less' : 'more'}`;
  return (
    <output className="numeric grid justify-items-end">
      <span className="text-sm text-secondary">
        {money(before, currency)} → <span className="font-semibold text-text">{money(total, currency)}</span>
      </span>
      <span className="font-medium">{text}</span>
    </output>
  );
}

/** The price with these items, calculated when the user pauses. */
function useChangesPreview(order: OrderDetails, items: readonly DraftItem[], choices: ChangedChoices) {
  const { id } = order;
  const isComplete = items.length > 0 && items.every((item) => item.name.trim() && lineTotal(item) !== undefined);
  const text = isComplete ? JSON.stringify({ items: items.map((item) => toItem(order, item)), ...choices }) : '';
  const asked = useDebounced(text, pauseMs);
  const { data, error } = useApi(
    keys.orders.changesPreview(id, asked),
    (client) => client.orders.previewChanges({ id, ...JSON.parse(asked) }),
    asked !== '',
  );
  return {
    preview: isComplete ? data?.preview : undefined,
    errors: isComplete && error instanceof ChowkError ? firstMessages(error.fields) : {},
    isOutdated: asked !== text || data === undefined,
  };
}

function firstMessages(fields: ChowkError['fields']): OrderErrors {
  return Object.fromEntries(Object.entries(fields).map(([name, problems]) => [name, problems[0]?.message]));
}

/** The key is the id of the item; those that are added have numbers. */
function toDraftItem(item: OrderDetails['items'][number], currency: string): DraftItem {
  const { id, name, sku, variant_id, quantity, price, discount } = item;
  return {
    key: id,
    name,
    sku,
    quantity: String(quantity),
    price: typedAmount(price, currency),
    ...(variant_id === null ? {} : { variantId: variant_id }),
    ...(discount ? { discount: fromDiscount(discount) } : {}),
  };
}

function toItem({ items }: OrderDetails, { key, name, sku, variantId, quantity, price, discount }: DraftItem) {
  return {
    ...(items.some(({ id }) => id === key) ? { id: key } : {}),
    name: name.trim(),
    sku,
    ...(variantId === undefined ? {} : { variant_id: variantId }),
    quantity: parseQuantity({ quantity }) ?? Number.NaN,
    price: plainAmount(price),
    discount: hasValue(discount) ? toDiscount(discount) : null,
  };
}
