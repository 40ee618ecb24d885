import { expect, test } from 'vitest';
import { type ExampleRate, exampleTaxes } from './tax-example.ts';

const rate = (name: string, percent: string, other: Partial<ExampleRate> = {}): ExampleRate => {
  return {
    name,
    rate: percent,
    country: 'IN',
    state: null,
    tax_class: 'standard',
    priority: 1,
    is_active: true,
    ...other,
  };
};
const gst = [rate('SGST', '9', { state: 'MH' }), rate('CGST', '9', { state: 'MH' }), rate('IGST', '18')];
const amounts = (example: ReturnType<typeof exampleTaxes>) => [
  ...example.taxes.map(({ name, amount }) => `${name} ${amount}`),
  example.net,
  example.total,
];

test('taxes are added to a price without them', () => {
  const example = exampleTaxes(gst, { country: 'IN', state: 'MH' }, false, 2);
  expect(amounts(example)).toEqual(['CGST 9.00', 'SGST 9.00', '100.00', '118.00']);
});

test('taxes are part of a price with them, each rounded by itself', () => {
  const example = exampleTaxes(gst, { country: 'IN', state: 'MH' }, true, 2);
  expect(amounts(example)).toEqual(['CGST 7.63', 'SGST 7.63', '84.74', '100.00']);
});

test('a rate for the country applies where its state has none, in whole yen too', () => {
  expect(amounts(exampleTaxes(gst, { country: 'IN', state: '' }, true, 0))).toEqual(['IGST 15', '85', '100']);
});

test('other countries, other classes and rates that are switched off do not count', () => {
  const others = [
    rate('VAT', '20', { country: 'GB' }),
    rate('Reduced', '5', { tax_class: 'reduced' }),
    rate('Off', '3', { is_active: false }),
    rate('Typed', '1o'),
    rate('Too high', '140'),
  ];
  expect(amounts(exampleTaxes(others, { country: 'IN', state: '' }, false, 2))).toEqual(['100.00', '100.00']);
});

test('rates with other priorities are added', () => {
  const cess = rate('Cess', '2.5', { priority: 2 });
  const example = exampleTaxes([...gst, cess], { country: 'IN', state: 'MH' }, false, 2);
  expect(amounts(example)).toEqual(['CGST 9.00', 'SGST 9.00', 'Cess 2.50', '100.00', '120.50']);
});
