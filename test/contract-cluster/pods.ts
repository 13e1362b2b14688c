import type { ApiObject } from '../../src/demo/api-server/object-store.ts';
import { running } from '../../src/demo/cluster/behaviour.ts';
import { namespace, service } from '../../src/demo/cluster/manifests.ts';
import { rule, validating, webhook } from '../../src/demo/cluster/webhook-manifests.ts';
import { barePod, type WorkloadPart } from '../../src/demo/cluster/workload-manifests.ts';
import type { Process } from '../../src/demo/network/pod-network.ts';

/**
 * One Pod of the suite: its process in the demo, and the arguments of the backend program for the same
 * behavior.
 */
export interface ContractPod {
  readonly process: Process;
  readonly args: readonly string[];
}

/** The namespace of the suite. */
export const home = 'ways';

const certs = ['--cert-dir', '/certs'];

/** By name; each has a Service of that name. */
export const contractPods: Readonly<Record<string, ContractPod>> = {
  sound: { process: {}, args: certs },
  'on-loopback': { process: { listens: 'on-loopback' }, args: [...certs, '--bind', '127.0.0.1'] },
  'plain-http': { process: { certificate: 'none' }, args: [] },
  'closes-tls': { process: { fault: 'close-tls' }, args: [...certs, '--fault', 'close-tls'] },
  'resets-tls': { process: { fault: 'reset-tls' }, args: [...certs, '--fault', 'reset-tls'] },
  'closes-http': { process: { fault: 'close-http' }, args: [...certs, '--fault', 'close-http'] },
  'hangs-http': { process: { fault: 'hang-http' }, args: [...certs, '--fault', 'hang-http'] },
  'old-tls': {
    process: { minTls: 'TLSv1', maxTls: 'TLSv1.1' },
    args: [...certs, '--tls-min', 'TLSv1', '--tls-max', 'TLSv1.1'],
  },
  'demands-certificate': {
    process: { demandsClientCertificate: true },
    args: [...certs, '--client-ca', '/certs/tls.crt'],
  },
  denies: {
    process: { answer: 'deny', message: 'not on a Sunday' },
    args: [...certs, '--answer', 'deny', '--message', 'not on a Sunday'],
  },
  redirects: { process: { answer: 'redirect' }, args: [...certs, '--answer', 'redirect'] },
  'not-found': {
    process: { answer: 'raw', status: 404, body: 'what?' },
    args: [...certs, '--answer', 'raw', '--status', '404', '--body', 'what?'],
  },
  breaks: {
    process: { answer: 'raw', status: 500, body: 'boom' },
    args: [...certs, '--answer', 'raw', '--status', '500', '--body', 'boom'],
  },
  'says-nothing': { process: { answer: 'empty' }, args: [...certs, '--answer', 'empty'] },
  'no-response': { process: { answer: 'no-response' }, args: [...certs, '--answer', 'no-response'] },
  'wrong-uid': { process: { answer: 'wrong-uid' }, args: [...certs, '--answer', 'wrong-uid'] },
  expired: { process: { certificate: 'expired' }, args: certs },
  'another-name': { process: { certificate: 'for-another-name' }, args: certs },
  'another-authority': { process: { certificate: 'of-another-authority' }, args: certs },
  'renewed-authority': { process: { certificate: 'of-renewed-authority' }, args: certs },
};

/** A webhook for each Pod, called for ConfigMaps with its name; and some without a backend. */
const about = (name: string, over: Parameters<typeof webhook>[1] = {}) =>
  webhook(`${name}.ways.example.com`, {
    service: `${home}/${name}`,
    rules: [rule('v1', 'configmaps', 'CREATE')],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': home } },
    objectSelector: { matchExpressions: [{ key: 'ask', operator: 'In', values: [name] }] },
    timeoutSeconds: name === 'hangs-http' ? 2 : 20,
    ...over,
  });

export const webhooks: ApiObject = {
  ...validating('ways', [
    ...Object.keys(contractPods).map((name) => about(name)),
    about('nothing-behind', { failurePolicy: 'Ignore' }),
    about('closed-port'),
    about('nowhere'),
    about('no-such-port', { service: `${home}/sound`, port: 9443 }),
    about('trailing-slash', { service: `${home}/breaks`, path: '/validate/' }),
  ]),
};

/** Its image does not exist, so that there is a sandbox and no process; or it has no node; or no sandbox. */
const idle: readonly WorkloadPart[] = [
  barePod(`${home}/no-image`, { container: { image: 'registry.invalid/nothing:1' } }),
  barePod(`${home}/no-node`, { spec: { nodeSelector: { nowhere: 'true' } } }),
  barePod(`${home}/no-sandbox`, {
    container: { volumeMounts: [{ name: 'absent', mountPath: '/absent' }] },
    spec: { volumes: [{ name: 'absent', secret: { secretName: 'absent' } }] },
  }),
];

/** All objects of the namespace except the webhooks. */
export const ways: readonly (ApiObject | WorkloadPart)[] = [
  namespace(home),
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: home, name: 'there-already' } },
  ...Object.entries(contractPods).flatMap(([name, { process }]) => [
    service(`${home}/${name}`),
    barePod(`${home}/${name}`, { pods: [running(process)] }),
  ]),
  ...idle,
  service(`${home}/no-image`),
  service(`${home}/nothing-behind`),
  service(`${home}/closed-port`, { selector: { app: 'sound' }, ports: [{ port: 443, targetPort: 9999 }] }),
];
