import {
  type Action,
  type ConsoleAction,
  type ConsoleContent,
  type ConsoleEntry,
  type ConsoleField,
  type DescribedEntry,
  type Module,
  permissionsFor,
  type TObject,
} from '@chowk/kit/kernel';
import { pathParameters } from '../actions/registry.ts';
import { describeField } from './console-fields.ts';

/** The field with the record of a section. */
export const parents: Partial<Record<ConsoleEntry['place'], string>> = { customer: 'customer_id', order: 'order_id' };
/** Fields of every list that are no filters. */
const paging = new Set(['page', 'per_page', 'cursor', 'limit', 'sort_by', 'sort_order', 'search', 'updated_from']);
/** Fields that tell people nothing; a module that wants them names them in `columns`. */
const isTechnical = (name: string) => name === 'id' || name.endsWith('_id') || name === 'updated_at';

export const noInput = { type: 'object', properties: {}, required: [] } as unknown as TObject;

/** An entry, and the permissions for its parts: one of each list. */
interface Offer {
  readonly entry: DescribedEntry;
  readonly component: string | undefined;
  readonly needs: readonly string[];
  readonly actionNeeds: ReadonlyMap<string, readonly string[]>;
}

export interface Entries {
  readonly alias: string;
  readonly definition: Module;
}

export function describeEntries({ alias, definition: { console = {}, actions = {} } }: Entries): Offer[] {
  return Object.entries(console).map(([name, entry]) => {
    const { place, title, icon = 'Package', shows, component, needs } = entry;
    const shown = shows === undefined ? undefined : actions[shows];
    const content = shown ? describeContent(entry, shown) : null;
    const named = (entry.actions ?? []).flatMap((one) => (actions[one] ? [[one, actions[one]] as const] : []));
    return {
      entry: {
        module: alias,
        name,
        place,
        title,
        icon,
        content,
        actions: named.map(([one, action]) => describeAction(one, action, place)),
        script: null,
      },
      component,
      needs: shown ? permissionsFor(shown) : [needs ?? []].flat(),
      actionNeeds: new Map(named.map(([one, action]) => [one, permissionsFor(action)])),
    };
  });
}

/** The entry for a caller with these permissions; `undefined` if it may not be seen. */
export function offerEntry(
  { entry, needs, actionNeeds }: Omit<Offer, 'component'>,
  can: (permission: string) => boolean,
): DescribedEntry | undefined {
  const isAllowed = (one: readonly string[]) => one.length === 0 || one.some(can);
  if (!isAllowed(needs)) return undefined;
  return { ...entry, actions: entry.actions.filter(({ name }) => isAllowed(actionNeeds.get(name) ?? [])) };
}

function describeContent({ place, columns }: ConsoleEntry, action: Action): ConsoleContent {
  const { input = noInput } = action;
  const { row, key, isList, isPaged } = findRow(action) as Output;
  const parent = parents[place];
  const names = columns ?? Object.keys(row.properties).filter((name) => !isTechnical(name));
  const path = pathParameters(action.http ?? '');
  const filters = Object.keys(input.properties).filter(
    (name) => !paging.has(name) && name !== parent && !path.includes(name),
  );
  const { enum: sorts = [] } = (input.properties.sort_by ?? {}) as { enum?: readonly string[] };
  return {
    ...describeCall(action, parent),
    is_list: isList,
    is_paged: isPaged,
    key,
    columns: describeAll(names, row),
    filters: describeInputs(filters, input),
    has_search: 'search' in input.properties,
    sorts: [...sorts],
  };
}

function describeAction(name: string, action: Action, place: ConsoleEntry['place']): ConsoleAction {
  const parent = parents[place];
  return {
    ...describeCall(action, parent),
    name,
    label: action.summary,
    method: action.http?.split(' ')[0] ?? '',
    fields: formFields(action, parent),
    row: rowFields(action, parent),
  };
}

function describeCall({ http, input = noInput, inputFrom }: Action, parent: string | undefined) {
  const [method = '', path = ''] = http?.split(' ') ?? [];
  return {
    route: [method, path.slice(1), ...(inputFrom ? [inputFrom] : [])].join(' '),
    parent: parent !== undefined && input.properties[parent] ? parent : null,
  };
}

/** The parameters of the path that come from a row. */
export function rowFields({ http }: Action, parent: string | undefined): string[] {
  return pathParameters(http ?? '').filter((name) => name !== parent);
}

export function formFields(action: Action, parent: string | undefined): ConsoleField[] {
  const { http, input = noInput } = action;
  const path = pathParameters(http ?? '');
  const names = Object.keys(input.properties).filter((name) => !path.includes(name) && name !== parent);
  return describeInputs(names, input);
}

/** The console has no control for lists, and people do not type ids. */
function describeInputs(names: readonly string[], schema: TObject): ConsoleField[] {
  return describeAll(names, schema).filter(
    ({ name, kind, is_required }) => kind !== 'list' && (is_required || !isTechnical(name)),
  );
}

function describeAll(names: readonly string[], schema: TObject): ConsoleField[] {
  return names.flatMap((name) => describeField(name, schema) ?? []);
}

interface Output {
  readonly row: TObject;
  readonly key: string | null;
  readonly isList: boolean;
  readonly isPaged: boolean;
}

interface Shape {
  readonly type?: string;
  readonly items?: TObject;
  readonly properties?: Readonly<Record<string, Shape>>;
}

/** The rows or the record in a response. */
export function findRow({ output, answer }: Action): Output | undefined {
  const shape = (output ?? {}) as Shape;
  const key = answer?.key ?? null;
  if (shape.type === 'array') {
    return shape.items?.properties && { row: shape.items, key, isList: true, isPaged: false };
  }
  if (!shape.properties) return undefined;
  const [list, items] = Object.entries(shape.properties).find(([, { type }]) => type === 'array') ?? [];
  if (shape.properties.pagination && list !== undefined && items?.items) {
    return { row: items.items, key: list, isList: true, isPaged: true };
  }
  return { row: output as TObject, key, isList: false, isPaged: false };
}
