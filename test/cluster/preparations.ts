import { nodeToRun } from '../../scripts/release/node-package.ts';
import { platforms } from '../../scripts/release/platforms.ts';
import { certManagerFolder } from './cert-manager.ts';
import { prepareParts } from './clusters.ts';
import { helmBinary } from './helm.ts';
import { leaderCacheArchive } from './image.ts';
import { konnectivityBinary } from './konnectivity.ts';
import { kubectlBinary } from './kubectl.ts';
import { newerVersion } from './kubernetes.ts';
import { promtool } from './promtool.ts';

/** Node for the image of the other architecture. */
async function nodesOfImages(): Promise<void> {
  for (const platform of platforms.filter(({ os }) => os === 'linux'))
    await nodeToRun(platform.nodePackage, platform.nodeVersion);
}

/**
 * Downloads and builds of suites beyond the parts of a cluster, by a part of their file names. Suites run
 * inside the network of the cluster, without access to registries.
 */
const preparations: readonly (readonly [suite: string, prepare: () => Promise<unknown>])[] = [
  ['', kubectlBinary],
  ['alert-rules', promtool],
  ['chart', promtool],
  ['chart', helmBinary],
  ['remote-control-plane', konnectivityBinary],
  ['cert-manager', certManagerFolder],
  ['leader-cache', leaderCacheArchive],
  ['image', nodesOfImages],
  ['what-if', () => prepareParts('api-server', newerVersion)],
];

/** Downloads and builds what these suites need, or all suites; seconds if it is cached. */
export async function prepareSuites(files?: readonly string[]): Promise<void> {
  for (const [suite, prepare] of preparations)
    if (files === undefined || files.some((file) => file.includes(suite))) await prepare();
}
