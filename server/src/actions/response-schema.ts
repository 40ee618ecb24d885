import { type TObject, type TSchema, Type } from '@chowk/kit/kernel';
import type { RegisteredAction } from './registry.ts';

/** The schema of an action's response body; `undefined` for files and pages. */
export function responseSchema({ output, answer = {}, file, webPage }: RegisteredAction): TSchema | undefined {
  if (file || webPage) return undefined;
  const message = answer.message === undefined ? {} : { message: Type.String() };
  if (!output) return answer.message === undefined ? undefined : Type.Object(message);
  if (answer.key !== undefined) return Type.Object({ ...message, [answer.key]: output });
  if (answer.message === undefined) return output;
  return Type.Object({ ...message, ...(output as TObject).properties });
}

/** Whether a call can name the version of the record that it changes, in REST with `If-Match`. */
export function takesIfMatch(action: RegisteredAction): boolean {
  const { method, errors = [] } = action;
  return errors.includes('http.precondition_failed') || (method !== 'GET' && method !== 'POST' && hasEtag(action));
}

/** Whether the output is one record with `updated_at`, with which its `ETag` begins. */
export function hasEtag({ output, answer }: RegisteredAction): boolean {
  const { properties = {} } = (output ?? {}) as Partial<TObject>;
  return answer?.key !== undefined && 'updated_at' in properties;
}
