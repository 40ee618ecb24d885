import { type ActionGateway, type CallableAction, Failure } from '@chowk/kit';
import type { Transport } from '../actions/audit-log.ts';
import { authorize } from '../actions/authorize.ts';
import type { RegisteredAction } from '../actions/registry.ts';
import type { Context } from '../context.ts';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import { callAction } from './call-action.ts';

/** Whether the action can be called with JSON and returns JSON. */
export function isJsonAction(action: RegisteredAction): boolean {
  const { page, file, unchecked, accepts = 'json', tenant = 'required' } = action;
  return !page && !file && !unchecked && accepts === 'json' && tenant === 'required' && action.graphql !== false;
}

/** The actions of all modules over another protocol. */
export function actionGateway(kernel: () => Kernel, transport: Transport): ActionGateway {
  return {
    async list(ctx) {
      const callable: CallableAction[] = [];
      for (const action of kernel().actions) {
        if (!isJsonAction(action) || !(await mayCall(kernel(), ctx as Context, action))) continue;
        const { name, summary, description, input, output, isReadOnly } = action;
        callable.push({ name, summary, description, input, output, isReadOnly });
      }
      return callable;
    },
    async call(ctx, name, input) {
      const action = kernel().actions.find((one) => one.name === name && isJsonAction(one));
      if (!action) throw fail('actions.not_found', { name });
      return callAction({ kernel: kernel(), ctx: ctx as Context, transport, action, isFirst: true }, input);
    },
  };
}

async function mayCall({ installations }: Kernel, ctx: Context, action: RegisteredAction): Promise<boolean> {
  try {
    await authorize((tenantId, alias) => installations.has(tenantId, alias), action, ctx.principal);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}
