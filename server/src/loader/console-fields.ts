import type { ConsoleField, TObject, TSchema } from '@chowk/kit/kernel';

/** What the console needs to know of a JSON schema. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly money?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly description?: string;
  readonly default?: unknown;
}

type Kind = ConsoleField['kind'];

const moneyPattern = '^\\d+\\.\\d{2,3}$';
/** A longer text has several lines. */
const maxLine = 255;

/** A field of an object that the console can show or ask for; `undefined` for nested objects and the like. */
export function describeField(name: string, { properties, required }: TObject): ConsoleField | undefined {
  const schema = withoutNull(properties[name] as TSchema & Schema);
  const options = choices(schema);
  const kind = options.length > 0 ? 'choice' : findKind(schema);
  if (!kind) return undefined;
  return {
    name,
    label: fieldLabel(name),
    kind,
    help: schema.description ?? null,
    is_required: (required ?? []).includes(name) && schema.default === undefined,
    options,
    max_length: schema.maxLength ?? null,
  };
}

function findKind({ type, format, money, pattern, maxLength = 0, items }: Schema): Kind | undefined {
  const types = [type ?? []].flat().filter((one) => one !== 'null');
  if (money || (pattern === moneyPattern && types.includes('string'))) return 'money';
  if (types.length !== 1) return undefined;
  switch (types[0]) {
    case 'boolean':
      return 'boolean';
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
      if (format === 'date-time') return 'time';
      if (format === 'date') return 'date';
      return maxLength > maxLine ? 'long_text' : 'text';
    case 'array':
      return items?.type === 'string' ? 'list' : undefined;
    default:
      return undefined;
  }
}

/** The schema itself, without null; of a filter that takes a day or a time, the day. */
function withoutNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  const others = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const only = others.length === 1 ? others[0] : others.find(({ format }) => format === 'date');
  return only ? { ...rest, ...only } : schema;
}

function choices({ enum: values, anyOf = [] }: Schema): string[] {
  const constants =
    anyOf.length > 0 && anyOf.every((one) => one.const !== undefined) ? anyOf.map((one) => one.const) : [];
  const found = values ?? constants;
  return found.every((value) => typeof value === 'string') ? (found as string[]) : [];
}

/** `created_at` is labelled `Created`, `is_done` is `Done`, `order_number` is `Order number`. */
function fieldLabel(name: string): string {
  const words = name
    .replace(/^(is|has)_|_at$/g, '')
    .replaceAll('_', ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
