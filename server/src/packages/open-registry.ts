import type { Config } from '../config/config.ts';
import { folderRegistry } from './folder-registry.ts';
import { httpRegistry } from './http-registry.ts';
import type { Registry } from './registry.ts';

export function openRegistry(config: Config): Registry {
  const { moduleRegistryUrl: url, moduleRegistryToken: token, moduleRegistryPath, outboundAllowHosts } = config;
  return url === undefined
    ? folderRegistry(moduleRegistryPath)
    : httpRegistry({ url, token, allowedHosts: outboundAllowHosts });
}
