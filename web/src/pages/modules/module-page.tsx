import type { ConsoleContent, ConsoleEntry, ConsoleField } from '@chowk/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CircleHelp } from 'lucide-react';
import { useMemo } from 'react';
import { keys } from '../../api/query-keys.ts';
import { type Column, DataTable } from '../../list/data-table.tsx';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { type Filter, FilterBar } from '../../list/filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { perPage } from '../../list/list-pages.ts';
import { NoMatch } from '../../list/no-match.tsx';
import { useList } from '../../list/use-list.ts';
import { ActionButtons } from '../../modules/action-buttons.tsx';
import { entryKey, useEntries } from '../../modules/entries.ts';
import { EntryContent, RecordFields } from '../../modules/entry-content.tsx';
import { type IdentifiedRow, readContent } from '../../modules/entry-data.ts';
import { FieldValue, isNumber } from '../../modules/field-value.tsx';
import { useLostModule } from '../../modules/lost-module.ts';
import type { Search } from '../../routing/search-params.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { namedIcons } from '../../ui/named-icons.ts';
import { Page } from '../../ui/page.tsx';

const from = '/shell/modules/$module/$entry';

/** A page that a module declares. */
export function ModulePage() {
  const { module, entry: name } = useParams({ from });
  const entry = useEntries('page').find((one) => one.module === module && one.name === name);
  if (!entry) return <NoPage />;
  const { content, title } = entry;
  if (content?.is_list) return <EntryList key={entryKey(entry)} entry={entry} content={content} />;
  return (
    <Page key={entryKey(entry)} title={title} actions={<ActionButtons entry={entry} id={undefined} />}>
      <EntryContent entry={entry} />
    </Page>
  );
}

function NoPage() {
  return (
    <Page title="This page is not available">
      <EmptyState icon={CircleHelp} title="Nothing to show here">
        The module of this page is disabled, or your role may not see it. An owner of the organization can change both.
      </EmptyState>
    </Page>
  );
}

interface EntryListProps {
  readonly entry: ConsoleEntry;
  readonly content: ConsoleContent;
}

function EntryList({ entry, content }: EntryListProps) {
  const { open, ...all } = useSearch({ from }) as Search;
  const names = new Set(['search', 'sort_by', 'sort_order', ...content.filters.map((filter) => filter.name)]);
  const search: Search = Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
  const navigate = useNavigate({ from: '/modules/$module/$entry' });
  const show = (next: Search) => void navigate({ search: next, replace: next.search !== search.search });
  const list = useList(keys.moduleEntry(entry.module, entry.name, search), async (client, page) => {
    const { rows, total } = await readContent(client, content, { ...search, ...(content.is_paged && page) });
    return { rows: content.is_paged ? rows : rows.slice((page.page - 1) * perPage, page.page * perPage), total };
  });
  useLostModule(list.error);
  const columns = useMemo(() => content.columns.map((field, index) => toColumn(field, index, content)), [content]);
  const close = () => show(search);
  const row = list.loaded.find(({ id }) => id === open)?.row;
  const [first] = content.columns;
  const icon = namedIcons[entry.icon] ?? CircleHelp;
  const isFiltered = Object.keys(search).some((name) => !name.startsWith('sort_'));
  return (
    <ListPage
      title={entry.title}
      actions={<ActionButtons entry={entry} id={undefined} />}
      detail={
        open !== undefined &&
        list.total !== undefined && (
          <DetailPanel
            key={open}
            title={row ? String(row[first?.name ?? ''] ?? entry.title) : undefined}
            error={row ? null : new Error('There is no such record among those that are shown.')}
            onClose={close}
          >
            {row && (
              <>
                <RecordFields content={content} row={row} />
                <div className="flex flex-wrap gap-2">
                  <ActionButtons entry={entry} id={undefined} row={row} onDone={close} />
                </div>
              </>
            )}
          </DetailPanel>
        )
      }
    >
      <FilterBar
        search={search}
        onChange={show}
        filters={content.filters.map(toFilter)}
        {...(content.has_search && { placeholder: `Search ${entry.title.toLowerCase()}` })}
        total={list.total}
      />
      <DataTable
        caption={entry.title}
        list={list}
        columns={columns}
        rowName={({ row: one }) => String(one[first?.name ?? ''] ?? '')}
        openId={open}
        onOpen={({ id }) => void navigate({ search: { ...search, open: id } })}
        sort={{
          by: search.sort_by ?? content.sorts[0] ?? '',
          order: search.sort_order === 'asc' ? 'asc' : 'desc',
        }}
        onSort={({ by, order }) => show({ ...search, sort_by: by, sort_order: order })}
        empty={
          isFiltered ? (
            <NoMatch icon={icon} names={['entry', 'entries']} onClear={() => show({})} />
          ) : (
            <EmptyState icon={icon} title="There is nothing here yet">
              {entry.title} appear here.
            </EmptyState>
          )
        }
      />
    </ListPage>
  );
}

/** The columns that a phone has room for. */
const onPhone = 2;

function toColumn(field: ConsoleField, index: number, { sorts }: ConsoleContent): Column<IdentifiedRow> {
  return {
    key: field.name,
    label: field.label,
    isNumber: isNumber(field),
    isOnPhone: index < onPhone,
    ...(sorts.includes(field.name) && { sortBy: field.name }),
    ...(index > 0 && field.kind !== 'text' && field.kind !== 'long_text' && { width: '9rem' }),
    cell: ({ id, row }) =>
      index > 0 ? (
        <FieldValue field={field} row={row} />
      ) : (
        <Link
          to="."
          search={(search: Search) => ({ ...search, open: id })}
          className="block min-w-0 truncate font-medium hover:underline"
        >
          <FieldValue field={field} row={row} />
        </Link>
      ),
  };
}

function toFilter({ name, label, kind, options }: ConsoleField): Filter {
  const choices = kind === 'boolean' ? ['true', 'false'] : options;
  return {
    key: name,
    label,
    ...(choices.length > 0 && { options: choices.map((one) => [one, one] as const) }),
    ...(kind === 'number' && { type: 'number' as const }),
    ...(kind === 'date' && { type: 'date' as const }),
  };
}
