/** A command that `scripts/cli-commands.ts` derives from an action. */
export interface DerivedCommand {
  readonly words: readonly string[];
  /** The name of the action, such as `customers.list`. */
  readonly action: string;
  readonly summary: string;
  readonly description?: string;
  /** Fields of the input that are given by position. */
  readonly arguments?: readonly DerivedField[];
  readonly options?: readonly DerivedField[];
  /** Fields such as passwords, which only `--input` can give: other users of a computer can read the options of a command. */
  readonly secrets?: readonly string[];
  /** The input may have any field. */
  readonly isOpen?: true;
  /** What is sent or received instead of JSON. */
  readonly format?: 'csv' | 'multipart' | 'file';
  /** The field of the response that is shown. Absent: the whole response. */
  readonly key?: string;
  /** The response is a list with cursors. */
  readonly isPaged?: true;
  /** It deletes or ends something: people are asked first. */
  readonly deletes?: true;
}

export interface DerivedField {
  /** With dots for fields of an object: `customer.phone`. */
  readonly name: string;
  readonly help: string;
  /** Default: a string. A `record` is JSON or `name=Tea,price=49.50`. */
  readonly type?: FieldType;
  readonly isList?: true;
  readonly isRequired?: true;
  readonly choices?: readonly string[];
  /** The fields of a record that are not strings. */
  readonly types?: Readonly<Record<string, FieldType>>;
}

export type FieldType = 'integer' | 'number' | 'boolean' | 'json' | 'record' | 'file';

/** The option of a field: `first_name` is `--first-name`. */
export function optionName(field: string): string {
  return field.replaceAll('_', '-');
}
