import { Config, type Interfaces } from '@oclif/core';
import { programName, version } from './program.ts';

/**
 * oclif's Config, made in memory. `Config.load` would search the disk for package.json, plugins, a manifest and a
 * theme; everything that it would find is known when the program is built.
 */
export function oclifConfig(): Config {
  const root = '';
  const pjson = { name: 'kubectl-webhook', version, oclif: { bin: programName } } as Interfaces.PJSON;
  const config = new Config({ root, pjson });
  const rootPlugin = { name: pjson.name, root, pjson, hooks: {}, commands: [] };
  return Object.assign(config, {
    arch: process.arch,
    bin: programName,
    name: pjson.name,
    pjson,
    platform: process.platform,
    root,
    rootPlugin,
    shell: '',
    topicSeparator: ' ',
    userAgent: `kubectl-webhook/${version}`,
    version,
  });
}
