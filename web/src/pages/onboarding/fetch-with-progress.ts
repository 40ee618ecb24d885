/** `fetch` for an upload: it also tells which share of the body has been sent, from 0 to 1. */
export function fetchWithProgress(onProgress: (share: number) => void): typeof fetch {
  return (url, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, String(url));
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
      request.onload = () => {
        const type = request.getResponseHeader('content-type') ?? '';
        resolve(new Response(request.responseText, { status: request.status, headers: { 'content-type': type } }));
      };
      request.onerror = () => reject(new TypeError('The upload failed.'));
      request.onabort = () => reject(signal?.reason);
      signal?.addEventListener('abort', () => request.abort());
      request.send(body as XMLHttpRequestBodyInit | null);
    });
}
