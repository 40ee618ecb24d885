/* What a module shows in the console, the web application of the team. */

/** A page, a part of Home, or a section of a customer's or an order's page. */
export interface ConsoleEntry {
  /** `page` has an item in the navigation. Sections get the record as the field `customer_id` or `order_id` of their actions. */
  readonly place: 'page' | 'home' | 'customer' | 'order';
  readonly title: string;
  /** An icon by the names of those of notifications. Default `Package`. */
  readonly icon?: string;
  /** A read-only action of the module: the rows of a list, with its filters, or one record. */
  readonly shows?: string;
  /** The fields to show, in order; the first names a row. Default: all fields that the console can show. */
  readonly columns?: readonly string[];
  /** Actions of the module as buttons, with a form for their input. Those with `:id` in the path are about a row. */
  readonly actions?: readonly string[];
  /** Instead of `shows`: `board` is the default export of `console/board.tsx`, a React component with `ConsoleProps`. */
  readonly component?: string;
  /** The permission to see a component. */
  readonly needs?: string;
}

/** The props of a component in the folder `console` of a module. */
export interface ConsoleProps {
  /** The id of the customer or the order, in a section. */
  readonly id: string | undefined;
  /** Calls an action for the user: `call('POST /notes', { text })`. The message of an error is for people. */
  call(http: string, input?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Shows a short message. */
  toast(message: string): void;
  /** Parts of the console: `Button`, `Field`, `Input`, `Notice`, `Section`, `Select`, `TextArea`. */
  // biome-ignore lint/suspicious/noExplicitAny: their types are those of the console, which the kit does not know
  readonly ui: Readonly<Record<string, (props: any) => any>>;
}

/** A field of a form, a filter or a column. */
export interface ConsoleField {
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'long_text' | 'number' | 'money' | 'boolean' | 'date' | 'time' | 'choice' | 'list';
  readonly help: string | null;
  readonly is_required: boolean;
  readonly options: string[];
  readonly max_length: number | null;
}

/** A call that the console makes. */
interface ConsoleCall {
  /** As the client takes it: `POST notes/:id`. */
  readonly route: string;
  /** The field that gets the id of the customer or the order. */
  readonly parent: string | null;
}

export interface ConsoleContent extends ConsoleCall {
  readonly is_list: boolean;
  readonly is_paged: boolean;
  /** The field of the response with the rows or the record; null if it is the response. */
  readonly key: string | null;
  readonly columns: ConsoleField[];
  readonly filters: ConsoleField[];
  readonly has_search: boolean;
  readonly sorts: string[];
}

export interface ConsoleAction extends ConsoleCall {
  readonly name: string;
  readonly label: string;
  readonly method: string;
  readonly fields: ConsoleField[];
  /** The fields of a row that are part of the path. */
  readonly row: string[];
}

/** An entry as the console gets it, with what the caller may do. */
export interface DescribedEntry {
  readonly module: string;
  readonly name: string;
  readonly place: ConsoleEntry['place'];
  readonly title: string;
  readonly icon: string;
  readonly content: ConsoleContent | null;
  readonly actions: ConsoleAction[];
  /** The path of the script with the component. */
  readonly script: string | null;
}
