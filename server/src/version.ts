/** The version of the platform: what modules declare compatibility with and what the installed marker records. */
export const version = '1.0.0';
