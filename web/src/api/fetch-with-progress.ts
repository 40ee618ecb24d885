/** A `fetch` that reports how much of the body has been sent, from 0 to 1: that of browsers cannot. */
export function fetchWithProgress(onProgress: (share: number) => void): typeof fetch {
  return (address, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, String(address));
      new Headers(headers).forEach((value, name) => {
        request.setRequestHeader(name, value);
      });
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
      request.onload = () => resolve(toResponse(request));
      request.onerror = () => reject(new TypeError('The request failed.'));
      request.onabort = () => reject(signal?.reason);
      signal?.addEventListener('abort', () => request.abort());
      request.send(body as XMLHttpRequestBodyInit);
    });
}

function toResponse(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const [name = '', ...value] = line.split(': ');
    headers.append(name, value.join(': '));
  }
  return new Response(request.responseText, { status: request.status, headers });
}
