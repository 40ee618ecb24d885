export type Fields = Readonly<Record<string, unknown>>;

export interface PreparedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
  readonly isUpload: boolean;
  /** The response is a file, not JSON. */
  readonly isFile: boolean;
}

/** Puts the fields of a flat input where its route, a line of the table of routes, has them. */
export function prepare(route: string, input: Fields): PreparedRequest {
  const [method = '', template = '', kind] = route.split(' ');
  const rest = { ...input };
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    const segment = pathSegment(name, rest[name]);
    delete rest[name];
    return segment;
  });
  const isInQuery = kind === 'query' || ((!kind || kind === 'file') && (method === 'GET' || method === 'DELETE'));
  const { csv: _, ...beside } = rest;
  const query = isInQuery ? buildQuery(rest) : kind === 'csv' ? buildQuery(beside) : '';
  return {
    method,
    path: (path.startsWith('/') ? path : `/api/v1/${path}`) + query,
    ...(isInQuery ? { headers: {}, body: undefined } : buildBody(rest, kind)),
    isUpload: kind === 'csv' || kind === 'multipart',
    isFile: kind === 'file',
  };
}

/** Throws for values that would change the path: `/orders/../customers` is another action. */
function pathSegment(name: string, value: unknown): string {
  const text = String(value ?? '');
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`The input needs ${name}, which is part of the path.`);
  return encodeURIComponent(text);
}

function buildQuery(fields: Fields): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of [value].flat()) {
      if (typeof item === 'object' && item !== null) {
        for (const [key, inner] of Object.entries(item)) query.append(`${name}[${key}]`, String(inner));
      } else if (item !== undefined) query.append(name, String(item));
    }
  }
  return query.size > 0 ? `?${query}` : '';
}

function buildBody(fields: Fields, kind: string | undefined): Pick<PreparedRequest, 'headers' | 'body'> {
  if (kind === 'multipart') return { headers: {}, body: buildForm(fields) };
  if (kind === 'csv') return { headers: { 'content-type': 'text/csv' }, body: String(fields.csv) };
  if (Object.keys(fields).length === 0) return { headers: {}, body: undefined };
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
}

function buildForm(fields: Fields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, value instanceof Blob ? value : String(value));
  }
  return form;
}
