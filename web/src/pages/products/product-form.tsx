import type { Product } from '@chowk/client';
import { useState } from 'react';
import { affectedByProduct } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { clearDraft } from '../../form/draft.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { useStored } from '../../session/stored.ts';
import { Notice } from '../../ui/notice.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { toast } from '../../ui/toast.tsx';
import { MoreFields, type MoreValues, readMore, toMoreInput } from './more-fields.tsx';
import { ProductFields, type ProductTexts, readTexts, toProductInput, withVariant } from './product-fields.tsx';
import { readSingle, type SingleTexts, SingleVariantFields, toSingleInput } from './single-variant.tsx';

/** The fields of a product, edited where they are shown. */
export function ProductForm({ product }: { readonly product: Product }) {
  const [base, setBase] = useState(product);
  const [isChanged, setChanged] = useState(false);
  const isOutdated = contentKey(product) !== contentKey(base);
  // Somebody else has changed it. What is being edited stays.
  if (isOutdated && !isChanged) setBase(product);
  return (
    <Fields
      key={contentKey(base)}
      product={base}
      isOutdated={isOutdated && isChanged}
      isChanged={isChanged}
      onChanged={setChanged}
      onSaved={setBase}
    />
  );
}

function contentKey(product: Product): string {
  const [single] = product.variants;
  return JSON.stringify([readTexts(product), readMore(product), single && readSingle(single)]);
}

interface FieldsProps {
  readonly product: Product;
  readonly isOutdated: boolean;
  readonly isChanged: boolean;
  readonly onChanged: (isChanged: boolean) => void;
  readonly onSaved: (product: Product) => void;
}

function Fields({ product, isOutdated, isChanged, onChanged, onSaved }: FieldsProps) {
  const refetch = useRefetch();
  const texts = readTexts(product);
  const draft = `product.${product.id}`;
  const base = readMore(product);
  const [stored, setStored] = useStored<MoreValues | undefined>(`draft.${draft}.more`, undefined);
  const more = stored ?? base;
  const single = product.options.length === 0 ? product.variants[0] : undefined;
  const form = useForm<ProductTexts & SingleTexts, string>(
    async (values) => {
      const own = { ...toProductInput(values, texts), ...toMoreInput(more, base) };
      const changes = single ? withVariant(own, { id: single.id, ...toSingleInput(values, single) }) : own;
      const { product: saved } = await api().products.update({ id: product.id, ...changes });
      toast(`${saved.title} saved.`);
      // Before the form is shown again with what has been saved.
      clearDraft(draft);
      setStored(undefined);
      onChanged(false);
      onSaved(saved);
      await refetch(...affectedByProduct(product.id));
    },
    { draft },
  );
  const hasChanges = isChanged || form.isRestored || stored !== undefined;
  return (
    <form
      {...form.props}
      onInput={(event) => {
        form.props.onInput(event);
        onChanged(true);
      }}
      className="grid gap-4"
    >
      {(form.isRestored || stored !== undefined) && !isChanged && <Notice>Your unsaved changes were restored.</Notice>}
      {isOutdated && (
        <Notice tone="warning">
          The product has been changed meanwhile. Saving overwrites only the fields that you have changed.
        </Notice>
      )}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <ProductFields texts={texts} form={form} variants={single ? undefined : 'saved'} />
      <MoreFields
        slug={texts.slug}
        values={more}
        errors={form.errors}
        onChange={(values) => {
          onChanged(true);
          setStored(values);
        }}
      >
        {single && <SingleVariantFields variant={single} errors={form.errors} />}
      </MoreFields>
      {hasChanges && (
        <SaveBar
          isBusy={form.isBusy}
          onDiscard={() => {
            form.discard();
            setStored(undefined);
            onChanged(false);
          }}
        />
      )}
    </form>
  );
}
