import { Config, type Interfaces } from '@oclif/core';
import packageJson from '../../package.json' with { type: 'json' };

/**
 * oclif's Config, created in memory. `Config.load` would search the disk for package.json, plugins, a
 * manifest and a theme, all of which are known at build time.
 */
export function oclifConfig(): Config {
  const root = '';
  const pjson = packageJson as unknown as Interfaces.PJSON;
  const { name, version } = pjson;
  const config = new Config({ root, pjson });
  return Object.assign(config, {
    arch: process.arch,
    bin: packageJson.oclif.bin,
    name,
    pjson,
    platform: process.platform,
    root,
    rootPlugin: { name, root, pjson, hooks: {}, commands: [] },
    shell: '',
    topicSeparator: packageJson.oclif.topicSeparator,
    userAgent: `${name}/${version}`,
    version,
  });
}
