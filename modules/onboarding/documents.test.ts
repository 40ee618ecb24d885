import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { type FormPart, filePart, formRequest, textPart } from '../../server/testing/form-body.ts';
import { uniqueId } from '../../server/testing/platform.ts';
import { storedFiles } from '../../server/testing/stored-files.ts';

const platform = await startAccounts({ environment: { APPLICATIONS_PER_MINUTE: '10000' } });
const { kernel } = platform;
const reseller = await platform.tenant({ role: 'reseller' });
const asha = await platform.person({ tenant: reseller });
const admin = '/api/v1/admin/reseller-applications';
/** One pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\ntrailer\n<< >>\n%%EOF\n');

/** By application. */
const tokens = new Map<string, string>();

async function newApplication(fields: object = {}): Promise<{ id: string; email: string }> {
  const { body: code } = await asha.post('/api/v1/admin/referral-codes', fields);
  const email = `${uniqueId()}@example.com`;
  const payload = { referral_code: code.referral_code.code, business_name: 'Tea', contact_name: 'Ravi', email };
  const { body } = await platform.request({ method: 'POST', url: '/api/v1/reseller-register/apply', payload });
  tokens.set(body.application_id, body.upload_token);
  return { id: body.application_id, email };
}

async function send(id: string, ...parts: FormPart[]) {
  const request = formRequest(`/api/v1/reseller-register/${id}/documents`, ...parts);
  const token = tokens.get(id) ?? '';
  return platform.request({ ...request, headers: { ...request.headers, 'x-upload-token': token } });
}
const upload = (id: string, type: string, content: Uint8Array = picture) =>
  send(id, textPart('type', type), filePart(content));
const readStatus = async (id: string) =>
  (await platform.request({ url: `/api/v1/reseller-register/${id}/status` })).body;
const stored = async () => (await storedFiles(kernel)).length;

test('documents are uploaded, reviewed through short-lived links, and the application is approved', async () => {
  const { id, email } = await newApplication();
  const first = await upload(id, 'government_id', pdf);
  expect(first).toMatchObject({
    status: 201,
    body: { message: 'Document received.', type: 'government_id', kyc_status: 'pending' },
  });
  expect((await upload(id, 'selfie')).body).toMatchObject({ kyc_status: 'submitted' });
  expect(await readStatus(id)).toMatchObject({
    kyc_status: 'submitted',
    uploaded_documents: ['government_id', 'selfie'],
  });
  await platform.mailTo(email, /received your documents/);
  const { body } = await asha.get(`${admin}/${id}/documents`);
  expect(body.documents.map(({ type, content_type }: Record<string, string>) => [type, content_type])).toEqual([
    ['government_id', 'application/pdf'],
    ['selfie', 'image/png'],
  ]);
  const { pathname, search } = new URL(body.documents[0].url, 'http://localhost');
  const file = await platform.app.inject({ url: pathname + search });
  expect(file.rawPayload.equals(pdf)).toBe(true);
  expect(file.headers).toMatchObject({
    'content-disposition': expect.stringMatching(/^attachment/),
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
  });
  const forged = await platform.app.inject({ url: pathname + search.replace(/expires=(\d+)/, 'expires=9$1') });
  expect(forged.statusCode).toBe(403);
  expect((await asha.post(`${admin}/${id}/kyc/verify`)).body.application).toMatchObject({ kyc_status: 'verified' });
  expect((await asha.post(`${admin}/${id}/approve`)).status).toBe(202);
  await eventually(async () => expect((await readStatus(id)).status).toBe('completed'));
  // Entries of actions that only read are written after the response.
  await eventually(async () => {
    const audit = await reseller.db.rows(sql`
      SELECT FROM module_bus_audit_log WHERE action = 'onboarding.listDocuments'`);
    expect(audit).toHaveLength(1);
  });
});

test('the id alone does not suffice: documents need the token of the application', async () => {
  const [{ id, email }, other] = [await newApplication(), await newApplication()];
  const token = tokens.get(id) ?? '';
  const before = await stored();
  for (const wrong of ['', 'x', tokens.get(other.id) ?? '', `${token}x`]) {
    tokens.set(id, wrong);
    expect(await upload(id, 'selfie')).toMatchObject({ status: 403, body: { code: 'onboarding.upload_token_needed' } });
  }
  expect(await stored()).toBe(before);
  expect((await readStatus(id)).uploaded_documents).toEqual([]);
  const { text } = await platform.mailTo(email, /received your application/);
  tokens.set(id, new RegExp(`/apply/${id}#(\\S+)`).exec(text)?.[1] ?? '');
  expect((await upload(id, 'selfie')).status).toBe(201);
});

test('a second application with the address does not get the token', async () => {
  const { id, email } = await newApplication();
  const { body: code } = await asha.post('/api/v1/admin/referral-codes', {});
  const payload = { referral_code: code.referral_code.code, business_name: 'Tea', contact_name: 'Thief', email };
  const { status, body } = await platform.request({ method: 'POST', url: '/api/v1/reseller-register/apply', payload });
  expect({ status, id: body.application_id }).toEqual({ status: 409, id });
  expect(JSON.stringify(body)).not.toContain(tokens.get(id));
  expect(JSON.stringify(await readStatus(id))).not.toContain(tokens.get(id));
});

test('with a code that approves automatically, verified documents suffice', async () => {
  const { id } = await newApplication({ auto_approve: true });
  for (const type of ['government_id', 'selfie']) await upload(id, type);
  await asha.post(`${admin}/${id}/kyc/verify`);
  await eventually(async () => expect((await readStatus(id)).status).toBe('completed'));
});

test('refused documents are removed, and the applicant uploads others', async () => {
  const { id, email } = await newApplication();
  for (const type of ['government_id', 'selfie']) await upload(id, type);
  const before = await stored();
  const reason = 'The selfie is not readable.';
  await asha.post(`${admin}/${id}/kyc/reject`, { reason });
  expect(await readStatus(id)).toMatchObject({
    kyc_status: 'rejected',
    uploaded_documents: [],
    rejection_reason: reason,
  });
  await eventually(async () => expect(await stored()).toBe(before - 2));
  expect((await platform.mailTo(email, /again/)).text).toContain(reason);
  expect((await upload(id, 'selfie')).body).toMatchObject({ kyc_status: 'pending' });
});

test('a document is replaced until all are there, then no more', async () => {
  const { id } = await newApplication();
  await upload(id, 'selfie');
  const before = await stored();
  await upload(id, 'selfie', pdf);
  await eventually(async () => expect(await stored()).toBe(before));
  await upload(id, 'government_id');
  expect((await upload(id, 'selfie')).body.code).toBe('onboarding.documents_closed');
  expect((await upload((await newApplication({ kyc_required: false })).id, 'selfie')).status).toBe(409);
});

test('other resellers cannot see documents, and the public sees only their types', async () => {
  const { id } = await newApplication();
  await upload(id, 'selfie');
  const other = await platform.person({ tenant: await platform.tenant({ role: 'reseller' }) });
  expect((await other.get(`${admin}/${id}/documents`)).status).toBe(404);
  const viewer = await platform.person({ tenant: reseller, role: 'Viewer' });
  expect((await viewer.get(`${admin}/${id}/documents`)).status).toBe(403);
  expect((await viewer.get(`${admin}/${id}`)).status).toBe(200);
  expect(Object.keys(await readStatus(id))).not.toContain('documents');
});

const shell = Buffer.from('#!/bin/sh\nrm -rf /\n');
const polyglot = Buffer.concat([picture, Buffer.from('<script>alert(1)</script>')]);

test.each<[string, () => FormPart[], number]>([
  ['a script', () => [textPart('type', 'selfie'), filePart(shell, 'selfie.png')], 415],
  ['an SVG', () => [textPart('type', 'selfie'), filePart('<svg xmlns="http://www.w3.org/2000/svg"/>')], 415],
  ['an empty file', () => [textPart('type', 'selfie'), filePart('')], 422],
  ['more than 10 MB', () => [textPart('type', 'selfie'), filePart(Buffer.alloc(10 * 1024 * 1024 + 1, 1))], 413],
  ['another type of document', () => [textPart('type', 'passport'), filePart(picture)], 422],
  ['no type', () => [filePart(picture)], 422],
  ['no file', () => [textPart('type', 'selfie')], 422],
  ['two files', () => [textPart('type', 'selfie'), filePart(picture), filePart(picture)], 422],
  ['a picture with a page behind it', () => [textPart('type', 'selfie'), filePart(polyglot)], 422],
  ['a path as name and a foreign type', () => [textPart('type', '../selfie'), filePart(picture, '../../x')], 422],
])('%s is refused, and nothing is stored', async (_, parts, expected) => {
  const { id } = await newApplication();
  const before = await stored();
  const { status, body } = await send(id, ...parts());
  expect({ status, body }).toMatchObject({ status: expected, body: { message: expect.any(String) } });
  expect(await stored()).toBe(before);
  expect((await readStatus(id)).uploaded_documents).toEqual([]);
});

test('an unknown application is 404, and nothing is stored', async () => {
  const before = await stored();
  expect((await upload('0190a000-0000-4000-8000-000000000000', 'selfie')).status).toBe(404);
  expect(await stored()).toBe(before);
});
