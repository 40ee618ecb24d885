import { expect, test } from 'vitest';
import {
  addMissing,
  addOption,
  addValues,
  changeRow,
  countMissing,
  emptyVariants,
  pasteCells,
  removeOption,
  removeRows,
  removeValue,
  renameOption,
  renameValue,
  rowTitle,
  type VariantDraft,
  type VariantRow,
} from './variant-draft.ts';
import { toVariantInput } from './variant-input.ts';

const titles = (draft: VariantDraft) => draft.rows.map((row) => rowTitle(draft, row));
const add = (draft: VariantDraft, key: string, ...values: string[]) => addValues(draft, key, values) as VariantDraft;
const withOption = (draft: VariantDraft, name: string, ...values: string[]) => {
  const key = String(draft.options.length);
  return add(renameOption(addOption(draft), key, name), key, ...values);
};
const shirts = withOption(withOption(emptyVariants, 'Size', 'S', 'M'), 'Color', 'Red', 'Blue');

test('options make a variant for each combination, in the order of the values', () => {
  expect(titles(shirts)).toEqual(['S / Red', 'S / Blue', 'M / Red', 'M / Blue']);
  expect(new Set(shirts.rows.map(({ key }) => key)).size).toBe(4);
  expect(addValues(shirts, '0', [' S ', ''])).toBe(shirts);
});

test('a saved variant gets the first value of a new option, and its price goes to the others', () => {
  const saved = { ...emptyVariants, rows: [{ ...emptyVariants.rows[0], key: 'a1', price: '90.00', stock: '4' }] };
  const draft = withOption(saved as VariantDraft, 'Size', 'S', 'M');
  expect(draft.rows).toMatchObject([
    { key: 'a1', price: '90.00', stock: '4' },
    { key: '1', price: '90.00', stock: '' },
  ]);
});

test('changed options keep the variants that still match', () => {
  const priced = changeRow(shirts, shirts.rows[2]?.key ?? '', { price: '75' });
  const more = add(priced, '0', 'L');
  expect(titles(more)).toEqual(['S / Red', 'S / Blue', 'M / Red', 'M / Blue', 'L / Red', 'L / Blue']);
  expect(more.rows[2]).toBe(priced.rows[2]);
  expect(titles(removeValue(more, '1', 'Blue'))).toEqual(['S / Red', 'M / Red', 'L / Red']);
  expect(removeOption(more, '1').rows.map(({ key, price }) => [key, price])).toEqual([
    [priced.rows[0]?.key, ''],
    [priced.rows[2]?.key, '75'],
    [more.rows[4]?.key, ''],
  ]);
  expect(titles(renameValue(priced, '1', 'Red', 'Crimson'))).toEqual([
    'S / Crimson',
    'S / Blue',
    'M / Crimson',
    'M / Blue',
  ]);
  expect(renameValue(priced, '1', 'Red', 'Blue')).toBe(priced);
});

test('removed combinations stay removed until they are added again', () => {
  const fewer = removeRows(shirts, new Set([shirts.rows[3]?.key ?? '']));
  expect(countMissing(fewer)).toBe(1);
  expect(titles(add(fewer, '0', 'L'))).toEqual(['S / Red', 'S / Blue', 'M / Red', 'L / Red', 'L / Blue']);
  expect(titles(addMissing(fewer) as VariantDraft)).toEqual(titles(shirts));
});

test('there are at most 250 variants', () => {
  const numbers = Array.from({ length: 84 }, (_, index) => String(index));
  const wide = withOption(withOption(emptyVariants, 'A', 'x', 'y'), 'B', ...numbers);
  expect(wide.rows).toHaveLength(168);
  expect(addValues(wide, '0', ['z'])).toBeUndefined();
});

test('a copied part of a spreadsheet is written to the right and down', () => {
  const draft = pasteCells(shirts, shirts.rows[1]?.key ?? '', 'price', '10\t12\r\n20\t\r\n30\t32\r\n40\t42\r\n');
  expect(draft.rows.map(({ price, compare_at_price }) => [price, compare_at_price])).toEqual([
    ['', ''],
    ['10', '12'],
    ['20', ''],
    ['30', '32'],
  ]);
});

test('only changed cells of saved variants are sent, and of new ones those that are not empty', () => {
  const saved = {
    ...shirts,
    rows: shirts.rows.map((row, index) => ({ ...row, key: `id-${index}`, sku: `T-${index}` })),
  };
  const draft = changeRow(add(removeValue(saved, '0', 'M'), '0', 'L'), 'id-0', {
    stock: ' 12 ',
    barcode: '',
    price: '1,200',
    tax_class: 'reduced',
    tax_code: ' 6109 ',
  });
  expect(toVariantInput(draft, saved)).toEqual({
    options: [
      { name: 'Size', values: ['S', 'L'] },
      { name: 'Color', values: ['Red', 'Blue'] },
    ],
    variants: [
      {
        id: 'id-0',
        options: { Size: 'S', Color: 'Red' },
        stock: 12,
        price: '1200',
        tax_class: 'reduced',
        tax_code: '6109',
      },
      { id: 'id-1', options: { Size: 'S', Color: 'Blue' } },
      { options: { Size: 'L', Color: 'Red' }, image_id: null, continue_selling: false, taxable: true },
      { options: { Size: 'L', Color: 'Blue' }, image_id: null, continue_selling: false, taxable: true },
    ],
  });
});

test('an emptied tax class is the standard one, and further variants are taxed like similar ones', () => {
  const [first] = shirts.rows;
  const saved = {
    ...shirts,
    rows: [{ ...(first as VariantRow), key: 'id-0', tax_class: 'reduced', tax_code: '6109' }],
  };
  const draft = changeRow(saved, 'id-0', { tax_class: ' ', tax_code: '' });
  expect(toVariantInput(draft, saved).variants[0]).toMatchObject({ tax_class: 'standard', tax_code: null });
  expect(add(saved, '0', 'L').rows).toMatchObject([{}, { tax_class: 'reduced', tax_code: '6109' }]);
});
