import type { Action, ConsoleEntry, TObject } from '@chowk/kit/kernel';
import { type Entries, findRow, formFields, noInput, parents, rowFields } from './console-entries.ts';
import { describeField } from './console-fields.ts';

/** Why entries cannot be shown. */
export function entryProblems({ definition: { console = {}, actions = {} } }: Entries): string[] {
  return Object.entries(console).flatMap(([name, entry]) => {
    const { shows, component, needs, columns = [] } = entry;
    const place = `console.${name}`;
    const unknown = [shows ?? [], entry.actions ?? []].flat().filter((one) => !actions[one]?.http);
    if (!/^[a-z][a-z0-9-]*$/.test(name)) return [`${place}: a name has lower-case letters, digits and hyphens only`];
    if (unknown.length > 0) return unknown.map((one) => `${place}: the module has no action ${one} with a route`);
    if (component !== undefined) {
      return needs === undefined ? [`${place}: a component needs a permission; declare one in needs`] : [];
    }
    const shown = shows === undefined ? undefined : actions[shows];
    if (!shown) return [`${place}: name an action in shows, or a component`];
    if (!shown.http?.startsWith('GET ')) return [`${place}: ${shows} changes something; shows needs a GET action`];
    const output = findRow(shown);
    if (!output) return [`${place}: ${shows} returns neither a list of records nor a record; bring a component`];
    return [
      ...columns
        .filter((one) => !output.row.properties[one] || !describeField(one, output.row))
        .map((one) => `${place}.columns: the console cannot show ${one} of ${shows}`),
      ...parentProblems(place, entry, shown),
      ...(entry.actions ?? []).flatMap((one) => actionProblems(place, entry, one, actions[one] as Action, output.row)),
    ];
  });
}

function parentProblems(place: string, { place: where, shows }: ConsoleEntry, action: Action): string[] {
  const { input = noInput } = action;
  const parent = parents[where];
  const unknown = rowFields(action, parent).map(
    (one) => `${place}: nothing tells ${one}, which the path of ${shows} needs`,
  );
  if (parent === undefined || input.properties[parent]) return unknown;
  const record = where === 'order' ? 'an order' : 'a customer';
  return [...unknown, `${place}: ${shows} has no input ${parent}, which a section of ${record} needs`];
}

function actionProblems(
  place: string,
  { place: where }: ConsoleEntry,
  name: string,
  action: Action,
  row: TObject,
): string[] {
  const { input = noInput } = action;
  const parent = parents[where];
  const fromRow = rowFields(action, parent);
  const missing = fromRow.filter((one) => !row.properties[one]);
  const asked = new Set(formFields(action, parent).map((field) => field.name));
  const unanswered = (input.required ?? []).filter(
    (one) =>
      !asked.has(one) &&
      !fromRow.includes(one) &&
      one !== parent &&
      (input.properties[one] as { default?: unknown }).default === undefined,
  );
  return [
    ...missing.map((one) => `${place}.actions: rows have no field ${one}, which the path of ${name} needs`),
    ...unanswered.map((one) => `${place}.actions: the console has no control for ${one} of ${name}; bring a component`),
  ];
}
