import type { Discount } from '@chowk/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Copy, Ellipsis, Trash2, Zap } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi, useCan, useMe } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { exactTime } from '../../time/times.ts';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { toast } from '../../ui/toast.tsx';
import { usePriceFormat } from '../products/currency.ts';
import { DiscountForm } from './discount-form.tsx';
import { discountText, listSearch, statuses, usesText } from './discount-list.ts';
import { readTexts } from './discount-values.ts';
import { TargetList } from './target-chooser.tsx';
import { readTargets, targetKinds } from './targets.ts';

export function DiscountPanel() {
  const { id } = useParams({ from: '/shell/discounts/$id' });
  const search = listSearch(useSearch({ from: '/shell/discounts' }));
  const navigate = useNavigate();
  const can = useCan();
  const { data, error } = useApi(keys.discounts.detail(id), (client) => client.pricing.getDiscount({ id }));
  const discount = data?.discount;
  const close = () => navigate({ to: '/discounts', search });
  return (
    <DetailPanel
      key={id}
      title={discount?.code}
      error={discount ? null : error}
      onClose={close}
      actions={discount && can('products.edit') && <Actions discount={discount} onDeleted={close} />}
      hasIconActions
    >
      {discount && (
        <>
          <Summary discount={discount} />
          {can('products.edit') ? (
            <DiscountForm key={JSON.stringify([readTexts(discount), discount.target_ids])} discount={discount} />
          ) : (
            <Details discount={discount} />
          )}
          <p className="text-xs text-faint">
            Created <RelativeTime time={discount.created_at} />, changed <RelativeTime time={discount.updated_at} />
          </p>
        </>
      )}
    </DetailPanel>
  );
}

function Summary({ discount }: { readonly discount: Discount }) {
  const price = usePriceFormat();
  const { status, usage_limit, uses } = discount;
  const times = usage_limit === null ? (uses === 1 ? 'time' : 'times') : usage_limit === 1 ? 'time' : 'times';
  return (
    <p className="-mt-4 flex flex-wrap items-center gap-x-3 gap-y-1">
      <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>
      <span className="numeric font-medium">{discountText(discount, price)}</span>
      <span className="text-secondary">{`Used ${usesText(discount, count)} ${times}`}</span>
    </p>
  );
}

/** For those who may not edit. */
function Details({ discount }: { readonly discount: Discount }) {
  const price = usePriceFormat();
  const { currency } = useMe().data ?? {};
  const { applies_to, title, minimum_subtotal, minimum_quantity, starts_at, ends_at } = discount;
  const rows = [
    ['Title', title],
    ['Applies to', applies_to === 'all' ? 'The whole order' : targetKinds[applies_to][1]],
    ['Minimum amount', minimum_subtotal && currency && price(minimum_subtotal)],
    ['Minimum quantity', minimum_quantity && count(minimum_quantity)],
    ['Starts', starts_at && exactTime(starts_at)],
    ['Ends', ends_at && exactTime(ends_at)],
    ['Once per customer', discount.once_per_customer ? 'Yes' : 'No'],
    ['With other codes', discount.combines ? 'Yes' : 'No'],
  ] as const;
  return (
    <div className="grid gap-4 border-t border-line pt-4">
      <dl className="grid grid-cols-[9rem_1fr] gap-y-2">
        {rows.map(
          ([label, value]) =>
            value && (
              <div key={label} className="contents">
                <dt className="text-secondary">{label}</dt>
                <dd className="min-w-0 break-words">{value}</dd>
              </div>
            ),
        )}
      </dl>
      {applies_to !== 'all' && <TargetList kind={applies_to} targets={readTargets(discount)[applies_to]} />}
    </div>
  );
}

interface ActionsProps {
  readonly discount: Discount;
  readonly onDeleted: () => Promise<void>;
}

function Actions({ discount: { id, code, is_active, uses }, onDeleted }: ActionsProps) {
  const search = listSearch(useSearch({ from: '/shell/discounts' }));
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const turn = useAction((client, is_on: boolean) => client.pricing.updateDiscount({ id, is_active: is_on }), {
    affects: [keys.discounts.all],
  });
  const remove = useAction((client) => client.pricing.deleteDiscount({ id }), {
    affects: [keys.discounts.lists],
    done: () => `${code} deleted.`,
    leave: onDeleted,
  });
  const change = (isOn: boolean) =>
    turn.mutate(isOn, {
      onSuccess: () =>
        toast(`${code} switched ${isOn ? 'on' : 'off'}.`, { label: 'Undo', run: () => turn.mutate(!isOn) }),
    });
  return (
    <>
      <Menu
        trigger={
          <IconButton label="More actions">
            <Icon icon={Ellipsis} />
          </IconButton>
        }
      >
        <MenuItem icon={Copy} onSelect={() => void navigate({ to: '/discounts/new', search: { ...search, copy: id } })}>
          Duplicate
        </MenuItem>
        <MenuItem icon={Zap} onSelect={() => change(!is_active)}>
          {is_active ? 'Switch off' : 'Switch on'}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} onSelect={() => setAsking(true)}>
          Delete
        </MenuItem>
      </Menu>
      <ConfirmDialog
        title="Delete this discount?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete discount"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        Nobody can use <strong className="font-semibold text-text">{code}</strong> any more
        {uses > 0 && `, and its count of ${count(uses)} ${uses === 1 ? 'use' : 'uses'} is lost`}. Orders keep what it
        has saved them. This cannot be undone; to stop it for a while, switch it off instead.
      </ConfirmDialog>
    </>
  );
}
