import { ListFilter, Search as SearchIcon, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { count } from '../format/numbers.ts';
import { useKeys } from '../keyboard/keys.ts';
import type { Search } from '../routing/search-params.ts';
import { today } from '../time/times.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, Select } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import { type Days, usualPeriods } from './usual-periods.ts';

export interface Filter {
  /** The parameter of the list's action, and of the address. */
  readonly key: string;
  readonly label: string;
  readonly help?: string;
  /** Default: a line of text. */
  readonly type?: 'number' | 'date';
  /** The parameter of the last day, if this one is the first: usual periods are then offered at once. */
  readonly until?: string;
  /** A choice of values and what they are called. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  /** Values that the browser offers while the user types. */
  readonly suggestions?: readonly string[];
}

interface FilterBarProps {
  readonly search: Search;
  readonly onChange: (search: Search) => void;
  /** What can be searched, for the search field: `Search name, phone or email`. Without it, there is none. */
  readonly placeholder?: string;
  readonly filters: readonly Filter[];
  /** The number of rows, shown where there is room. */
  readonly total?: number | undefined;
  /** At the right end. */
  readonly children?: ReactNode;
}

/** The search field, the filters and those that are set. Changes go to the address. */
export function FilterBar({ search, onChange, placeholder, filters, total, children }: FilterBarProps) {
  const set = filters.filter(({ key }) => search[key] !== undefined);
  return (
    <div className="flex flex-wrap items-center gap-2 pt-3 pb-2 print:py-0">
      {placeholder !== undefined && (
        <SearchField
          value={search.search ?? ''}
          placeholder={placeholder}
          onChange={(text) => onChange({ ...search, search: text || undefined })}
        />
      )}
      {filters.length > 0 && <FilterForm search={search} filters={filters} onChange={onChange} setCount={set.length} />}
      {set.map((filter) => (
        <span
          key={filter.key}
          className="inline-flex h-8 items-center gap-1 rounded-control bg-accent-tint pl-2.5 text-sm text-accent-strong max-md:h-11"
        >
          {filter.label}: {filterLabel(filter, search[filter.key] as string)}
          <button
            type="button"
            aria-label={`Remove the filter ${filter.label}`}
            onClick={() => onChange({ ...search, [filter.key]: undefined })}
            className="grid h-full w-8 place-items-center rounded-control hover:text-text max-md:w-11"
          >
            <Icon icon={X} size={14} />
          </button>
        </span>
      ))}
      <span className="numeric ml-auto px-1 text-sm text-secondary max-md:hidden">
        {total !== undefined && count(total)}
      </span>
      {children}
    </div>
  );
}

function filterLabel({ options }: Filter, value: string): string {
  return options?.find(([one]) => one === value)?.[1] ?? value;
}

interface SearchFieldProps {
  readonly value: string;
  readonly placeholder: string;
  readonly onChange: (text: string) => void;
}

const pauseMs = 200;

/** Searches when the typing pauses. */
function SearchField({ value, placeholder, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef(value);
  useEffect(() => {
    // Back, or another view.
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      onChange(text);
    }, pauseMs);
    return () => clearTimeout(timer);
  });
  useKeys([{ key: '/', label: 'Search the list', run: () => field.current?.focus() }]);
  return (
    <div className="relative w-72 max-md:w-auto max-md:min-w-48 max-md:flex-1">
      <Icon
        icon={SearchIcon}
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-secondary"
      />
      <Input
        ref={field}
        type="search"
        aria-label={placeholder}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // The browser would clear the field.
          event.preventDefault();
          event.currentTarget.blur();
        }}
        className="pl-8 text-ellipsis"
      />
    </div>
  );
}

interface FilterFormProps {
  readonly search: Search;
  readonly filters: readonly Filter[];
  readonly onChange: (search: Search) => void;
  readonly setCount: number;
}

function FilterForm({ search, filters, onChange, setCount }: FilterFormProps) {
  const [isOpen, setOpen] = useState(false);
  const trigger = (
    <Button>
      <Icon icon={ListFilter} />
      Filter
      {setCount > 0 && <span className="sr-only">, {setCount} set</span>}
    </Button>
  );
  return (
    <Popover trigger={trigger} label="Filters" isOpen={isOpen} onOpenChange={setOpen}>
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
          onChange({ ...search, ...Object.fromEntries(filters.map(({ key }) => [key, values[key] || undefined])) });
          setOpen(false);
        }}
      >
        {filters.map(({ key, label, help, type = 'text', until, options, suggestions }) => (
          <Field
            key={key}
            label={label}
            help={help}
            aside={
              until !== undefined && (
                <Presets
                  onChoose={([from, to]) => {
                    onChange({ ...search, [key]: from, [until]: to });
                    setOpen(false);
                  }}
                />
              )
            }
          >
            {(control) =>
              options ? (
                <Select {...control} name={key} defaultValue={search[key] ?? ''}>
                  <option value="">Any</option>
                  {options.map(([value, text]) => (
                    <option key={value} value={value}>
                      {text}
                    </option>
                  ))}
                </Select>
              ) : (
                <>
                  <Input
                    {...control}
                    name={key}
                    type={type}
                    step={type === 'number' ? 'any' : undefined}
                    list={suggestions && `${control.id}-list`}
                    defaultValue={search[key] ?? ''}
                  />
                  {suggestions && (
                    <datalist id={`${control.id}-list`}>
                      {suggestions.map((value) => (
                        <option key={value} value={value} />
                      ))}
                    </datalist>
                  )}
                </>
              )
            }
          </Field>
        ))}
        <div className="sticky -bottom-4 -m-4 bg-raised p-4">
          <Button type="submit" variant="primary" className="w-full">
            Apply
          </Button>
        </div>
      </form>
    </Popover>
  );
}

function Presets({ onChoose }: { readonly onChoose: (days: Days) => void }) {
  return (
    <select
      aria-label="Usual periods"
      value=""
      onChange={({ target }) => {
        const days = usualPeriods.find(([label]) => label === target.value)?.[1];
        if (days) onChoose(days(today()));
      }}
      className="h-5 max-w-32 cursor-pointer rounded-control bg-transparent text-right text-sm text-accent max-md:h-8"
    >
      <option value="">Usual periods</option>
      {usualPeriods.map(([label]) => (
        <option key={label}>{label}</option>
      ))}
    </select>
  );
}
