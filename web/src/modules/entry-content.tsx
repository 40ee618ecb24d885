import type { ConsoleContent, ConsoleEntry } from '@chowk/client';
import { keys } from '../api/query-keys.ts';
import { useApi } from '../api/use-api.ts';
import { Loading } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { Cell, HeaderCell, Table } from '../ui/table.tsx';
import { ActionButtons } from './action-buttons.tsx';
import { entryKey, useEntries } from './entries.ts';
import { EntryBoundary } from './entry-boundary.tsx';
import { parentInput, type Row, readContent } from './entry-data.ts';
import { FieldValue, isNumber } from './field-value.tsx';
import { useLostModule } from './lost-module.ts';
import { ModuleComponent } from './module-component.tsx';

interface EntryProps {
  readonly entry: ConsoleEntry;
  /** The customer or the order of a section. */
  readonly id?: string | undefined;
}

/** What modules show at a place that has sections. */
export function EntrySections({ place, id }: { readonly place: ConsoleEntry['place']; readonly id?: string }) {
  return useEntries(place).map((entry) => (
    <Section key={entryKey(entry)} title={entry.title} actions={<SectionActions entry={entry} id={id} />}>
      <EntryContent entry={entry} id={id} />
    </Section>
  ));
}

export function SectionActions({ entry, id }: EntryProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <ActionButtons entry={entry} id={id} />
    </div>
  );
}

/** A component of the module, or what its action returns. */
export function EntryContent({ entry, id }: EntryProps) {
  const { content, script, title } = entry;
  return (
    <EntryBoundary key={script} title={title}>
      {script !== null ? (
        <ModuleComponent script={script} id={id} />
      ) : (
        content && <Declared entry={entry} content={content} id={id} />
      )}
    </EntryBoundary>
  );
}

/** A section has the first rows only. */
const sectionRows = 5;

function Declared({ entry, content, id }: EntryProps & { readonly content: ConsoleContent }) {
  const input = { ...parentInput(content, id), ...(content.is_paged && { per_page: sectionRows }) };
  const { data, error } = useApi(keys.moduleEntry(entry.module, entry.name, input), (client) =>
    readContent(client, content, input),
  );
  useLostModule(error);
  if (!data) return <Loading error={error} className="h-24" />;
  const [first] = data.rows;
  if (!first) return <p className="text-secondary">There is nothing here yet.</p>;
  const hasActions = entry.actions.some(({ row }) => row.length > 0);
  if (!content.is_list) {
    return (
      <>
        <RecordFields content={content} row={first.row} />
        {hasActions && (
          <div className="flex flex-wrap gap-2">
            <ActionButtons entry={entry} id={id} row={first.row} />
          </div>
        )}
      </>
    );
  }
  return (
    <Table caption={entry.title}>
      <thead>
        <tr>
          {content.columns.map((field) => (
            <HeaderCell key={field.name} isNumber={isNumber(field)}>
              {field.label}
            </HeaderCell>
          ))}
          {hasActions && <HeaderCell>Actions</HeaderCell>}
        </tr>
      </thead>
      <tbody>
        {data.rows.slice(0, sectionRows).map(({ id: rowId, row }) => (
          <tr key={rowId}>
            {content.columns.map((field) => (
              <Cell key={field.name} isNumber={isNumber(field)}>
                <FieldValue field={field} row={row} />
              </Cell>
            ))}
            {hasActions && (
              <Cell>
                <div className="flex gap-2 py-1">
                  <ActionButtons entry={entry} id={id} row={row} />
                </div>
              </Cell>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** The fields of a record and their values. */
export function RecordFields({ content, row }: { readonly content: ConsoleContent; readonly row: Row }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] gap-x-6 gap-y-2">
      {content.columns.map((field) => (
        <div key={field.name} className="contents">
          <dt className="text-secondary">{field.label}</dt>
          <dd className="break-words whitespace-pre-wrap">
            <FieldValue field={field} row={row} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
