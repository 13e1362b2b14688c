import { ofKey } from '../../facts/object-ref.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { ApiObject } from '../api-server/object-store.ts';
import { type CertificateKind, servingCertificate } from '../certificate/demo-certificates.ts';
import { ago, lately } from './ago.ts';
import { replicaName, replicaSetName } from './generated-name.ts';

/** Further metadata of an object. */
export type MetadataOver = Partial<Omit<Metadata, 'name' | 'namespace'>>;

/** A Namespace. */
export const namespace = (name: string, labels: Readonly<Record<string, string>> = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

/** A Node; not ready means that its kubelet no longer reports. */
export const node = (
  name: string,
  over: { readonly ready?: boolean; readonly labels?: Readonly<Record<string, string>> } = {},
): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...over.labels } },
  spec:
    over.ready === false ? { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] } : {},
  status: {
    conditions: [
      over.ready === false
        ? {
            type: 'Ready',
            status: 'Unknown',
            reason: 'NodeStatusUnknown',
            message: 'Kubelet stopped posting node status.',
            lastTransitionTime: ago('3m'),
          }
        : {
            type: 'Ready',
            status: 'True',
            reason: 'KubeletReady',
            message: 'kubelet is posting ready status',
            lastTransitionTime: ago('30d'),
          },
    ],
  },
});

/** The Service `namespace/name`; defaults: port 443 to 8443, selector `app: name`. */
export function service(
  key: string,
  spec: Partial<Service['spec']> = {},
  metadata: MetadataOver = {},
): ApiObject {
  const at = ofKey(key);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...at, ...metadata },
    spec: { selector: { app: at.name }, ports: [{ port: 443, targetPort: 8443 }], ...spec },
  };
}

/** A Service without selector, whose endpoints are created by someone else. */
export function selectorlessService(key: string, spec: Partial<Service['spec']> = {}): ApiObject {
  const { spec: full, ...rest } = service(key, spec);
  const { selector: _selector, ...without } = full as Service['spec'];
  return { ...rest, spec: without };
}

/** A manually created EndpointSlice of the Service `key`. */
export const endpointSlice = (key: string, name: string, addresses: readonly string[]): ApiObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    namespace: ofKey(key).namespace,
    name,
    labels: { 'kubernetes.io/service-name': ofKey(key).name },
  },
  addressType: addresses[0]?.includes(':') ? 'IPv6' : 'IPv4',
  ports: [{ port: 8443 }],
  endpoints: addresses.map((address) => ({ addresses: [address] })),
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A Secret with the serving certificate of a Service; the key is a placeholder. */
export function servingSecretManifest(
  key: string,
  service: string,
  kind: CertificateKind = 'trusted',
): ApiObject {
  const { namespace: home, name } = ofKey(service);
  const { certificate, authority } = servingCertificate(kind, [`${name}.${home}.svc`], new Date());
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: ofKey(key),
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(certificate), 'tls.key': base64('placeholder'), 'ca.crt': base64(authority) },
  };
}

/** A ConfigMap with the serving certificate of a Service. */
export function servingConfigMap(key: string, service: string, kind: CertificateKind): ApiObject {
  const { namespace: home, name } = ofKey(service);
  const { certificate } = servingCertificate(kind, [`${name}.${home}.svc`], new Date());
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: ofKey(key), data: { 'tls.crt': certificate } };
}

/** The Lease `namespace/name`, renewed by a Pod of a Deployment there, as by controller-runtime. */
export function lease(key: string, deployment: string, ordinal = 0): ApiObject {
  const at = ofKey(key);
  const holder = replicaName(replicaSetName(at.namespace, deployment, 1), ordinal);
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: at,
    spec: {
      holderIdentity: `${holder}_6c6b2c4e-8f39-4c7f-9d0e-3f1f1a7c9a11`,
      leaseDurationSeconds: 15,
      acquireTime: ago('2h'),
      renewTime: lately('2s'),
      leaseTransitions: 1,
    },
  };
}
