import type { Client } from '@chowk/client';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Search } from '../routing/search-params.ts';
import { ColumnMenu, useColumns } from './column-choice.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { ExportButton, type ExportFormat } from './export.tsx';
import { type Filter, FilterBar } from './filters.tsx';
import { ListPage } from './list-page.tsx';
import { NoMatch } from './no-match.tsx';
import type { Selection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import type { List } from './use-list.ts';
import type { ViewList } from './view-filters.ts';
import { type View, Views } from './views.tsx';

interface Identified {
  readonly id: string;
}

interface ResourceListProps<Row extends Identified> {
  readonly title: string;
  /** In the singular and in the plural. The browser stores columns under the plural. */
  readonly names: readonly [one: string, all: string];
  readonly icon: LucideIcon;
  readonly list: List<Row>;
  readonly columns: readonly Column<Row>[];
  /** The keys of the columns for which there is room beside an open record. Default: all. */
  readonly columnsBesideRecord?: readonly string[];
  /** For screen readers: what a checkbox selects. */
  readonly rowName: (row: Row) => string;
  /** The filters, the search and the sort order, from the address. */
  readonly search: Search;
  readonly onSearch: (search: Search) => void;
  /** `undefined` until they are known. */
  readonly views: readonly View[] | undefined;
  /** How further views are saved. */
  readonly viewList: ViewList;
  readonly filters: readonly Filter[];
  readonly placeholder: string;
  /** The column of the sort order without `sort_by`, newest first. */
  readonly sortedBy: string;
  readonly openId: string | undefined;
  readonly onOpen: (row: Row) => void;
  /** The open record, or a form for a new one. */
  readonly detail: ReactNode;
  /** Requests the file of an export with these filters; for users who may export. */
  readonly exportFile?: ((client: Client, format: ExportFormat, signal: AbortSignal) => Promise<Response>) | false;
  /** Buttons after the export. */
  readonly actions?: ReactNode;
  /** For users who may change several records at once. */
  readonly selection?: Selection | false;
  readonly selectionActions?: ReactNode;
  /** Instead of the rows, if there are none without filters. */
  readonly empty: ReactNode;
  /** Instead of the rows, if none matches. */
  readonly noMatch?: ReactNode;
  readonly onClear: () => void;
}

/** The page of a list: views, filters, a table of any length, an export, and the record that is open. */
export function ResourceList<Row extends Identified>(props: ResourceListProps<Row>) {
  const { title, names, list, search, onSearch, detail, exportFile, selection } = props;
  const { visible, choice } = useColumns(names[1], props.columns);
  const isFiltered = Object.keys(search).some((key) => !key.startsWith('sort_'));
  const { columnsBesideRecord: beside } = props;
  const columns = detail && beside ? visible.filter(({ key }) => beside.includes(key)) : visible;
  return (
    <ListPage
      title={title}
      detail={detail}
      actions={
        <>
          {exportFile && <ExportButton name={names[1]} total={list.total} read={exportFile} />}
          {props.actions}
        </>
      }
    >
      <Views name={names[1]} list={props.viewList} views={props.views} search={search} onChange={onSearch} />
      <FilterBar
        search={search}
        filters={props.filters}
        placeholder={props.placeholder}
        onChange={onSearch}
        total={list.total}
      >
        <ColumnMenu choice={choice} />
      </FilterBar>
      {selection && <SelectionBar selection={selection}>{props.selectionActions}</SelectionBar>}
      <DataTable
        caption={title}
        list={list}
        columns={columns}
        rowName={props.rowName}
        openId={props.openId}
        onOpen={props.onOpen}
        sort={{ by: search.sort_by ?? props.sortedBy, order: search.sort_order === 'asc' ? 'asc' : 'desc' }}
        onSort={({ by, order }) => onSearch({ ...search, sort_by: by, sort_order: order })}
        {...(selection && { selection })}
        empty={
          isFiltered
            ? (props.noMatch ?? <NoMatch icon={props.icon} names={names} onClear={props.onClear} />)
            : // Beside a new record, the offer to create one would be in the way.
              !detail && props.empty
        }
      />
    </ListPage>
  );
}
