import { forget, keep, keepTokens, post, send, session } from './session.js';

const form = document.querySelector('form');
const alert = form.querySelector('[role=alert]');
const { credentials, email, password, second_factor, otp, tenants, tenant } = form.elements;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(signIn);
});

if (session().access_token) attempt(enter);
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
  if (!session().access_token) await logIn();
  await enter();
}

async function logIn() {
  const code = second_factor.disabled ? {} : { otp: otp.value };
  const response = await post('/auth/login', { email: email.value, password: password.value, ...code });
  const body = await response.json();
  if (body.two_factor_required) {
    show(second_factor);
    otp.focus();
    throw new Error('Enter the code of your authenticator app, or a recovery code.');
  }
  if (!response.ok) throw new Error(body.message);
  keepTokens(body);
}

/** Shows the playground of the tenant that the host names, or of a tenant of the user. */
async function enter() {
  if ('unbound' in form.dataset && !session().tenant) keep({ tenant: await chooseTenant() });
  const response = await send('/graphql/playground');
  const text = await response.text();
  if (!response.ok) {
    startAgain();
    throw new Error(response.status === 401 ? 'Your session has expired. Sign in again.' : JSON.parse(text).message);
  }
  document.open();
  document.write(text);
  document.close();
}

/** If there are several, the form asks which one. */
async function chooseTenant() {
  if (!tenants.disabled) return tenant.value;
  const { tenants: own = [] } = await (await send('/auth/me')).json();
  if (own.length === 1) return own[0].id;
  if (own.length === 0) {
    startAgain();
    throw new Error('Your account belongs to no tenant.');
  }
  tenant.replaceChildren(...own.map(({ id, name }) => new Option(name, id)));
  hide(credentials);
  show(tenants);
  tenant.focus();
  throw new Error('Choose a tenant.');
}

function startAgain() {
  forget();
  hide(tenants);
  show(credentials);
}

function show(fields) {
  fields.hidden = fields.disabled = false;
}

function hide(fields) {
  fields.hidden = fields.disabled = true;
}
