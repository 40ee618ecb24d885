const key = (applicationId: string) => `chowk.upload.${applicationId}`;

/** The secret that uploads need, in this browser tab. */
export function keepUploadToken(applicationId: string, token: string): void {
  sessionStorage.setItem(key(applicationId), token);
}

/** From the mailed link, whose last part is then removed from the address, or as it was kept. */
export function findUploadToken(applicationId: string): string | undefined {
  const token = location.hash.slice(1);
  if (token !== '') {
    keepUploadToken(applicationId, token);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(key(applicationId)) ?? undefined;
}
