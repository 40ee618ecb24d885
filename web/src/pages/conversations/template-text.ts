import type { ReplyTemplate } from '@chowk/client';

/** A template with the values for its variables. */
export interface FilledTemplate {
  readonly id: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The text that the customer gets. What is missing keeps its braces. */
export function templateText({ body }: ReplyTemplate, variables: FilledTemplate['variables']): string {
  return body.replace(/\{\{(\w+)\}\}/g, (braces, name: string) => variables[name]?.trim() || braces);
}

export function isFilled({ variables }: ReplyTemplate, values: FilledTemplate['variables']): boolean {
  return variables.every(({ name }) => (values[name] ?? '').trim() !== '');
}
