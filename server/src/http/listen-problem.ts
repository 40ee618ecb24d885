export function listenProblem({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE')
    return `port ${port} on ${host} is in use; stop the other process or set PORT to another port`;
  if (code === 'EACCES') return `this user may not listen on port ${port}; set PORT to 1024 or higher`;
  return `cannot listen on ${host}:${port}: ${message}`;
}
