import { useState } from 'react';
import { errorMessage } from '../format/error-message.ts';
import type { Search } from '../routing/search-params.ts';
import { useStored } from '../session/stored.ts';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/toast.tsx';
import type { ViewFields } from './saved-views.ts';

export interface BrowserView {
  readonly label: string;
  readonly search: Search;
}

interface BrowserViewsOfferProps {
  readonly name: string;
  readonly onSave: (fields: ViewFields, search: Search) => Promise<void>;
}

/** Views that an earlier version of the console has kept in this browser. */
export function useBrowserViews(name: string) {
  return useStored<readonly BrowserView[]>(`views.${name}`, []);
}

/** Asks once whether they should be saved on the platform. Those that are not stay in the browser. */
export function BrowserViewsOffer({ name, onSave }: BrowserViewsOfferProps) {
  const [views, setViews] = useBrowserViews(name);
  const [isDeclined, setDeclined] = useStored(`views.${name}.declined`, false);
  const [isBusy, setBusy] = useState(false);
  if (views.length === 0 || isDeclined) return null;
  const save = async () => {
    setBusy(true);
    const left: BrowserView[] = [];
    for (const view of views) {
      try {
        await onSave({ name: view.label, is_shared: false }, view.search);
      } catch (error) {
        left.push(view);
        toast(`The view ${view.label} stays in this browser. ${errorMessage(error)}`);
      }
    }
    setBusy(false);
    setViews(left.length === 0 ? undefined : left);
    if (left.length > 0) setDeclined(true);
  };
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-2 text-sm">
      <span className="mr-auto">
        {views.length === 1 ? 'Keep your view' : `Keep your ${views.length} views`} on every device? So far{' '}
        {views.length === 1 ? 'it is' : 'they are'} in this browser only.
      </span>
      <Button isBusy={isBusy} onClick={() => void save()}>
        {views.length === 1 ? 'Keep it' : 'Keep them'}
      </Button>
      <Button variant="quiet" onClick={() => setDeclined(true)}>
        Not now
      </Button>
    </div>
  );
}
