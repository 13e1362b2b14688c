import type { Client, KubeObject } from '../cluster/client.ts';
import {
  authorityDraft,
  type Draft,
  serverDraft,
  signChain,
  signDraft,
} from '../oracle/certificate/chain-draft.ts';
import { pemOf } from '../oracle/certificate/make-certificate.ts';
import { type TestKey, testKey } from '../oracle/certificate/test-key.ts';

const namespaces = 50;
const replicas = [0, 1];
const now = new Date();
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** The certificate that a webhook's server presents, and the caBundle of its configuration. */
export interface Material {
  /** PEM. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A separate CA for each webhook; RSA and P-256 keys alternate. One in ten caBundles is wrong. */
export function material(index: number, host: string): Material {
  const kind = index % 2 === 0 ? 'rsa2048' : 'p256';
  const [above, below]: [TestKey, TestKey] = [testKey(kind, index % 20), testKey(kind, 100)];
  const root: Draft = { ...authorityDraft(0, now, above), subject: { cn: `authority-${index}` } };
  const server: Draft = { ...serverDraft(host, now, below), serial: BigInt(1000 + index) };
  const [ca = Buffer.alloc(0), cert = Buffer.alloc(0)] = signChain([root, server]);
  const told = index % 10 === 3 ? signDraft({ ...root, key: testKey(kind, 50) }) : ca;
  return {
    ca: pemOf(told),
    cert: pemOf(cert),
    key: below.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** The name under which the API server calls a callout's Service. */
export const nameOf = (index: number): string => `backend-${index}.ns-${index % namespaces}.svc`;

function objectsOf(index: number, webhooks: number): readonly KubeObject[] {
  const namespace = `ns-${index % namespaces}`;
  const name = `backend-${index}`;
  const { ca, cert, key } = material(index, nameOf(index));
  const ofBackend = { name, namespace };
  const address = (replica: number): string => `198.18.${index % 250}.${2 + replica}`;
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: ofBackend,
      data: { 'tls.crt': base64(cert), 'tls.key': base64(key), 'ca.crt': base64(ca) },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: ofBackend,
      spec: { selector: { app: name }, ports: [{ port: 443, targetPort: 8443 }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...ofBackend, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8443, protocol: 'TCP' }],
      endpoints: replicas.map((replica) => ({
        addresses: [address(replica)],
        conditions: { ready: true },
        targetRef: { kind: 'Pod', name: `${name}-${replica}`, namespace },
      })),
    },
    ...replicas.map((replica) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${name}-${replica}`, namespace, labels: { app: name } },
      spec: {
        nodeName: 'node-0',
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'webhook',
            image: 'registry.example.com/team/webhook:v1.2.3',
            ports: [{ containerPort: 8443 }],
            volumeMounts: [{ name: 'certs', mountPath: '/tmp/k8s-webhook-server/serving-certs' }],
          },
        ],
        volumes: [{ name: 'certs', secret: { secretName: name } }],
      },
    })),
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: numbers(webhooks).map((webhook) => ({
        name: `w${webhook}.${name}.example.com`,
        clientConfig: {
          caBundle: base64(ca),
          service: { namespace, name, port: 443, path: `/validate-${webhook}` },
        },
        rules: [
          {
            operations: ['CREATE'],
            apiGroups: ['bench.example.com'],
            apiVersions: ['*'],
            resources: ['*'],
          },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      })),
    },
  ];
}

/** Namespaces and the objects that their Pods need. */
export async function prepareNamespaces(client: Client): Promise<void> {
  for (const index of numbers(namespaces)) {
    const name = `ns-${index}`;
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    // Without a controller manager, the ServiceAccount that admission requires is not created.
    await client.create({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace: name },
    });
  }
}

/** The node of all Pods, whose kubelet listens on a port of 127.0.0.1. */
export async function addNode(client: Client, kubeletPort: number): Promise<void> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-0' } };
  await client.create(node);
  await client.patch(
    node,
    {
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
      },
    },
    'status',
  );
}

/** Creates backends `from` to `to`, each with a CA, a Secret, a Service, two Pods and some webhooks. */
export async function loadCertificates(
  client: Client,
  from: number,
  to: number,
  webhooks: number,
): Promise<void> {
  const queue = numbers(to - from).values();
  const worker = async (): Promise<void> => {
    for (const index of queue)
      for (const object of objectsOf(from + index, webhooks)) await client.create(object);
  };
  await Promise.all(numbers(16).map(worker));
}
