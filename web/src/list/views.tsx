import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { count as formatCount } from '../format/numbers.ts';
import { type Search, stringifySearch } from '../routing/search-params.ts';
import { useStored } from '../session/stored.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import { TabBar, TabCount, tabStyle } from '../ui/tabs.tsx';

export interface View {
  readonly label: string;
  /** The filters and the order. */
  readonly search: Search;
  readonly count?: number | undefined;
}

interface ViewsProps {
  /** Under which the user's own views are kept. */
  readonly name: string;
  /** `undefined` until they are known. */
  readonly views: readonly View[] | undefined;
  readonly search: Search;
  readonly onChange: (search: Search) => void;
}

const unknown: readonly View[] = [{ label: 'All', search: {} }];

/** Tabs above a list: sets of filters of ours and of the user. */
export function Views({ name, views: known, search, onChange }: ViewsProps) {
  const views = known ?? unknown;
  const [saved, setSaved] = useStored<readonly View[]>(`views.${name}`, []);
  const current = searchKey(search);
  const isKnown = [...views, ...saved].some((view) => searchKey(view.search) === current);
  const base = findBaseView([...views, ...saved], search);
  return (
    <TabBar label="Views">
      {views.map((view) => (
        <Tab key={view.label} view={view} isCurrent={view === base} onChange={onChange} />
      ))}
      {saved.map((view) => (
        <span key={view.label} className="flex items-center">
          <Tab view={view} isCurrent={view === base} onChange={onChange} />
          {searchKey(view.search) === current && (
            <button
              type="button"
              aria-label={`Delete the view ${view.label}`}
              onClick={() => setSaved(saved.filter((one) => one !== view))}
              className="-ml-2 grid size-8 place-items-center rounded-control text-secondary hover:text-text max-md:size-11"
            >
              <Icon icon={X} size={14} />
            </button>
          )}
        </span>
      ))}
      {known && !isKnown && (
        <SaveView onSave={(label) => setSaved([...saved.filter((one) => one.label !== label), { label, search }])} />
      )}
    </TabBar>
  );
}

function searchKey(search: Search): string {
  return stringifySearch(Object.fromEntries(Object.entries(search).sort()));
}

/** The view that the search is, or that it narrows further. */
function findBaseView(views: readonly View[], search: Search): View | undefined {
  const size = (view: View) => Object.keys(view.search).length;
  return views
    .filter((view) => Object.entries(view.search).every(([key, value]) => search[key] === value))
    .reduce<View | undefined>((best, view) => (best && size(best) >= size(view) ? best : view), undefined);
}

interface TabProps {
  readonly view: View;
  readonly isCurrent: boolean;
  readonly onChange: (search: Search) => void;
}

function Tab({ view: { label, search, count }, isCurrent, onChange }: TabProps) {
  return (
    <button type="button" aria-pressed={isCurrent} onClick={() => onChange(search)} className={tabStyle}>
      {label} {count !== undefined && <TabCount>{formatCount(count)}</TabCount>}
    </button>
  );
}

function SaveView({ onSave }: { readonly onSave: (label: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const trigger = (
    <button
      type="button"
      className="-mb-px inline-flex h-9 items-center gap-1 px-2.5 text-sm whitespace-nowrap text-accent max-md:h-11"
    >
      <Icon icon={Plus} size={14} />
      Save view
    </button>
  );
  return (
    <Popover trigger={trigger} label="Save view" isOpen={isOpen} onOpenChange={setOpen}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const label = String(new FormData(event.currentTarget).get('label')).trim();
          if (label === '') return;
          setOpen(false);
          onSave(label);
        }}
      >
        <Field label="Name of the view" help="Filters and order, kept in this browser.">
          {(control) => <Input {...control} name="label" maxLength={40} autoFocus required />}
        </Field>
        <Button type="submit" variant="primary">
          Save
        </Button>
      </form>
    </Popover>
  );
}
