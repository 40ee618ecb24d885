import type { Product } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { useCan } from '../../api/use-api.ts';
import { Section } from '../../ui/page.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { usePriceFormat } from './currency.ts';
import { StockButton } from './stock-button.tsx';

const linkStyle =
  '-mr-3.5 inline-flex h-9 items-center rounded-control px-3.5 font-medium text-secondary hover:bg-sunken hover:text-text max-md:h-11';

/** The variants of a product, and the way to edit them. */
export function VariantsSection({ product }: { readonly product: Product }) {
  const { id, options, variants } = product;
  const canEdit = useCan()('products.edit');
  const format = usePriceFormat();
  const edit = canEdit && (
    <Link to="/products/$id/variants" params={{ id }} className={linkStyle}>
      {options.length === 0 ? 'Add options' : 'Edit variants'}
    </Link>
  );
  if (options.length === 0) {
    if (!canEdit) return null;
    return (
      <Section title="Variants" lead="Sizes, colors or other choices." actions={edit}>
        {null}
      </Section>
    );
  }
  return (
    <Section title="Variants" actions={edit}>
      <Table caption="Variants">
        <thead>
          <tr>
            <HeaderCell>{options.map(({ name }) => name).join(' / ')}</HeaderCell>
            <HeaderCell className="max-md:hidden">SKU</HeaderCell>
            <HeaderCell isNumber>Price</HeaderCell>
            <HeaderCell isNumber className="max-md:hidden">
              Reserved
            </HeaderCell>
            <HeaderCell isNumber className="pr-2!">
              In stock
            </HeaderCell>
          </tr>
        </thead>
        <tbody>
          {variants.map((variant) => (
            <tr key={variant.id}>
              <Cell className="font-medium">{variant.title}</Cell>
              <Cell className="max-w-32 truncate text-secondary max-md:hidden">{variant.sku}</Cell>
              <Cell isNumber>{format(variant.price)}</Cell>
              <Cell isNumber className="max-md:hidden">
                {variant.reserved || ''}
              </Cell>
              <Cell isNumber className="pr-2!">
                <StockButton product={product} variant={variant} />
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </Section>
  );
}
