import type { Discount } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { clearDraft } from '../../form/draft.ts';
import { useTypedValues } from '../../form/typed-values.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { useStored } from '../../session/stored.ts';
import { Notice } from '../../ui/notice.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { toast } from '../../ui/toast.tsx';
import { DiscountFields } from './discount-fields.tsx';
import { changedFields, type DiscountTexts, readTexts, toDiscountInput } from './discount-values.ts';
import { readTargets, type TargetKind, type Targets } from './targets.ts';

/** The fields of a discount, edited where they are shown. */
export function DiscountForm({ discount }: { readonly discount: Discount }) {
  const { id } = discount;
  const draft = `discount.${id}`;
  const texts = readTexts(discount);
  // The fields of the draft are those of the form.
  const [targets, setTargets] = useStored<Targets>(`draft.${draft}.targets`, readTargets(discount));
  const [isChanged, setChanged] = useState(false);
  const refetch = useRefetch();
  const form = useForm<DiscountTexts, 'target_ids'>(
    async (values) => {
      const before = toDiscountInput(texts, discount.target_ids);
      const changes = changedFields(before, toDiscountInput(values, targetIds(targets, values.applies_to)));
      const { discount: saved } = await api().pricing.updateDiscount({ id, ...changes });
      // Before the form is shown again with what has been saved.
      clearDraft(draft);
      setTargets(undefined);
      setChanged(false);
      toast(`${saved.code} saved.`);
      await refetch(keys.discounts.all);
    },
    { draft },
  );
  const { typed, props } = useTypedValues<DiscountTexts>(form.props);
  const chosen = targetIds(targets, discount.applies_to);
  const isRestored = form.isRestored || chosen.join() !== discount.target_ids.join();
  return (
    <form
      {...props}
      onInput={(event) => {
        props.onInput(event);
        setChanged(true);
      }}
      className="grid gap-4"
    >
      {isRestored && !isChanged && <Notice>Your unsaved changes were restored.</Notice>}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <DiscountFields
        texts={texts}
        typed={typed}
        targets={targets}
        onTargets={(next) => {
          setTargets(next);
          setChanged(true);
        }}
        form={form}
      />
      {(isChanged || isRestored) && (
        <SaveBar
          isBusy={form.isBusy}
          onDiscard={() => {
            form.discard();
            setTargets(undefined);
            setChanged(false);
          }}
        />
      )}
    </form>
  );
}

export function targetIds(targets: Targets, kind: string): readonly string[] {
  return kind === 'all' ? [] : targets[kind as TargetKind].map(({ id }) => id);
}
