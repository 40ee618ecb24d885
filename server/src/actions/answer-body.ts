import type { Action } from '@chowk/kit/kernel';

/** Wraps the output as the action's `answer` declares. */
export function answerBody(action: Pick<Action, 'answer'>, input: unknown, output: unknown): unknown {
  const key = action.answer?.key;
  const message = answerMessage(action, input, output);
  if (key === undefined) return message === undefined ? output : { message, ...(output as object) };
  return message === undefined ? { [key]: output } : { message, [key]: output };
}

export function answerMessage({ answer }: Pick<Action, 'answer'>, input: unknown, output: unknown): string | undefined {
  const { message } = answer ?? {};
  return typeof message === 'function' ? message(output, input) : message;
}
