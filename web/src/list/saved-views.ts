import type { SavedView } from '@chowk/client';
import { keys } from '../api/query-keys.ts';
import { useRefetch } from '../api/use-action.ts';
import { useApi, useCan, useMe } from '../api/use-api.ts';
import { errorMessage } from '../format/error-message.ts';
import type { Search } from '../routing/search-params.ts';
import { api } from '../session/session.ts';
import { toast } from '../ui/toast.tsx';
import { toFilters, toSearch, type ViewList } from './view-filters.ts';

/** What a view has besides its filters. */
export interface ViewFields {
  readonly name: string;
  /** For the whole team. */
  readonly is_shared: boolean;
}

interface ShownView {
  readonly label: string;
  readonly search: Search;
  readonly saved: SavedView;
  /** The author changes a view, and so does who may change settings. */
  readonly canChange: boolean;
}

interface SavedViews {
  /** `undefined` until they are read. */
  readonly views: readonly ShownView[] | undefined;
  readonly create: (fields: ViewFields, search: Search) => Promise<void>;
  readonly rename: (view: SavedView, fields: ViewFields) => Promise<void>;
  readonly replaceFilters: (view: SavedView, search: Search) => Promise<void>;
  readonly remove: (view: SavedView) => Promise<void>;
}

/** The views of a list that the user and the team have saved. */
export function useSavedViews(list: ViewList): SavedViews {
  const key = keys.views(list.action);
  const { data } = useApi(key, (client) => client.views.list({ list: list.action }));
  const me = useMe().data;
  const canEdit = useCan()('settings.edit');
  const refetch = useRefetch();
  const change = async (send: Promise<unknown>) => {
    await send;
    await refetch(key);
  };
  const create = ({ name, is_shared }: ViewFields, filters: SavedView['filters']) =>
    change(api().views.create({ list: list.action, name, is_shared, filters }));
  return {
    views: data?.saved_views.flatMap((saved) => {
      const search = toSearch(list, saved.filters);
      return search ? [{ label: saved.name, search, saved, canChange: canEdit || saved.user_id === me?.id }] : [];
    }),
    create: (fields, search) => create(fields, toFilters(list, search)),
    rename: ({ id }, fields) => change(api().views.update({ id, ...fields })),
    replaceFilters: ({ id }, search) => change(api().views.update({ id, filters: toFilters(list, search) })),
    async remove(view) {
      try {
        await change(api().views.delete({ id: view.id }));
        const undo = () => create(view, view.filters).catch((error: unknown) => toast(errorMessage(error)));
        toast(`View ${view.name} deleted.`, { label: 'Undo', run: () => void undo() });
      } catch (error) {
        toast(errorMessage(error));
      }
    },
  };
}
