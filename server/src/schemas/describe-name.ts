import { fieldDescriptions } from './field-descriptions.ts';

/** The description of a field that has none of its own. */
export function describeField(name: string): string {
  return fieldDescriptions[name] ?? `${fromName(words(name))}.`;
}

function fromName(text: string): string {
  const [first = '', ...rest] = text.split(' ');
  const last = rest.at(-1);
  const before = [first, ...rest.slice(0, -1)].join(' ');
  if (first === 'is') return `Whether it is ${rest.join(' ')}`;
  if (first === 'has') return `Whether it has ${rest.join(' ')}`;
  if (first === 'can') return `Whether the caller can ${rest.join(' ')}`;
  if (last === 'at') {
    if (/[^s]s$/.test(before)) return `When the ${before}`;
    return /(ed|en|nt|ade)$/.test(before) ? `When it was ${before}` : `The time of ${before}`;
  }
  if (last === 'id') return `The id of the ${before}`;
  if (last === 'ids') return `The ids of the ${before} records`;
  if (last === 'count') return `The number of ${before} records`;
  if (last === 'url') return `The address of the ${before}`;
  return `The ${text}`;
}

/** The description of a schema or a type that has none of its own. */
export function describeType(name: string): string {
  const text = words(name);
  const [, subject] = /^(.+) input$/.exec(text) ?? [];
  if (subject !== undefined) return `The input: ${subject}.`;
  if (/[^su]s$/.test(text)) return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
  return `${/^[aeiou]/i.test(text) ? 'An' : 'A'} ${text}.`;
}

/** `orderStatus` and `order_status` are `order status`; abbreviations stay. */
function words(name: string): string {
  const spaced = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  const parts = spaced.split(/[ _]+/).filter(Boolean);
  return parts.map((part) => (/^[A-Z]{2,}$/.test(part) ? part : part.toLowerCase())).join(' ');
}
