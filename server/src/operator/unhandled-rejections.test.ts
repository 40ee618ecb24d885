import { expect, test, vi } from 'vitest';
import { silent } from '../../testing/silent-log.ts';
import { logUnhandledRejections } from './unhandled-rejections.ts';

test('an unhandled failure is logged and does not end the process', () => {
  const on = vi.spyOn(process, 'on').mockReturnThis();
  const error = vi.fn();
  logUnhandledRejections({ ...silent, error });
  const [event, listener] = on.mock.calls.at(-1) as unknown as [string, (reason: unknown) => void];
  on.mockRestore();
  const failure = new Error('lost');
  listener(failure);
  expect({ event, logged: error.mock.calls }).toEqual({
    event: 'unhandledRejection',
    logged: [[{ err: failure }, expect.any(String)]],
  });
});
