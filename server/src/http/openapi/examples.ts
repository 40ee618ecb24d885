import type { Direction } from '../../schemas/components.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly describedBy?: Schema;
}

const formats: Readonly<Record<string, string>> = {
  uuid: '01934f2e-7b1c-7c3a-9f1d-2b8e4a6c0d11',
  'date-time': '2026-11-15T09:30:00.000Z',
  date: '2026-11-15',
  email: 'asha@example.com',
  'time-zone': 'Asia/Kolkata',
  currency: 'INR',
};

/** Examples by field name, for schemas without examples. */
const names: Readonly<Record<string, string>> = {
  first_name: 'Asha',
  last_name: 'Rao',
  name: 'Asha Rao',
  email: 'asha@example.com',
  phone: '+919876543210',
  company: 'Acme Stores',
  address1: '12 MG Road',
  city: 'Pune',
  state: 'Maharashtra',
  pincode: '411001',
  country: 'India',
  currency: 'INR',
  order_number: '1042',
  sku: 'TEA-250',
  password: 'correct horse battery',
  password_confirmation: 'correct horse battery',
  current_password: 'correct horse battery',
  otp: '123456',
  locale: 'en-IN',
};

/** A value that the schema accepts: from its examples, its default, its format or the name of the field. */
export function createExample(schema: object, direction: Direction, name = ''): unknown {
  const { examples, anyOf, enum: values, describedBy, ...rest } = schema as Schema;
  if (describedBy) return createExample(describedBy, direction, name);
  if (examples?.length) return examples[0];
  if ('const' in rest) return rest.const;
  if (direction === 'input' && rest.default !== undefined) return rest.default;
  if (values) return values[0];
  const branch = anyOf?.find(({ type, properties }) => type !== undefined || properties);
  if (branch && !rest.properties) return createExample(branch, direction, name);
  const [type] = [rest.type ?? 'any'].flat();
  switch (type) {
    case 'string':
      return formats[rest.format ?? ''] ?? names[name] ?? 'text';
    case 'integer':
    case 'number':
      return Math.max(1, rest.minimum ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return rest.items ? [createExample(rest.items, direction, name)] : [];
    case 'object':
      return Object.fromEntries(
        Object.entries(rest.properties ?? {}).map(([key, field]) => [key, createExample(field, direction, key)]),
      );
    default:
      return null;
  }
}
