import { forget, keep, keepTokens, post, send, session } from './session.js';

const form = document.querySelector('form');
const alert = form.querySelector('[role=alert]');
const { email, password, otp, tenant, second_factor, tenants } = form.elements;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(signIn);
});

if (session().access_token) attempt(openPlayground);
else form.hidden = false;

/** Shows the error of `work`, if any, above the form. */
async function attempt(work) {
  const button = form.querySelector('button');
  button.disabled = true;
  alert.hidden = true;
  try {
    await work();
  } catch (error) {
    // Errors of `fetch` and of a body that is not JSON have types of their own.
    alert.textContent = error.constructor === Error ? error.message : 'The server cannot be reached. Try again.';
    alert.hidden = false;
    form.hidden = false;
  } finally {
    button.disabled = false;
  }
}

async function signIn() {
  const code = second_factor.disabled ? {} : { otp: otp.value };
  const response = await post('/auth/login', { email: email.value, password: password.value, ...code });
  const body = await response.json();
  if (body.two_factor_required) {
    reveal(second_factor, otp);
    throw new Error('Enter the code of your authenticator app, or a recovery code.');
  }
  if (!response.ok) throw new Error(body.message);
  keepTokens(body);
  if ('unbound' in form.dataset) keep({ tenant: tenants.disabled ? await findTenant() : tenant.value });
  await openPlayground();
}

/** The tenant of the user. If there are several, the form asks which one. */
async function findTenant() {
  const { tenants: own } = await (await send('/auth/me')).json();
  if (own.length === 1) return own[0].id;
  forget();
  if (own.length === 0) throw new Error('Your account belongs to no tenant.');
  tenant.replaceChildren(...own.map(({ id, name }) => new Option(name, id)));
  reveal(tenants, tenant);
  throw new Error('Choose a tenant.');
}

async function openPlayground() {
  const response = await send('/graphql/playground');
  const text = await response.text();
  if (!response.ok) {
    forget();
    throw new Error(response.status === 401 ? 'Your session has expired. Sign in again.' : JSON.parse(text).message);
  }
  document.open();
  document.write(text);
  document.close();
}

function reveal(fields, first) {
  fields.hidden = false;
  fields.disabled = false;
  first.focus();
}
