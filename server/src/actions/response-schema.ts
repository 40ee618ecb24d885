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

/** Whether the output is one record with `updated_at`, with which its `ETag` begins. */
export function hasEtag({ output, answer }: RegisteredAction): boolean {
  const { properties = {} } = (output ?? {}) as Partial<TObject>;
  return answer?.key !== undefined && 'updated_at' in properties;
}
