import { type Collection, type CollectionRule, type NewCollection, productsLimits } from '@chowk/client';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { clearDraft } from '../../form/draft.ts';
import { useForm } from '../../form/use-form.ts';
import { useStored } from '../../session/stored.ts';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { type ChosenProduct, ChosenProducts } from './chosen-products.tsx';
import { emptyRule, RuleEditor } from './rule-editor.tsx';

const limits = productsLimits.createCollection;

interface Texts {
  readonly title: string;
  readonly slug: string;
  readonly description: string;
}

/** Which products it has. */
interface Content {
  readonly kind: 'chosen' | 'rule';
  readonly rule: CollectionRule;
  readonly products: readonly ChosenProduct[];
}

interface CollectionFormProps {
  /** Under which unsaved changes are kept. */
  readonly draft: string;
  readonly collection?: Collection;
  readonly products: readonly ChosenProduct[];
  readonly action: string;
  readonly onSave: (input: NewCollection) => Promise<void>;
}

export function CollectionForm({ draft, collection, products, action, onSave }: CollectionFormProps) {
  const saved: Content = { kind: collection?.rule ? 'rule' : 'chosen', rule: collection?.rule ?? emptyRule, products };
  const [stored, setStored] = useStored<Content | undefined>(`draft.${draft}.content`, undefined);
  const content = stored ?? saved;
  const [isChanged, setChanged] = useState(false);
  const change = (changes: Partial<Content>) => {
    setChanged(true);
    setStored({ ...content, ...changes });
  };
  const clear = () => {
    clearDraft(draft);
    setStored(undefined);
    setChanged(false);
  };
  const form = useForm<Texts, string>(
    async (texts) => {
      await onSave(toInput(texts, content));
      clear();
    },
    { draft },
  );
  const wasRestored = (form.isRestored || stored !== undefined) && !isChanged;
  const discard = () => {
    form.discard();
    clear();
  };
  return (
    <form
      {...form.props}
      onInput={(event) => {
        form.props.onInput(event);
        setChanged(true);
      }}
      className="grid min-w-0 gap-5"
    >
      {wasRestored && <RestoredNotice onDiscard={discard} />}
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Title" {...form.field('title')}>
        {(control) => (
          <Input {...control} maxLength={limits.title} defaultValue={collection?.title} autoFocus={!collection} />
        )}
      </Field>
      <Field label="Description" {...form.field('description')}>
        {(control) => <TextArea {...control} rows={3} defaultValue={collection?.description} />}
      </Field>
      <Field label="Slug" {...form.field('slug')} help="For web addresses. Derived from the title if it is empty.">
        {(control) => <Input {...control} maxLength={limits.slug} defaultValue={collection?.slug} autoComplete="off" />}
      </Field>
      <fieldset className="grid gap-3" data-own-draft>
        <legend className="mb-1 font-semibold">Products</legend>
        <div className="flex flex-wrap gap-x-6">
          <Kind name="chosen" content={content} onChoose={() => change({ kind: 'chosen' })}>
            Choose one by one
          </Kind>
          <Kind name="rule" content={content} onChoose={() => change({ kind: 'rule' })}>
            All that match a rule
          </Kind>
        </div>
        {content.kind === 'rule' ? (
          <RuleEditor rule={content.rule} onChange={(rule) => change({ rule })} errors={form.errors} />
        ) : (
          <ChosenProducts
            products={content.products}
            onChange={(next) => change({ products: next })}
            error={Object.entries(form.errors).find(([name]) => name.startsWith('products'))?.[1]}
          />
        )}
      </fieldset>
      {(!collection || isChanged || wasRestored) && (
        <SaveBar isBusy={form.isBusy} action={action} onDiscard={collection ? discard : undefined} />
      )}
    </form>
  );
}

interface KindProps {
  readonly name: Content['kind'];
  readonly content: Content;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

function Kind({ name, content, onChoose, children }: KindProps) {
  return (
    <label className="inline-flex min-h-8 items-center gap-2.5 max-md:min-h-11">
      <input
        type="radio"
        name="kind"
        className="size-4 accent-accent"
        checked={content.kind === name}
        onChange={onChoose}
      />
      {children}
    </label>
  );
}

function toInput({ title, slug, description }: Texts, { kind, rule, products }: Content): NewCollection {
  const texts = {
    title: title.trim(),
    description: description.replaceAll('\r\n', '\n'),
    ...(slug.trim() !== '' && { slug: slug.trim() }),
  };
  if (kind === 'chosen') return { ...texts, rule: null, products: products.map(({ id }) => id) };
  const conditions = rule.conditions.map((condition) => ({ ...condition, value: condition.value.trim() }));
  return { ...texts, rule: { ...rule, conditions } };
}
