import { productsLimits } from '@chowk/client';
import { ChevronRight, Plus, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';

/** Names and values, while they are edited. */
export type Pairs = readonly (readonly [name: string, value: string])[];

export interface MoreValues {
  readonly metadata: Pairs;
  readonly external_ids: Pairs;
}

interface MoreFieldsProps {
  readonly slug: string;
  readonly values: MoreValues;
  readonly onChange: (values: MoreValues) => void;
  readonly errors: Readonly<Partial<Record<string, string>>>;
  /** The fields of the only variant of a product without options. */
  readonly children?: ReactNode;
}

/** What few products need, folded until it is wanted or has an error. */
export function MoreFields({ slug, values, onChange, errors, children }: MoreFieldsProps) {
  const [isOpen, setOpen] = useState(false);
  const errorOn = (field: string) => Object.entries(errors).find(([name]) => name.split('.')[0] === field)?.[1];
  const fields = ['slug', 'metadata', 'external_ids', ...(children ? ['variants'] : [])];
  const hasError = fields.some((field) => errorOn(field));
  const element = useRef<HTMLDetailsElement>(null);
  // A folded field could not get the focus when the form was sent.
  useEffect(() => {
    if (!hasError) return;
    const invalid = element.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid=true]');
    if (invalid) invalid.focus();
    else element.current?.scrollIntoView({ block: 'nearest' });
  }, [hasError]);
  return (
    <details
      ref={element}
      open={isOpen || hasError}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group border-t border-line pt-2"
    >
      <summary className="-ml-1 inline-flex h-9 cursor-pointer list-none items-center gap-1.5 rounded-control px-1 font-medium text-secondary hover:text-text max-md:h-11">
        <Icon icon={ChevronRight} className="transition-transform group-open:rotate-90" />
        More
      </summary>
      <div className="grid max-w-2xl gap-5 pt-3">
        {children}
        <Field
          label="Slug"
          name="slug"
          error={errorOn('slug')}
          help="For web addresses. Derived from the title if it is empty."
        >
          {(control) => (
            <Input {...control} maxLength={productsLimits.create.slug} defaultValue={slug} autoComplete="off" />
          )}
        </Field>
        <PairList
          title="Metadata"
          help="Texts of your own."
          labels={['Name', 'Text']}
          pairs={values.metadata}
          onChange={(metadata) => onChange({ ...values, metadata })}
          error={errorOn('metadata')}
        />
        <PairList
          title="Ids on other platforms"
          help="Such as shopify and 7712."
          labels={['Platform', 'Id']}
          pairs={values.external_ids}
          onChange={(external_ids) => onChange({ ...values, external_ids })}
          error={errorOn('external_ids')}
        />
      </div>
    </details>
  );
}

interface PairListProps {
  readonly title: string;
  readonly help: string;
  readonly labels: readonly [name: string, value: string];
  readonly pairs: Pairs;
  readonly onChange: (pairs: Pairs) => void;
  readonly error: string | undefined;
}

function PairList({ title, help, labels, pairs, onChange, error }: PairListProps) {
  const change = (at: number, pair: Pairs[number]) => onChange(pairs.map((one, index) => (index === at ? pair : one)));
  return (
    <fieldset data-own-draft className="grid min-w-0 gap-2">
      <legend className="mb-1.5 text-sm font-medium">{title}</legend>
      {pairs.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are typed
        <div key={index} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] gap-2">
          <Input
            aria-label={`${title}: ${labels[0]} ${index + 1}`}
            placeholder={labels[0]}
            value={name}
            maxLength={100}
            autoComplete="off"
            onChange={({ target }) => change(index, [target.value, value])}
          />
          <Input
            aria-label={`${title}: ${labels[1]} ${index + 1}`}
            placeholder={labels[1]}
            value={value}
            autoComplete="off"
            onChange={({ target }) => change(index, [name, target.value])}
          />
          <IconButton
            label={`Remove ${name || 'this line'}`}
            onClick={() => onChange(pairs.filter((_, at) => at !== index))}
          >
            <Icon icon={X} />
          </IconButton>
        </div>
      ))}
      <div className="flex items-center justify-between gap-3">
        <Button variant="quiet" className="-ml-3.5" onClick={() => onChange([...pairs, ['', '']])}>
          <Icon icon={Plus} />
          Add
        </Button>
        <span className={`text-xs ${error === undefined ? 'text-faint' : 'text-error'}`}>{error ?? help}</span>
      </div>
    </fieldset>
  );
}

export function readMore({ metadata, external_ids }: Record<keyof MoreValues, Readonly<Record<string, string>>>) {
  return { metadata: Object.entries(metadata), external_ids: Object.entries(external_ids) };
}

/** What the platform takes, of the lists that differ from `base`. */
export function toMoreInput(
  values: MoreValues,
  base: MoreValues,
): Partial<Record<keyof MoreValues, Record<string, string>>> {
  const changed = (['metadata', 'external_ids'] as const).filter(
    (name) => JSON.stringify(values[name]) !== JSON.stringify(base[name]),
  );
  return Object.fromEntries(
    changed.map((field) => {
      const filled = values[field].filter(([name, value]) => name.trim() !== '' || value.trim() !== '');
      return [field, Object.fromEntries(filled.map(([name, value]) => [name.trim(), value.trim()]))];
    }),
  );
}
