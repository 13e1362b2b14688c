import { existsSync } from 'node:fs';
import { findProgram } from './component.ts';

/**
 * The requirements of a suite. `node`: a cluster with a node and our images. `own-node`: also, the test runs
 * inside the cluster's network namespace and may change its packet filter. `api-server`: a separate
 * kube-apiserver with its own flags.
 */
export type Need = 'node' | 'own-node' | 'api-server';

/** Set in the environment of tests: the name of the cluster with a node. */
export const clusterVariable = 'KUBECTL_WEBHOOK_TEST_CLUSTER';

/** The Kubernetes version of API servers without a node in this environment; undefined: the default. */
export const wantedVersion = (): string | undefined => process.env.E2E_KUBERNETES || undefined;

/** Why this machine and environment cannot provide it; undefined: they can. */
export function whyNot(need: Need): string | undefined {
  if (need === 'node' && process.env.KUBECONFIG_E2E) return undefined;
  if (need === 'api-server') return whyNoApiServer();
  if (process.env[clusterVariable]) return undefined;
  if (process.env.KUBECONFIG_E2E) return 'KUBECONFIG_E2E names a cluster whose node is not ours';
  return whyNoNode() ?? 'no cluster was started: use `npm run test:e2e`';
}

/** Why no one-node cluster can be built and run here. */
export function whyNoNode(): string | undefined {
  if (process.platform !== 'linux') return 'a node needs Linux';
  if (process.getuid?.() !== 0) return 'a node needs root';
  return missingPrograms('go', 'etcd', 'containerd', 'ctr', 'runc', 'ip', 'nsenter', 'iptables', 'conntrack');
}

function whyNoApiServer(): string | undefined {
  if (process.platform !== 'linux') return 'the harness knows processes by /proc, which needs Linux';
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (!assets) return missingPrograms('go', 'etcd', 'flock');
  const missing = ['etcd', 'kube-apiserver'].filter((name) => !existsSync(`${assets}/${name}`));
  return missing.length === 0 ? undefined : `KUBEBUILDER_ASSETS has no ${missing.join(', no ')}`;
}

function missingPrograms(...names: readonly string[]): string | undefined {
  const missing = names.filter((name) => findProgram(name) === undefined);
  return missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`;
}
