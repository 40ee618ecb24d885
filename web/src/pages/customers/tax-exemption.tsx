import { ChowkError, type Client, type TaxExemption as Exemption, pricingLimits } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

interface TaxExemptionProps {
  readonly customerId: string;
}

/** Whether the customer pays taxes, and if not, why. */
export function TaxExemption({ customerId }: TaxExemptionProps) {
  const canEdit = useCan()('customers.edit');
  const key = keys.pricing.taxExemption(customerId);
  const { data, error } = useApi(key, (client) => findExemption(client, customerId));
  const [isAsking, setAsking] = useState(false);
  const restore = useAction(
    (client, reason: string | null) => client.pricing.saveTaxExemption({ customer_id: customerId, reason }),
    { affects: [key], done: ({ message }) => message },
  );
  const end = useAction((client) => client.pricing.deleteTaxExemption({ customer_id: customerId }), { affects: [key] });
  if (!data) return <Loading error={error} className="h-8" />;
  const { exemption } = data;
  const remove = () =>
    end.mutate(undefined, {
      onSuccess: ({ message }) =>
        toast(message, { label: 'Undo', run: () => restore.mutate(exemption?.reason ?? null) }),
    });
  if (!canEdit) return <p>{exemption ? `Exempt from taxes. ${exemption.reason ?? ''}` : 'Pays taxes.'}</p>;
  return (
    <div className="grid gap-1">
      <Checkbox
        label="Exempt from taxes"
        checked={exemption !== undefined || isAsking}
        disabled={end.isPending}
        onChange={({ target }) => {
          if (exemption) remove();
          else setAsking(target.checked);
        }}
      />
      {exemption && (
        <p className="pl-6.5 text-sm break-words text-secondary">{exemption.reason ?? 'No reason given.'}</p>
      )}
      {isAsking && !exemption && <ReasonForm customerId={customerId} onDone={() => setAsking(false)} />}
    </div>
  );
}

/** That there is none is not an error here. */
async function findExemption(client: Client, customer_id: string): Promise<{ exemption: Exemption | undefined }> {
  try {
    return { exemption: (await client.pricing.getTaxExemption({ customer_id })).tax_exemption };
  } catch (error) {
    if (error instanceof ChowkError && error.code === 'pricing.tax_exemption_not_found')
      return { exemption: undefined };
    throw error;
  }
}

function ReasonForm({ customerId, onDone }: TaxExemptionProps & { readonly onDone: () => void }) {
  const refetch = useRefetch();
  const form = useForm<{ readonly reason: string }>(
    async ({ reason }) => {
      const input = { customer_id: customerId, reason: reason.trim() || null };
      const { message } = await api().pricing.saveTaxExemption(input);
      toast(message);
      await refetch(keys.pricing.taxExemption(customerId));
      onDone();
    },
    { draft: `tax-exemption.${customerId}` },
  );
  return (
    <form {...form.props} className="grid gap-3 pl-6.5">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Reason" {...form.field('reason')} help="For instance the number of a certificate. Optional.">
        {(control) => (
          <Input {...control} maxLength={pricingLimits.saveTaxExemption.reason} autoComplete="off" autoFocus />
        )}
      </Field>
      <div className="flex gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Exempt customer
        </Button>
        <Button variant="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
