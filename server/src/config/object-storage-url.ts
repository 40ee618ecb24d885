interface ObjectStorage {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Reads `s3://key:secret@host/bucket?region=eu-central-1`. Throws if a part is missing. */
export function readObjectStorageUrl(text: string): ObjectStorage {
  const { protocol, host, pathname, username, password, searchParams } = new URL(text);
  const [, bucket = ''] = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(pathname) ?? [];
  const { region = 'us-east-1', tls = 'true', ...unknown } = Object.fromEntries(searchParams);
  const isComplete = protocol === 's3:' && host !== '' && bucket !== '' && username !== '' && password !== '';
  const isKnown = /^[a-z0-9-]+$/.test(region) && /^(true|false)$/.test(tls) && Object.keys(unknown).length === 0;
  if (!isComplete || !isKnown) throw new Error('the URL of the object storage is not valid');
  return {
    endpoint: `${tls === 'true' ? 'https' : 'http'}://${host}`,
    bucket,
    region,
    credentials: { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) },
  };
}
