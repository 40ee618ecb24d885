/** The version of the platform, for the compatibility of modules and the record of the installation. */
export const version = '1.0.0';
