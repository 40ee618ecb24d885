import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { uniqueId } from '../../server/testing/platform.ts';

const platform = await startAccounts({ environment: { APPLICATIONS_PER_MINUTE: '10000' } });
const { kernel } = platform;
const { db: central } = kernel.central;
const platformOwner = await platform.tenant({ role: 'platform_owner' });
const reseller = await platform.tenant({ role: 'reseller', name: 'Tea Traders' });
const owner = await platform.person({ tenant: platformOwner });
const asha = await platform.person({ tenant: reseller });

async function newCode(fields: object = {}, by = asha): Promise<string> {
  const { status, body } = await by.post('/api/v1/admin/referral-codes', { kyc_required: false, ...fields });
  expect(status).toBe(201);
  return body.referral_code.code;
}

const form = (referral_code: string, fields: object = {}) => ({
  referral_code,
  business_name: 'Tea House',
  contact_name: 'Ravi',
  email: `${uniqueId()}@example.com`,
  ...fields,
});

const send = (payload: object) => platform.request({ method: 'POST', url: '/api/v1/reseller-register/apply', payload });
const readStatus = async (id: string) =>
  (await platform.request({ url: `/api/v1/reseller-register/${id}/status` })).body;
const admin = '/api/v1/admin/reseller-applications';
const completed = (id: string) =>
  eventually(async () => {
    const state = await readStatus(id);
    expect(state.status).toBe('completed');
    return state;
  });

test('with a code that approves automatically, the tenant is there at once', async () => {
  const code = await newCode({ auto_approve: true });
  const [alias, password] = [uniqueId(), 'correct horse battery'];
  const applicant = form(code, { preferred_domain: alias.toUpperCase(), password });
  const { status, body } = await send(applicant);
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      message: 'Your application was approved. Your organization is ready.',
      application_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'completed',
      kyc_required: false,
      required_documents: [],
      upload_token: expect.stringMatching(/^[\w-]{43}$/),
      tenant_id: expect.stringMatching(/^[a-z0-9]{8}$/),
    },
  });
  const state = await readStatus(body.application_id);
  expect(state).toMatchObject({ status: 'completed', kyc_status: 'not_required', tenant_id: body.tenant_id });
  expect(state.progress.map(({ step, status }: Record<string, string>) => `${step} ${status}`)).toEqual(
    ['tenant_id', 'database', 'primary_domain', 'alias', 'owner', 'modules', 'products', 'complete'].map(
      (step) => `${step} completed`,
    ),
  );
  expect(state.url).toMatch(new RegExp(`^http://${alias}\\.localhost`));
  const { email } = applicant;
  const signedIn = await platform.request({ method: 'POST', url: '/api/v1/auth/login', payload: { email, password } });
  const headers = { authorization: `Bearer ${signedIn.body.access_token}` };
  for (const label of [alias, body.tenant_id]) {
    const me = await platform.request({ url: '/api/v1/auth/me', headers: { ...headers, host: `${label}.localhost` } });
    expect(me.body).toMatchObject({ email, role: 'Owner', email_verified: false });
  }
  expect((await platform.mailTo(email, /is ready/)).text).toContain(`http://${alias}.localhost`);
  await platform.mailTo(email, /Verify/);
  const modules = await central.rows(sql`SELECT FROM module_installations WHERE tenant_id = ${body.tenant_id}`);
  expect(modules.length).toBeGreaterThan(4);
});

test('without automatic approval the reseller reviews and approves', async () => {
  const { body } = await send(form(await newCode()));
  expect(body).toMatchObject({ status: 'pending', kyc_required: false, required_documents: [] });
  const { application_id: id } = body;
  const listed = await asha.get(`${admin}?status=pending&search=TEA`);
  expect(listed.body.applications.map((one: { id: string }) => one.id)).toContain(id);
  const approved = await asha.post(`${admin}/${id}/approve`);
  expect(approved).toMatchObject({ status: 202, body: { status: 'provisioning', message: expect.any(String) } });
  const { tenant_id } = await completed(id);
  const { body: detail } = await asha.get(`${admin}/${id}`);
  expect(detail.application.domains).toContain(tenant_id);
  expect(detail.application).not.toHaveProperty('password_hash');
  expect((await asha.post(`${admin}/${id}/approve`)).body.code).toBe('onboarding.wrong_status');
});

test('a reseller sees only the applications of its own codes, the owner of the platform all', async () => {
  const other = await platform.person({ tenant: await platform.tenant({ role: 'reseller' }) });
  const merchant = await platform.person({ tenant: await platform.tenant() });
  const { application_id: id } = (await send(form(await newCode()))).body;
  expect((await other.get(`${admin}/${id}`)).status).toBe(404);
  expect((await other.post(`${admin}/${id}/approve`)).status).toBe(404);
  expect((await other.get(admin)).body.applications).toEqual([]);
  expect((await owner.get(`${admin}/${id}`)).status).toBe(200);
  expect((await merchant.get(`${admin}/${id}`)).status).toBe(403);
});

test('a reseller lists the tenants of its codes, the owner of the platform all', async () => {
  const { tenant_id } = (await send(form(await newCode({ auto_approve: true })))).body;
  const listIds = async (person: typeof asha) =>
    (await person.get('/api/v1/admin/tenants?per_page=100')).body.tenants.map(({ id }: { id: string }) => id);
  const [own, all] = [await listIds(asha), await listIds(owner)];
  expect(own).toContain(tenant_id);
  expect(own).not.toContain(platformOwner.id);
  expect(all).toEqual(expect.arrayContaining([tenant_id, platformOwner.id, reseller.id]));
});

test.each(['creating', 'importing', 'suspended', 'deleting'])('a tenant that is %s is listed', async (status) => {
  const { id } = await platform.tenant();
  await central.run(sql`UPDATE tenants SET status = ${status} WHERE id = ${id}`);
  const { body } = await owner.get(`/api/v1/admin/tenants?status=${status}`);
  expect(body.tenants).toMatchObject([{ id, status }]);
});

test('everything wrong with an application is reported at once', async () => {
  const { status, body } = await send({
    referral_code: 'NOBODY',
    contact_name: '',
    email: 'asha',
    preferred_domain: 'admin',
    password: 'short',
  });
  expect(status).toBe(422);
  expect(Object.keys(body.errors).sort()).toEqual(
    ['business_name', 'contact_name', 'email', 'password', 'preferred_domain', 'referral_code'].sort(),
  );
});

test.each(['www', 'api', 'Admin', 'a_b', '-tea', 'tea.house', 'stable'])(
  'the domain %s is refused',
  async (preferred_domain) => {
    const { status, body } = await send(form(await newCode(), { preferred_domain }));
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['preferred_domain'] });
  },
);

test('a second application with the same address gets the first one', async () => {
  const code = await newCode({ kyc_required: true });
  const applicant = form(code);
  const { body: first } = await send(applicant);
  const { status, body } = await send({ ...applicant, email: applicant.email.toUpperCase() });
  expect({ status, body }).toMatchObject({
    status: 409,
    body: {
      application_id: first.application_id,
      status: 'pending',
      kyc_status: 'pending',
      kyc_required: true,
      required_documents: ['government_id', 'selfie'],
    },
  });
});

test('of ten applications at once, a code for three accepts three', async () => {
  const code = await newCode({ max_uses: 3 });
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(form(code))));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(7).fill(422)]);
  const { body } = await asha.get('/api/v1/admin/referral-codes?sort_by=created_at');
  expect(body.referral_codes.find((one: { code: string }) => one.code === code)).toMatchObject({
    uses: 3,
    max_uses: 3,
  });
});

test('an expired code is refused', async () => {
  const code = await newCode({ expires_at: new Date(Date.now() - 1_000).toISOString() });
  expect((await send(form(code))).body.error_codes).toEqual({ referral_code: ['invalid'] });
});

test('two applicants with the same preferred domain both get a domain', async () => {
  const code = await newCode({ auto_approve: true });
  const preferred = uniqueId();
  const business_name = `Tea ${uniqueId()}`;
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => send(form(code, { preferred_domain: preferred, business_name }))),
  );
  const domains = await Promise.all(
    answers.map(async ({ body }) => (await owner.get(`${admin}/${body.application_id}`)).body.application.domains),
  );
  const slug = business_name.toLowerCase().replace(' ', '-');
  const aliases = domains.flat().filter((domain) => domain.length > 8);
  expect(aliases.sort()).toEqual([slug, `${slug}-2`, `${slug}-3`, preferred].sort());
});

test('names in any script become an alias', async () => {
  const code = await newCode({ auto_approve: true });
  const { body } = await send(form(code, { business_name: `चाय ${uniqueId()}` }));
  const { body: detail } = await owner.get(`${admin}/${body.application_id}`);
  expect(detail.application.domains.some((domain: string) => domain.startsWith('cay-t'))).toBe(true);
});

test('an applicant without a password gets a mail to choose one', async () => {
  const applicant = form(await newCode({ auto_approve: true }));
  expect((await send(applicant)).body.status).toBe('completed');
  const { subject, text } = await platform.mailTo(applicant.email, /password/);
  expect(subject).toMatch(/^Choose a password/);
  expect(text).toMatch(/was created for you.*\/password\/reset\/.*expires in 3 days/s);
  expect((await platform.mailTo(applicant.email, /is ready/)).text).toMatch(/-- \nTea Traders\s*$/);
});

/** The link in the mail that asks a person to own an organization, as its page calls the API. */
async function agreementLink(address: string): Promise<string> {
  const { text } = await platform.mailTo(address, /^Do you want to own/);
  return `/api/v1/invitations/${/invitations\/([\w-]+)/.exec(text)?.[1]}`;
}

test('a person with an account becomes the owner after agreeing by the mailed link', async () => {
  const [person, other] = [await platform.person(), await platform.person()];
  const { body } = await send(
    form(await newCode({ auto_approve: true }), { email: person.email, password: 'chosen 123' }),
  );
  expect(body.status).toBe('completed');
  const role = async () => {
    const me = await person.get('/api/v1/auth/me', { 'x-tenant': body.tenant_id });
    return me.status === 200 ? me.body.role : me.body.code;
  };
  expect(await role()).toBe('auth.not_a_member');
  const link = await agreementLink(person.email);
  expect((await platform.request({ url: link })).body.invitation).toMatchObject({
    email: person.email,
    role: 'Owner',
    tenant: { id: body.tenant_id, name: 'Tea House' },
    account_exists: true,
  });
  expect((await other.post(`${link}/accept`)).body.code).toBe('identity.wrong_account');
  expect(await role()).toBe('auth.not_a_member');
  expect((await person.post(`${link}/accept`)).status).toBe(200);
  expect(await role()).toBe('Owner');
  // The password of the application has not replaced that of the account.
  const login = { email: person.email, password: 'chosen 123' };
  expect((await platform.request({ method: 'POST', url: '/api/v1/auth/login', payload: login })).status).toBe(422);
});

test('an address that a stranger has signed up with does not give the stranger the organization', async () => {
  const stranger = await platform.person({ verified: false });
  const { body } = await send(form(await newCode({ auto_approve: true }), { email: stranger.email }));
  expect(body.status).toBe('completed');
  await agreementLink(stranger.email);
  const me = await stranger.get('/api/v1/auth/me', { 'x-tenant': body.tenant_id });
  expect(me.body.code).toBe('auth.not_a_member');
});

test('a reseller is created with the role of its code', async () => {
  const { body } = await send(form(await newCode({ auto_approve: true, tenant_role: 'reseller' })));
  const row = await central.row(sql`SELECT role FROM tenants WHERE id = ${body.tenant_id}`);
  expect(row).toEqual({ role: 'reseller' });
});

test('a rejected applicant gets the reason and may apply again', async () => {
  const applicant = form(await newCode());
  const { application_id: id } = (await send(applicant)).body;
  const reason = 'We do not know this business.';
  const rejected = await asha.post(`${admin}/${id}/reject`, { reason });
  expect(rejected.body.application).toMatchObject({ status: 'rejected', rejection_reason: reason });
  expect((await readStatus(id)).rejection_reason).toBe(reason);
  expect((await platform.mailTo(applicant.email, /not approved/)).text).toContain(reason);
  expect((await send(applicant)).status).toBe(201);
});

test('without verified documents an application cannot be approved', async () => {
  const { application_id: id } = (await send(form(await newCode({ kyc_required: true })))).body;
  expect((await asha.post(`${admin}/${id}/approve`)).body.code).toBe('onboarding.kyc_not_verified');
  const verify = await asha.post(`${admin}/${id}/kyc/verify`);
  expect(verify.body).toMatchObject({ code: 'onboarding.kyc_not_submitted', message: /government_id, selfie/ });
});

/** Provisioning fails with the address of a disabled account. */
async function disabledPerson() {
  const person = await platform.person();
  await central.run(sql`UPDATE users SET disabled_at = now() WHERE id = ${person.id}`);
  return person;
}

test('a provisioning that fails permanently reports the reason, and a retry continues it', async () => {
  const stranger = await disabledPerson();
  const { application_id: id } = (await send(form(await newCode(), { email: stranger.email }))).body;
  await asha.post(`${admin}/${id}/approve`);
  await eventually(async () => expect((await readStatus(id)).rejection_reason).toMatch(/cannot own/));
  // As if two further attempts had failed.
  await central.run(sql`UPDATE reseller_applications SET attempts = 3 WHERE id = ${id}`);
  await kernel.jobs.add({ job: 'onboarding.provision', tenant: '', data: { id }, requestId: 'test' });
  await eventually(async () => expect((await readStatus(id)).status).toBe('failed'));
  const state = await readStatus(id);
  expect(state.rejection_reason).toBe(
    `Failed at creating the owner. ${stranger.email} cannot own an organization. Ask the operator of the platform.`,
  );
  expect(state.progress[4]).toMatchObject({ step: 'owner', status: 'failed' });
  await central.run(sql`UPDATE users SET disabled_at = NULL WHERE id = ${stranger.id}`);
  expect((await asha.post(`${admin}/${id}/retry`)).status).toBe(202);
  await completed(id);
  const asked = await central.rows(sql`
    SELECT i.email FROM invitations i JOIN reseller_applications a ON a.tenant_id = i.tenant_id WHERE a.id = ${id}`);
  expect(asked).toEqual([{ email: stranger.email }]);
});

test('rejecting a failed application removes its database', async () => {
  const stranger = await disabledPerson();
  const { application_id: id } = (await send(form(await newCode(), { email: stranger.email }))).body;
  await central.run(sql`UPDATE reseller_applications SET attempts = 3, status = 'provisioning' WHERE id = ${id}`);
  await kernel.jobs.add({ job: 'onboarding.provision', tenant: '', data: { id }, requestId: 'test' });
  await eventually(async () => expect((await readStatus(id)).status).toBe('failed'));
  const row = await central.row<{ id: string }>(
    sql`SELECT tenant_id AS id FROM reseller_applications WHERE id = ${id}`,
  );
  expect(await kernel.databases.exists(`tenant${row?.id}`)).toBe(true);
  expect((await asha.post(`${admin}/${id}/reject`, { reason: 'No.' })).status).toBe(200);
  expect(await kernel.databases.exists(`tenant${row?.id}`)).toBe(false);
  expect(await central.row(sql`SELECT FROM tenants WHERE id = ${row?.id}`)).toBeUndefined();
});

test('mandatory products of the reseller are copied, and later their changes', async () => {
  const products = '/api/v1/products';
  const sku = uniqueId().toUpperCase();
  const product = { sku, title: 'Flag', price: '5.00', mandatory: true, stock: 7 };
  const { body: created } = await asha.post(products, product);
  await asha.post(products, { ...product, sku: `${sku}-X`, mandatory: false });
  const applicant = form(await newCode({ auto_approve: true }), { password: 'correct horse battery' });
  const { tenant_id } = (await send(applicant)).body;
  const child = await kernel.directory.find(tenant_id);
  const rows = () =>
    child?.db.rows(sql`SELECT sku, title, price::text, mandatory, stock FROM products WHERE deleted_at IS NULL`);
  expect(await rows()).toEqual([{ sku, title: 'Flag', price: '5.00', mandatory: true, stock: 0 }]);
  await child?.db.run(sql`UPDATE products SET stock = 3`);
  await asha.patch(`${products}/${created.product.id}`, { title: 'Big flag', price: '6.00' });
  await eventually(async () =>
    expect(await rows()).toEqual([{ sku, title: 'Big flag', price: '6.00', mandatory: true, stock: 3 }]),
  );
  await asha.delete(`${products}/${created.product.id}`);
  await eventually(async () => expect(await rows()).toMatchObject([{ sku, mandatory: false }]));
  await eventually(async () => {
    const audit = await child?.db.rows<{ action: string }>(sql`
      SELECT DISTINCT action FROM module_bus_audit_log WHERE transport = 'system'`);
    expect(audit).toEqual([{ action: 'onboarding.copyCatalogue' }]);
  });
});

test('a new tenant hears that its database is migrated', async () => {
  const { tenant_id } = (await send(form(await newCode({ auto_approve: true })))).body;
  await eventually(async () => {
    const row = await central.row(sql`
      SELECT announced_at IS NOT NULL AS announced FROM tenant_migrations WHERE tenant_id = ${tenant_id}`);
    expect(row).toEqual({ announced: true });
  });
});

test('the form has the address of a domain', async () => {
  const { body } = await platform.request({ url: '/api/v1/reseller-register/form' });
  expect(body).toEqual({ address: expect.stringMatching(/^http:\/\/\{domain\}\.localhost/) });
});

test('guesses of referral codes are limited, also in forms that are refused anyway', async () => {
  const { request } = await startAccounts({ environment: { APPLICATIONS_PER_MINUTE: '8' } });
  const guess = (fields: object) =>
    request({ method: 'POST', url: '/api/v1/reseller-register/apply', payload: form('a guess', fields) });
  const refused = async () => Object.keys((await guess({ contact_name: '' })).body.errors).sort();
  for (let tries = 0; tries < 2; tries += 1) {
    expect((await guess({})).body.error_codes).toEqual({ referral_code: ['invalid'] });
    expect(await refused()).toEqual(['contact_name', 'referral_code']);
  }
  expect((await guess({})).status).toBe(429);
  expect(await refused()).toEqual(['contact_name']);
});

test('after too many unknown codes a network learns nothing about those that exist', async () => {
  const environment = { APPLICATIONS_PER_MINUTE: '6', TRUSTED_PROXIES: 'loopback' };
  const other = await startAccounts({ environment, sharedWith: platform });
  const code = await newCode();
  const apply = async (referral_code: string, from: string) => {
    const headers = { 'x-forwarded-for': from };
    const url = '/api/v1/reseller-register/apply';
    return (await other.request({ method: 'POST', url, headers, payload: form(referral_code) })).status;
  };
  // The addresses of an IPv6 /48 count together.
  const statuses = [];
  for (let index = 1; index <= 3; index += 1) statuses.push(await apply('unknown', `2001:db8:5:${index}::1`));
  expect(statuses).toEqual([422, 422, 422]);
  expect(await apply(code, '2001:db8:5:4::1')).toBe(429);
  expect(await apply(code, '2001:db8:6:1::1')).toBe(201);
});

test('a reseller cannot probe for the codes of others without limit', async () => {
  const other = await startAccounts({ environment: { APPLICATIONS_PER_MINUTE: '3' }, sharedWith: platform });
  const code = await newCode();
  const headers = { authorization: `Bearer ${owner.accessToken}`, 'x-tenant': platformOwner.id };
  const create = async (payload: object) =>
    (await other.request({ method: 'POST', url: '/api/v1/admin/referral-codes', headers, payload })).status;
  const statuses = [];
  for (let tries = 0; tries < 4; tries += 1) statuses.push(await create({ code }));
  expect(statuses).toEqual([422, 422, 422, 429]);
  expect(await create({})).toBe(201);
});
