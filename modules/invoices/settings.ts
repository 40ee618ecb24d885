import { type SettingTypes, setting, Type } from '@chowk/kit';

/** Numbers follow, so it must not end with a digit. */
const Prefix = Type.String({ maxLength: 20, pattern: '^([^\\p{Cc}\\p{Cs}]*[^\\p{Cc}\\p{Cs}\\d])?$' });
const line = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\p{Cc}\\p{Cs}]*$' });
const lines = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\0\\p{Cs}]*$' });

export const settings = {
  'invoices.number_prefix': setting({
    schema: Prefix,
    default: 'INV-',
    description: 'The prefix of invoice numbers. It must not end with a digit.',
  }),
  'invoices.credit_note_prefix': setting({
    schema: Prefix,
    default: 'CN-',
    description: 'The prefix of the numbers of credit notes. It must not end with a digit.',
  }),
  'invoices.next_number': setting({
    schema: Type.Integer({ minimum: 1, maximum: 999_999_999_999 }),
    default: 1,
    description:
      'The next invoice has at least this number. Numbers are never used again: a number that is not higher than the last one has no effect.',
  }),
  'invoices.legal_name': setting({
    schema: line(255),
    default: '',
    description: 'The name of the business on invoices. Default: the name of the tenant.',
  }),
  'invoices.address': setting({
    schema: lines(1_000),
    default: '',
    description: 'The address of the business on invoices, with line breaks.',
  }),
  'invoices.tax_number': setting({
    schema: line(100),
    default: '',
    description: 'The tax number of the business, with its name: `GSTIN 29ABCDE1234F1Z5`.',
  }),
  'invoices.footer': setting({
    schema: lines(1_000),
    default: '',
    description: 'A text at the end of invoices, such as bank details and terms of payment.',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
