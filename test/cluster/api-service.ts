import type { KubeObject } from './client.ts';

/**
 * The APIService `v1.GROUP`.
 *
 * @param spec its Service, and how the certificate is verified: `caBundle` or `insecureSkipTLSVerify`.
 */
export const apiServiceOf = (
  group: string,
  spec: {
    readonly service: { readonly namespace: string; readonly name: string };
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
  },
): KubeObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `v1.${group}` },
  spec: { group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 100, ...spec },
});
