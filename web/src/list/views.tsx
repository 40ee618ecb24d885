import type { SavedView } from '@chowk/client';
import { Ellipsis, Plus, UsersRound, X } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { count as formatCount } from '../format/numbers.ts';
import { type Search, stringifySearch } from '../routing/search-params.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Popover } from '../ui/popover.tsx';
import { TabBar, TabCount, tabStyle } from '../ui/tabs.tsx';
import { BrowserViewsOffer, useBrowserViews } from './browser-views.tsx';
import { useSavedViews, type ViewFields } from './saved-views.ts';
import { normalizeSearch, type ViewList } from './view-filters.ts';
import { ViewForm } from './view-form.tsx';

export interface View {
  readonly label: string;
  /** The filters and the order. */
  readonly search: Search;
  readonly count?: number | undefined;
}

interface ViewsProps {
  /** Under which an earlier version has kept views in the browser. */
  readonly name: string;
  readonly list: ViewList;
  /** `undefined` until they are known. */
  readonly views: readonly View[] | undefined;
  readonly search: Search;
  readonly onChange: (search: Search) => void;
}

const unknown: readonly View[] = [{ label: 'All', search: {} }];

/** Tabs above a list: sets of filters of ours, of the team and of the user. */
export function Views({ name, list, views: known, search: typed, onChange }: ViewsProps) {
  const views = known ?? unknown;
  const { views: read, create, rename, replaceFilters, remove } = useSavedViews(list);
  const saved = read ?? [];
  const [kept, setKept] = useBrowserViews(name);
  const search = normalizeSearch(list, typed);
  const all = [...views, ...saved, ...kept];
  const isCurrent = (view: View) => searchKey(view.search) === searchKey(search);
  const base = findBaseView(all, search);
  const narrowed = saved.find((view) => view === base && view.canChange)?.saved;
  return (
    <>
      <TabBar label="Views">
        {views.map((view) => (
          <Tab key={view.label} view={view} isCurrent={view === base} onChange={onChange} />
        ))}
        {saved.map((view) => (
          <span key={view.saved.id} className="flex items-center">
            <Tab view={view} isCurrent={view === base} isShared={view.saved.is_shared} onChange={onChange} />
            {isCurrent(view) && view.canChange && (
              <ChangeView
                view={view.saved}
                onSave={(fields) => rename(view.saved, fields)}
                onDelete={() => void remove(view.saved)}
              />
            )}
          </span>
        ))}
        {kept.map((view) => (
          <span key={view.label} className="flex items-center">
            <Tab view={view} isCurrent={view === base} onChange={onChange} />
            {isCurrent(view) && (
              <button
                type="button"
                aria-label={`Delete the view ${view.label}`}
                onClick={() => setKept(kept.filter((one) => one !== view))}
                className={besideTab}
              >
                <Icon icon={X} size={14} />
              </button>
            )}
          </span>
        ))}
        {known && read && !all.some(isCurrent) && (
          <SaveView
            narrowed={narrowed}
            onSave={(fields) => create(fields, search)}
            onReplace={(view) => replaceFilters(view, search)}
          />
        )}
      </TabBar>
      <BrowserViewsOffer name={name} onSave={create} />
    </>
  );
}

const besideTab = '-ml-2 grid size-8 place-items-center rounded-control text-secondary hover:text-text max-md:size-11';

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
  readonly isShared?: boolean;
  readonly onChange: (search: Search) => void;
}

function Tab({ view: { label, search, count }, isCurrent, isShared = false, onChange }: TabProps) {
  return (
    <button
      type="button"
      aria-pressed={isCurrent}
      title={isShared ? 'For the whole team' : undefined}
      onClick={() => onChange(search)}
      className={tabStyle}
    >
      {isShared && <Icon icon={UsersRound} size={14} className="mr-1.5" />}
      {label} {count !== undefined && <TabCount>{formatCount(count)}</TabCount>}
    </button>
  );
}

interface SaveViewProps {
  /** The view whose filters were changed. */
  readonly narrowed: SavedView | undefined;
  readonly onSave: (fields: ViewFields) => Promise<void>;
  readonly onReplace: (view: SavedView) => Promise<void>;
}

function SaveView({ narrowed, onSave, onReplace }: SaveViewProps) {
  const [isOpen, setOpen] = useState(false);
  const replace = useAction((_, view: SavedView) => onReplace(view), {
    affects: [],
    done: (_, { name }) => `View ${name} changed.`,
  });
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
      <ViewForm onSave={onSave}>
        {narrowed && (
          <Button isBusy={replace.isPending} onClick={() => replace.mutate(narrowed)}>
            <span className="max-w-60 truncate">Change {narrowed.name} instead</span>
          </Button>
        )}
      </ViewForm>
    </Popover>
  );
}

interface ChangeViewProps {
  readonly view: SavedView;
  readonly onSave: (fields: ViewFields) => Promise<void>;
  readonly onDelete: () => void;
}

function ChangeView({ view, onSave, onDelete }: ChangeViewProps) {
  const [isOpen, setOpen] = useState(false);
  const trigger = (
    <button type="button" aria-label={`Change the view ${view.name}`} className={besideTab}>
      <Icon icon={Ellipsis} size={14} />
    </button>
  );
  return (
    <Popover trigger={trigger} label="Change the view" isOpen={isOpen} onOpenChange={setOpen}>
      <ViewForm
        view={view}
        onSave={async (fields) => {
          await onSave(fields);
          setOpen(false);
        }}
      >
        <Button variant="quiet" onClick={onDelete}>
          Delete view
        </Button>
      </ViewForm>
    </Popover>
  );
}
