import { useMutation } from '@tanstack/react-query';
import { allKeys, useCan, useMe } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { count } from '../../format/numbers.ts';
import { api, queries } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

const customers = 300;
/** A slow machine may need longer than other actions. */
const timeoutMs = 180_000;

interface DemoDataProps {
  readonly onDone?: () => void;
}

/** Offers to fill a new organization with demo data, to those who may do it. */
export function DemoData({ onDone }: DemoDataProps) {
  const { data: me } = useMe();
  const can = useCan();
  const fill = useMutation({
    mutationFn: () => api().demo.fill({ customers }, { timeoutMs }),
    async onSuccess({ customers, orders, products }) {
      toast(`Added ${count(customers)} customers, ${count(orders)} orders and ${count(products)} products.`);
      onDone?.();
      await queries.invalidateQueries({ queryKey: allKeys });
    },
  });
  if (me?.permissions && !can('settings.edit')) return null;
  return (
    <div className="grid justify-items-start gap-3">
      <p className="text-secondary">
        {customers} customers with their orders and conversations, and a catalog of products. For trying things out: it
        cannot be removed in one step.
      </p>
      {fill.isError && <Notice tone="error">{errorMessage(fill.error)}</Notice>}
      <div className="flex flex-wrap items-center gap-3">
        <Button isBusy={fill.isPending} onClick={() => fill.mutate()}>
          Fill with demo data
        </Button>
        <span role="status" className="text-sm text-secondary">
          {fill.isPending && 'Adding customers, products and orders. This takes a few seconds.'}
        </span>
      </div>
    </div>
  );
}
