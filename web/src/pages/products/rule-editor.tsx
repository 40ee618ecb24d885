import type { CollectionCondition, CollectionRule, Product } from '@chowk/client';
import { Plus, X } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { count } from '../../format/numbers.ts';
import { useDebounced } from '../../state/debounced.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { fieldLabels, operatorLabels, operatorsFor, type RuleField } from './collection-rule.ts';
import { Thumbnail } from './thumbnail.tsx';

const maxConditions = 20;
const pauseMs = 300;
const firstCondition: CollectionCondition = { field: 'tag', operator: 'is', value: '' };
export const emptyRule: CollectionRule = { match: 'all', conditions: [firstCondition] };

interface RuleEditorProps {
  readonly rule: CollectionRule;
  readonly onChange: (rule: CollectionRule) => void;
  readonly errors: Readonly<Partial<Record<string, string>>>;
}

/** Conditions, and how many products match them. */
export function RuleEditor({ rule, onChange, errors }: RuleEditorProps) {
  const { match = 'all', conditions } = rule;
  const change = (at: number, changes: Partial<CollectionCondition>) =>
    onChange({ match, conditions: conditions.map((one, index) => (index === at ? { ...one, ...changes } : one)) });
  return (
    <div data-own-draft className="grid gap-3">
      <div className="flex items-center gap-2 text-sm">
        Products match
        <div className="w-44">
          <Select
            aria-label="How many conditions must match"
            value={match}
            onChange={({ target }) => onChange({ match: target.value as 'all' | 'any', conditions })}
          >
            <option value="all">all conditions</option>
            <option value="any">any condition</option>
          </Select>
        </div>
      </div>
      <ul className="grid gap-2">
        {conditions.map((condition, index) => (
          <ConditionFields
            // biome-ignore lint/suspicious/noArrayIndexKey: conditions have nothing else
            key={index}
            condition={condition}
            index={index}
            errors={errors}
            onChange={(changes) => change(index, changes)}
            onRemove={
              conditions.length > 1
                ? () => onChange({ match, conditions: conditions.filter((_, at) => at !== index) })
                : undefined
            }
          />
        ))}
      </ul>
      {conditions.length < maxConditions && (
        <Button
          variant="quiet"
          className="-ml-3.5 justify-self-start"
          onClick={() => onChange({ match, conditions: [...conditions, firstCondition] })}
        >
          <Icon icon={Plus} />
          Add a condition
        </Button>
      )}
      <RuleMatches rule={rule} />
    </div>
  );
}

interface ConditionFieldsProps {
  readonly condition: CollectionCondition;
  readonly index: number;
  readonly errors: RuleEditorProps['errors'];
  readonly onChange: (changes: Partial<CollectionCondition>) => void;
  readonly onRemove: (() => void) | undefined;
}

function ConditionFields({ condition, index, errors, onChange, onRemove }: ConditionFieldsProps) {
  const { field, operator, value } = condition;
  const name = `rule.conditions.${index}.value`;
  const error = errors[name] ?? errors[`rule.conditions.${index}.operator`];
  const control = {
    name,
    value,
    'aria-label': `Value of condition ${index + 1}`,
    'aria-invalid': error === undefined ? undefined : true,
    'aria-describedby': error === undefined ? undefined : `${name}-error`,
  } as const;
  const { data } = useApi(keys.products.categories, (client) => client.products.categories(), field === 'category');
  const categories = new Set([value, ...(data?.categories ?? []).map((one) => one.name)]);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] gap-2 sm:grid-cols-[9rem_7rem_minmax(0,1fr)_auto]">
      <Select
        aria-label={`Field of condition ${index + 1}`}
        value={field}
        onChange={({ target }) => {
          const next = target.value as RuleField;
          onChange({ field: next, operator: operatorsFor(next)[0] as CollectionCondition['operator'], value: '' });
        }}
      >
        {Object.entries(fieldLabels).map(([key, label]) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </Select>
      <Select
        aria-label={`Comparison of condition ${index + 1}`}
        value={operator}
        onChange={({ target }) => onChange({ operator: target.value as CollectionCondition['operator'] })}
      >
        {operatorsFor(field).map((one) => (
          <option key={one} value={one}>
            {operatorLabels[one]}
          </option>
        ))}
      </Select>
      <div className="max-sm:col-span-2 max-sm:row-start-2">
        {field === 'category' && categories.size > 1 ? (
          <Select {...control} onChange={({ target }) => onChange({ value: target.value })}>
            {[...categories].map((one) => (
              <option key={one} value={one}>
                {one || 'Choose a category'}
              </option>
            ))}
          </Select>
        ) : (
          <Input
            {...control}
            inputMode={field === 'price' || field === 'stock' ? 'decimal' : 'text'}
            maxLength={255}
            autoComplete="off"
            onChange={({ target }) => onChange({ value: target.value })}
          />
        )}
        {error !== undefined && (
          <p id={`${name}-error`} className="mt-1 text-xs text-error">
            {error}
          </p>
        )}
      </div>
      {onRemove && (
        <IconButton label={`Remove condition ${index + 1}`} onClick={onRemove}>
          <Icon icon={X} />
        </IconButton>
      )}
    </li>
  );
}

function RuleMatches({ rule }: { readonly rule: CollectionRule }) {
  const settled = useDebounced(rule, pauseMs);
  const isComplete = settled.conditions.every(({ value }) => value.trim() !== '');
  const { data, error } = useApi(
    keys.collections.preview(settled),
    (client) => client.products.previewCollection({ rule: settled }),
    isComplete,
  );
  const text = !isComplete
    ? 'Complete the conditions to see which products match.'
    : error
      ? errorMessage(error)
      : data === undefined
        ? 'Counting…'
        : data.total === 1
          ? '1 product matches.'
          : `${count(data.total)} products match.`;
  return (
    <div className="grid min-h-24 content-start gap-2 rounded-panel bg-sunken px-4 py-3">
      <p role="status" className="text-sm font-medium">
        {text}
      </p>
      {isComplete && !error && data && data.products.length > 0 && <ProductNames products={data.products} />}
    </div>
  );
}

function ProductNames({ products }: { readonly products: readonly Product[] }) {
  return (
    <ul className="grid gap-1">
      {products.map(({ id, title, images }) => (
        <li key={id} className="flex min-w-0 items-center gap-2 text-sm">
          <Thumbnail image={images[0]} className="size-6" />
          <span className="truncate">{title}</span>
        </li>
      ))}
    </ul>
  );
}
