import { type TObject, type TSchema, Type } from '@chowk/kit';
import type { RegisteredAction } from '../actions/registry.ts';

/** The schema of the body that REST answers an action with; `undefined` for files and pages. */
export function answerSchema({ output, answer = {}, file, page }: RegisteredAction): TSchema | undefined {
  if (file || page) return undefined;
  const message = answer.message === undefined ? {} : { message: Type.String() };
  if (!output) return answer.message === undefined ? undefined : Type.Object(message);
  if (answer.key !== undefined) return Type.Object({ ...message, [answer.key]: output });
  if (answer.message === undefined) return output;
  return Type.Object({ ...message, ...(output as TObject).properties });
}

/** Whether the output is one record that tells when it was last changed. */
export function versionedOutput({ output, answer }: RegisteredAction): boolean {
  const { properties = {} } = (output ?? {}) as Partial<TObject>;
  return answer?.key !== undefined && 'updated_at' in properties;
}
