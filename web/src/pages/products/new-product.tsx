import type { NewProduct, ProductImage } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { affectedByProduct } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { submit } from '../../form/submission.ts';
import { readValues, useForm } from '../../form/use-form.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { api } from '../../session/session.ts';
import { useStored } from '../../session/stored.ts';
import { Needs } from '../../shell/needs.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { toast } from '../../ui/toast.tsx';
import { ImageEditor } from './image-editor.tsx';
import { MoreFields, type MoreValues, toMoreInput } from './more-fields.tsx';
import { emptyTexts, ProductFields, type ProductTexts, toProductInput } from './product-fields.tsx';
import { type SingleTexts, SingleVariantFields, toSingleInput } from './single-variant.tsx';
import { emptyVariants, type VariantDraft } from './variant-draft.ts';
import { VariantEditor } from './variant-editor.tsx';
import { toVariantInput } from './variant-input.ts';

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

type NewProductValues = ProductTexts & SingleTexts & { readonly stock?: string };

/** What is not a text of the form. */
interface Extras extends MoreValues {
  readonly images: readonly ProductImage[];
  readonly variants: VariantDraft;
}

const noExtras: Extras = { images: [], variants: emptyVariants, metadata: [], external_ids: [] };

function toInput(values: NewProductValues, { images, variants, ...more }: Extras): NewProduct {
  const product = {
    ...toProductInput(values),
    ...toMoreInput(more, noExtras),
    images: images.map(({ id, alt }) => ({ id, alt })),
  };
  if (variants.options.length > 0) return { ...product, ...toVariantInput(variants) };
  const units = values.stock?.trim() ?? '';
  // What is no number is reported by the platform.
  const stock = units === '' ? 0 : /^\d+$/.test(units) ? Number(units) : (units as unknown as number);
  const single = toSingleInput(values);
  if (Object.keys(single).length === 0) return { ...product, stock };
  return { ...product, variants: [{ ...single, compare_at_price: product.compare_at_price, stock }] };
}

function NewProductForm() {
  const search = useSearch({ from: '/shell/products' });
  const navigate = useNavigate();
  const refetch = useRefetch();
  const [extras, setExtras] = useStored<Extras>(`draft.${draft}.extras`, noExtras);
  const change = (changes: Partial<Extras>) => setExtras({ ...extras, ...changes });
  const { images, variants } = extras;
  const hasOptions = variants.options.length > 0;
  const form = useForm<NewProductValues, string>(
    async (values) => {
      const { product } = await submit(draft, api().products.create, toInput(values, extras));
      toast(`${product.title} created.`);
      setExtras(undefined);
      void refetch(...affectedByProduct(product.id));
      await navigate({ to: '/products/$id', params: { id: product.id }, search });
    },
    { draft },
  );
  const [typed, setTyped] = useState({ sku: '', price: '' });
  const fields = useRef<HTMLDivElement>(null);
  const readDefaults = () => {
    const element = fields.current?.closest('form');
    const { sku = '', price = '' } = element ? readValues<NewProductValues>(element) : {};
    setTyped({ sku, price });
  };
  // They may have been restored.
  useEffect(readDefaults, []);
  const discard = () => {
    form.discard();
    setExtras(undefined);
  };
  const wasRestored = useRef(extras !== noExtras);
  return (
    <form
      {...form.props}
      onInput={(event) => {
        form.props.onInput(event);
        readDefaults();
      }}
      // The grid of variants has the whole width.
      data-wide={hasOptions || undefined}
      className="grid min-w-0 gap-6"
    >
      {(form.isRestored || (wasRestored.current && extras !== noExtras)) && <RestoredNotice onDiscard={discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <div ref={fields} className="grid max-w-2xl gap-4">
        <ProductFields texts={emptyTexts} form={form} hasFocus variants={hasOptions ? 'new' : undefined} />
        {!hasOptions && (
          <Field
            label="Units on hand"
            name="stock"
            error={form.errors.stock ?? form.errors['variants.0.stock']}
            help="Changes are recorded from then on."
          >
            {(control) => (
              <Input {...control} inputMode="numeric" placeholder="0" className="numeric max-w-40" autoComplete="off" />
            )}
          </Field>
        )}
      </div>
      <NewImages images={images} onChange={(next) => change({ images: next })} />
      <Section title="Variants" lead="For products in several sizes, colors or other choices.">
        <VariantEditor
          draft={variants}
          onChange={(next) => change({ variants: next })}
          errors={form.errors}
          images={images}
          defaults={typed}
          hasGrid={hasOptions}
        />
      </Section>
      <MoreFields slug="" values={extras} onChange={change} errors={form.errors}>
        {!hasOptions && <SingleVariantFields errors={form.errors} />}
      </MoreFields>
      <SaveBar isBusy={form.isBusy} action="Create product" />
    </form>
  );
}

interface NewImagesProps {
  readonly images: readonly ProductImage[];
  readonly onChange: (images: readonly ProductImage[]) => void;
}

/** Uploaded before the product is saved, which then names them. */
function NewImages({ images, onChange }: NewImagesProps) {
  const latest = useRef(images);
  const set = (next: readonly ProductImage[]) => {
    latest.current = next;
    onChange(next);
  };
  useEffect(() => {
    latest.current = images;
  }, [images]);
  return (
    <ImageEditor
      images={images}
      upload={async (file, send) => {
        const { image } = await api().products.uploadImage({ file, alt: '' }, { fetch: send });
        set([...latest.current, image]);
      }}
      onMove={(image, position) => set(images.filter((one) => one !== image).toSpliced(position - 1, 0, image))}
      onDescribe={(image, alt) => set(images.map((one) => (one === image ? { ...one, alt } : one)))}
      onDelete={(image) => set(images.filter((one) => one !== image))}
    />
  );
}
