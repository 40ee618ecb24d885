import {
  Default,
  extend,
  Money,
  NamedObject,
  Nullable,
  named,
  type Static,
  Timestamp,
  Type,
  UploadedFile,
  Uuid,
} from '@chowk/kit';

const Texts = Nullable(Type.String());
const hidden = Nullable(Type.String({ description: 'null without customers.view_sensitive.' }));

export const InvoiceParty = NamedObject('InvoiceParty', {
  name: Texts,
  company: Texts,
  address1: hidden,
  address2: hidden,
  city: Texts,
  state: Texts,
  pincode: Texts,
  country: Texts,
  email: Texts,
  phone: hidden,
  tax_number: Type.Optional(Nullable(Type.String({ examples: ['29AAGCB7383J1Z4'] }))),
});
export type InvoiceParty = Static<typeof InvoiceParty>;

export const InvoiceSeller = NamedObject('InvoiceSeller', {
  name: Type.String({ examples: ['Acme Stores Pvt Ltd'] }),
  address: Type.String(),
  tax_number: Type.String({ examples: ['GSTIN 29ABCDE1234F1Z5'] }),
  footer: Type.String(),
  logo_id: Nullable(Uuid),
  locale: Type.String({ description: 'The locale of dates and amounts.', examples: ['en-IN'] }),
  timezone: Type.String({ examples: ['Asia/Kolkata'] }),
});
export type InvoiceSeller = Static<typeof InvoiceSeller>;

const InvoiceLine = NamedObject('InvoiceLine', {
  name: Type.String({ examples: ['Green tea, 250 g'] }),
  sku: Texts,
  tax_code: Type.Optional(Nullable(Type.String({ description: 'Such as HSN.', examples: ['0902'] }))),
  quantity: Type.Integer(),
  price: Money,
  subtotal: { ...Money, description: 'Quantity times price.' },
  discount_total: Money,
  tax_rate: Nullable(Type.String({ description: 'The sum of its rates in percent.', examples: ['18'] })),
  tax_total: Money,
  total: { ...Money, description: 'With discounts and taxes.' },
});
export type InvoiceLine = Static<typeof InvoiceLine>;

const InvoiceTax = NamedObject('InvoiceTax', {
  name: Type.String({ examples: ['CGST'] }),
  rate: Nullable(Type.String({ description: 'Percent; null if only the amount is known.', examples: ['9.00'] })),
  taxable: Nullable({ ...Money, description: 'The amount that is taxed, if it is known.' }),
  amount: Money,
});
export type InvoiceTax = Static<typeof InvoiceTax>;

const InvoiceAmount = NamedObject('InvoiceAmount', { label: Type.String(), amount: Money });

/** What an invoice says besides the parties. */
export const InvoiceContent = Type.Object({
  ordered_at: Timestamp,
  lines: Type.Array(InvoiceLine),
  subtotal: { ...Money, description: 'The sum of the lines, before discounts.' },
  discounts: Type.Array(InvoiceAmount),
  shipping: Nullable(InvoiceAmount),
  adjustment: Type.String({ description: 'What a given total added; negative if it was less.', examples: ['0.00'] }),
  prices_include_tax: Type.Boolean(),
  taxes: Type.Array(InvoiceTax),
  tax_total: Money,
  paid_total: { ...Money, description: 'What was paid when the invoice was issued.' },
  corrects: Nullable(Type.String({ description: 'The number of the invoice that a credit note corrects.' })),
});
export type InvoiceContent = Static<typeof InvoiceContent>;

export const InvoiceKind = Type.Enum(['invoice', 'credit_note']);
export type InvoiceKind = Static<typeof InvoiceKind>;

export const Invoice = NamedObject('Invoice', {
  id: Uuid,
  kind: InvoiceKind,
  invoice_number: Type.String({ examples: ['INV-1'] }),
  order_id: Uuid,
  order_number: Type.String({ examples: ['1042'] }),
  customer_id: Uuid,
  currency: Type.String({ examples: ['INR'] }),
  total: Money,
  issued_at: Timestamp,
  updated_at: Timestamp,
});

export const InvoiceDetails = named(
  'InvoiceDetails',
  extend(Invoice, {
    seller: InvoiceSeller,
    buyer: InvoiceParty,
    ship_to: Nullable(InvoiceParty),
    ...InvoiceContent.properties,
  }),
  { graphqlType: 'Invoice' },
);
export type InvoiceDetails = Static<typeof InvoiceDetails>;

export const DocumentFormat = Type.Enum(['html', 'pdf']);
export type DocumentFormat = Static<typeof DocumentFormat>;
export const DocumentQuery = Type.Object({ id: Uuid, format: Default(DocumentFormat, 'pdf') });
export type DocumentQuery = Static<typeof DocumentQuery>;
export const SampleQuery = Type.Object({ format: Default(DocumentFormat, 'pdf') });
export type SampleQuery = Static<typeof SampleQuery>;

export const InvoiceLogo = NamedObject('InvoiceLogo', {
  id: Uuid,
  url: Type.String({ examples: ['/media/acme/invoices/0197e6ba-9c1d-7c3f-9f5e-3e1d2c4b5a69.png'] }),
  width: Type.Integer(),
  height: Type.Integer(),
});
export type InvoiceLogo = Static<typeof InvoiceLogo>;

export const NewLogo = Type.Object({
  file: UploadedFile({ types: ['image/jpeg', 'image/png', 'image/webp'], maxBytes: 5_000_000 }),
});
