import { type ActionGateway, type CallableAction, Failure, Issues, Type } from '@chowk/kit/kernel';
import { answerBody } from '../actions/answer-body.ts';
import type { Transport } from '../actions/audit-log.ts';
import { authorize } from '../actions/authorize.ts';
import { type Call, callAction, outputValue } from '../actions/call.ts';
import type { RegisteredAction } from '../actions/registry.ts';
import { responseSchema } from '../actions/response-schema.ts';
import { responseSerializer } from '../actions/response-serializer.ts';
import type { Context } from '../context/context.ts';
import { databaseFailure } from '../db/failures.ts';
import { errorLocation } from '../error-location.ts';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import { inlineSchema } from '../schemas/components.ts';
import { getValidator, type Validator } from '../schemas/validation.ts';

/** Whether the action can be called with JSON and returns JSON. */
export function isJsonAction(action: RegisteredAction): boolean {
  const { webPage, allowsOrigin, file, unchecked, accepts = 'json', tenant = 'required' } = action;
  const isForPages = webPage || allowsOrigin;
  return !isForPages && !file && !unchecked && accepts === 'json' && tenant === 'required';
}

/** An action that the gateway offers, with the values derived from its declaration. */
interface Offer {
  readonly action: RegisteredAction;
  readonly description: CallableAction;
  readonly validate: Validator;
  readonly serialize: (body: unknown) => string;
}

/** The REST endpoints of all modules over another protocol. */
export function actionGateway(kernel: () => Kernel, transport: Transport): ActionGateway {
  let offers: ReadonlyMap<string, Offer> | undefined;
  const allOffers = () => {
    offers ??= new Map(
      kernel()
        .actions.filter((action) => action.method && isJsonAction(action))
        .map((action) => [action.name, toOffer(action)]),
    );
    return offers;
  };
  return {
    list: (ctx) =>
      reportFailures(ctx as Context, 'list', async () => {
        const callable: CallableAction[] = [];
        for (const { action, description } of allOffers().values()) {
          if (await mayCall(kernel(), ctx as Context, action)) callable.push(description);
        }
        return callable;
      }),
    call: (ctx, name, input) =>
      reportFailures(ctx as Context, name, async () => {
        const offer = allOffers().get(name);
        if (!offer) throw fail('actions.not_found', { name });
        const { action, validate, serialize } = offer;
        const call = prepare(ctx as Context, { action, transport, validate, input });
        return serialize(answerBody(action, input, outputValue(await callAction(kernel(), call))));
      }),
  };
}

/** The request itself has been counted against the user's rate limit. */
function prepare(
  ctx: Context,
  { action, transport, validate, input }: Pick<Call, 'action' | 'transport' | 'validate'> & { readonly input: unknown },
): Call {
  return {
    ...ctx.principal,
    action,
    transport,
    validate,
    requestId: ctx.requestId,
    clientAddress: ctx.client.address,
    isAudited: action.isAudited,
    knownInput: input,
    readInput: () => input,
    createContext: (auditEntry) => ctx.inModule(action.module, auditEntry),
  };
}

function toOffer(action: RegisteredAction): Offer {
  const { name, summary, description, method = 'GET', input = noInput, isReadOnly } = action;
  const response = responseSchema(action);
  return {
    action,
    description: {
      name,
      summary,
      description,
      method,
      isReadOnly,
      input: { additionalProperties: false, ...inlineSchema(input) },
      output: response && inlineSchema(response, 'output'),
    },
    validate: refuseUnknown(action.input ? action.validate : getValidator(noInput)),
    serialize: response ? responseSerializer(response) : (body) => JSON.stringify(body ?? {}),
  };
}

const noInput = Type.Object({});

/** Limits the size of the response. */
const maxUnknown = 50;

/** A program that guesses a field would not notice that it was ignored. */
function refuseUnknown(validate: Validator): Validator {
  return (value) => {
    const unknown: string[] = [];
    const errors = validate(value, unknown);
    if (errors || unknown.length === 0) return errors;
    const issues = new Issues();
    for (const name of unknown.slice(0, maxUnknown)) {
      issues.add(name.slice(0, 100), `There is no field ${name.slice(0, 100)}.`, 'unknown');
    }
    return issues.errors;
  };
}

async function mayCall({ installations }: Kernel, ctx: Context, action: RegisteredAction): Promise<boolean> {
  try {
    await authorize(installations, action, ctx.principal);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** Throws failures only, which the caller may see. Other errors are logged. */
async function reportFailures<Result>(
  { log, requestId }: Context,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const failure =
      error instanceof Failure ? error : (databaseFailure(error) ?? fail('http.internal', {}, { cause: error }));
    if (failure.status >= 500) {
      const cause = failure.extras.cause ?? error;
      log.error({ err: cause, request_id: requestId, action: name, at: errorLocation(cause) }, failure.message);
    }
    throw failure;
  }
}
