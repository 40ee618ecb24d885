import type { Discount } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { submit } from '../../form/submission.ts';
import { useTypedValues } from '../../form/typed-values.ts';
import { useForm } from '../../form/use-form.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { api } from '../../session/session.ts';
import { useStored } from '../../session/stored.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { DiscountFields } from './discount-fields.tsx';
import { targetIds } from './discount-form.tsx';
import { listSearch } from './discount-list.ts';
import { type DiscountTexts, emptyTexts, generateCode, readTexts, toDiscountInput } from './discount-values.ts';
import { readTargets, type Targets } from './targets.ts';

export function NewDiscountPanel() {
  const { copy } = useSearch({ from: '/shell/discounts/new' });
  const search = listSearch(useSearch({ from: '/shell/discounts' }));
  const navigate = useNavigate();
  return (
    <DetailPanel title="New discount" onClose={() => void navigate({ to: '/discounts', search })}>
      <Needs permission="products.edit">
        {copy === undefined ? <NewDiscountForm /> : <CopiedDiscount key={copy} id={copy} />}
      </Needs>
    </DetailPanel>
  );
}

function CopiedDiscount({ id }: { readonly id: string }) {
  const { data, error } = useApi(keys.discounts.detail(id), (client) => client.pricing.getDiscount({ id }));
  return data ? <NewDiscountForm original={data.discount} /> : <Loading error={error} className="h-96" />;
}

function NewDiscountForm({ original }: { readonly original?: Discount }) {
  const draft = `discount.new${original ? `.${original.id}` : ''}`;
  const search = listSearch(useSearch({ from: '/shell/discounts' }));
  const navigate = useNavigate();
  const refetch = useRefetch();
  const [texts] = useState<DiscountTexts>(
    original ? { ...readTexts(original), code: generateCode(), starts_at: '', ends_at: '' } : emptyTexts,
  );
  // The fields of the draft are those of the form.
  const [targets, setTargets] = useStored<Targets>(`draft.${draft}.targets`, readTargets(original));
  const form = useForm<DiscountTexts, 'target_ids'>(
    async (values) => {
      const input = toDiscountInput(values, targetIds(targets, values.applies_to));
      const { discount } = await submit(draft, api().pricing.createDiscount, input);
      setTargets(undefined);
      toast(`${discount.code} created.`);
      void refetch(keys.discounts.lists);
      await navigate({ to: '/discounts/$id', params: { id: discount.id }, search });
    },
    { draft },
  );
  const { typed, props } = useTypedValues<DiscountTexts>(form.props);
  return (
    <form {...props} className="grid gap-4">
      {form.isRestored && (
        <RestoredNotice
          onDiscard={() => {
            form.discard();
            setTargets(undefined);
          }}
        />
      )}
      {original && <Notice>A copy of {original.code} with a new code and without its dates.</Notice>}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <DiscountFields texts={texts} typed={typed} targets={targets} onTargets={setTargets} form={form} hasFocus />
      <div className="flex justify-end border-t border-line pt-4">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Create discount
        </Button>
      </div>
    </form>
  );
}
