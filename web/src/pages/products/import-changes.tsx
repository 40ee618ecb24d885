import type { ImportPreview } from '@chowk/client';
import { ArrowRight } from 'lucide-react';
import { count } from '../../format/numbers.ts';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';

/** What an import would change in products that exist: each value before and after. */
export function ImportChanges({ preview: { changes, updated } }: { readonly preview: ImportPreview }) {
  return (
    <Section
      title={updated === 1 ? '1 product changes' : `${count(updated)} products change`}
      lead={updated > changes.length ? `The first ${count(changes.length)} are listed.` : undefined}
    >
      <Table caption="Changes by product">
        <thead>
          <tr>
            <HeaderCell>Product</HeaderCell>
            <HeaderCell className="md:w-40">Field</HeaderCell>
            <HeaderCell>Before and after</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {changes.flatMap(({ sku, title, fields }) =>
            fields.map(({ field, before, after }, index) => (
              <tr key={`${sku} ${field}`}>
                <Cell className="max-w-64 truncate font-medium">{index === 0 && title}</Cell>
                <Cell className="whitespace-nowrap text-secondary">{field.replaceAll('_', ' ')}</Cell>
                <Cell className="py-1.5 break-words">
                  <del className="text-secondary decoration-edge">{before || 'empty'}</del>
                  <Icon icon={ArrowRight} size={12} className="mx-1.5 inline text-faint" label="becomes" />
                  <ins className="no-underline">{after || 'empty'}</ins>
                </Cell>
              </tr>
            )),
          )}
        </tbody>
      </Table>
    </Section>
  );
}
