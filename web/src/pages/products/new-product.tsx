import { useNavigate, useSearch } from '@tanstack/react-router';
import { affectedByProduct } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { submit } from '../../form/submission.ts';
import { useForm } from '../../form/use-form.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { api } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { emptyTexts, ProductFields, type ProductTexts, toProductInput } from './product-fields.tsx';

const draft = 'product.new';

export function NewProductPanel() {
  const search = useSearch({ from: '/shell/products' });
  const navigate = useNavigate();
  return (
    <DetailPanel title="New product" onClose={() => void navigate({ to: '/products', search })}>
      <Needs permission="products.create">
        <NewProductForm />
      </Needs>
    </DetailPanel>
  );
}

type NewProductValues = ProductTexts & { readonly stock: string };

function NewProductForm() {
  const search = useSearch({ from: '/shell/products' });
  const navigate = useNavigate();
  const refetch = useRefetch();
  const form = useForm<NewProductValues>(
    async (values) => {
      const units = values.stock.trim();
      const stock = units === '' ? 0 : /^\d+$/.test(units) ? Number(units) : (units as unknown as number);
      const { product } = await submit(draft, api().products.create, { ...toProductInput(values), stock });
      toast(`${product.title} created.`);
      void refetch(...affectedByProduct(product.id));
      await navigate({ to: '/products/$id', params: { id: product.id }, search });
    },
    { draft },
  );
  return (
    <form {...form.props} className="grid gap-4">
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <ProductFields texts={emptyTexts} form={form} hasFocus />
      <Field label="Units on hand" {...form.field('stock')} help="Changes are recorded from then on.">
        {(control) => (
          <Input {...control} inputMode="numeric" placeholder="0" className="numeric max-w-40" autoComplete="off" />
        )}
      </Field>
      <div className="flex justify-end gap-2 border-t border-line pt-4">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Create product
        </Button>
      </div>
    </form>
  );
}
