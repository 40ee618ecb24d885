import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { Issues, listTypes, type UploadRules } from '@chowk/kit/kernel';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { fail } from '../errors.ts';
import { detectType, isPolyglot } from '../files/file-type.ts';
import { type ReceivedContent, ReceivedFile, receiveContent } from '../files/received-file.ts';
import { discardRest } from './discard-rest.ts';

/** The parts of a `multipart/form-data` body. */
export interface Form {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly file: ReceivedFile | undefined;
  /** Equal for bodies with the same parts. */
  readonly digest: string;
}

interface FormRules extends UploadRules {
  /** The part that is the file. */
  readonly name: string;
  readonly folder: string;
}

interface Part {
  readonly name: string;
  readonly content: Promise<ReceivedContent>;
  readonly fileName: string;
}

const limits = {
  fields: 20,
  parts: 21,
  files: 1,
  fieldNameSize: 100,
  fieldSize: 65_536,
  headerPairs: 20,
  headerSize: 8_192,
};

/** The maximum size of the body with a file of `maxBytes`: text fields and headers take the rest. */
export function formLimit(maxBytes: number): number {
  return maxBytes + 131_072;
}

/** Reads the form; its file goes to the disk as it arrives. Throws if the form or its file cannot be accepted. */
export async function readForm(body: Readable, headers: IncomingHttpHeaders, rules: FormRules): Promise<Form> {
  if (Number(headers['content-length']) > formLimit(rules.maxBytes)) {
    discardRest(body);
    throw tooLarge(rules);
  }
  const issues = new Issues();
  const fields: Record<string, unknown> = Object.create(null);
  let part: Part | undefined;
  try {
    await readParts(body, headers, rules, {
      field: (name, value, isTruncated) => {
        if (name in fields) issues.add(name, `The ${name} is sent more than once.`, 'too_many');
        if (isTruncated) issues.add(name, `The ${name} is too long.`, 'too_long');
        fields[name] = value;
      },
      file: (one) => {
        part = one;
      },
      tooMany: (message) => issues.add(rules.name, message, 'too_many'),
    });
  } catch (error) {
    await part?.content.then(
      ({ handle }) => handle.close(),
      () => {},
    );
    throw error;
  }
  const content = await part?.content;
  try {
    const file = part && content && acceptFile(part, content, rules, issues);
    issues.throwIfAny();
    const digest = createHash('sha256')
      .update(JSON.stringify([fields, content?.sha256]))
      .digest('hex');
    return { fields: { ...fields, ...(file ? { [rules.name]: file } : {}) }, file, digest };
  } catch (error) {
    await content?.handle.close();
    throw error;
  }
}

function acceptFile(
  { fileName }: Part,
  content: ReceivedContent,
  { name, types, maxBytes }: FormRules,
  issues: Issues,
): ReceivedFile | undefined {
  const { size, excerpt } = content;
  if (size > maxBytes) throw fail('files.too_large', { limit: maxBytes });
  if (size === 0) {
    issues.add(name, `The ${name} is empty.`, 'too_small');
    return undefined;
  }
  const type = detectType(excerpt);
  if (!type || !types.includes(type)) throw fail('files.wrong_type', { types: listTypes(types) });
  if (isPolyglot(excerpt)) issues.add(name, `The ${name} has the content of more than one type of file.`);
  return new ReceivedFile(content, { field: name, type, fileName });
}

interface PartHandlers {
  field(name: string, value: string, isTruncated: boolean): void;
  file(part: Part): void;
  tooMany(message: string): void;
}

/** Settles when the whole body is read, or rejects without waiting for the rest. */
async function readParts(
  body: Readable,
  headers: IncomingHttpHeaders,
  rules: FormRules,
  on: PartHandlers,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const parser = newParser(headers, rules.name);
  let received = 0;
  let open: Readable | undefined;
  let isStopped = false;
  const stop = (error: unknown) => {
    if (isStopped) return;
    isStopped = true;
    body.unpipe(parser);
    open?.destroy(new Error('the body was not read to its end'));
    discardRest(body);
    reject(error);
  };
  body.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > formLimit(rules.maxBytes)) stop(tooLarge(rules));
  });
  // The client has closed the connection.
  finished(body, { writable: false }, (error) => error && stop(fail('http.bad_request')));
  parser.on('field', (name, value, _, isTruncated) => on.field(name ?? '', value, isTruncated));
  parser.on('file', (name, stream, fileName) => {
    open = stream;
    stream.on('error', () => stop(fail('http.malformed_form')));
    const content = receiveContent(stream, rules.folder, rules.maxBytes);
    content.catch(stop);
    on.file({ name, content, fileName: String(fileName ?? '').slice(0, 255) });
  });
  parser.on('filesLimit', () => on.tooMany(`Send one ${rules.name} only.`));
  parser.on('fieldsLimit', () => on.tooMany('The form has too many parts.'));
  parser.on('partsLimit', () => on.tooMany('The form has too many parts.'));
  parser.on('error', () => stop(fail('http.malformed_form')));
  parser.on('finish', resolve);
  body.pipe(parser);
  await promise;
}

function newParser(headers: IncomingHttpHeaders, fileField: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': String(headers['content-type']) },
      limits,
      isPartAFile: (name) => name === fileField,
    });
  } catch {
    throw fail('http.malformed_form');
  }
}

function tooLarge({ maxBytes }: FormRules) {
  return fail('files.too_large', { limit: maxBytes });
}
