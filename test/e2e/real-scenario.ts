import type { ApiObject } from '../../src/demo/api-server/object-store.ts';
import type { PodBehaviour } from '../../src/demo/cluster/behaviour.ts';
import { isWorkloadPart, type WorkloadPart } from '../../src/demo/cluster/workload-manifests.ts';
import type { Scenario } from '../../src/demo/scenarios/scenario.ts';
import type { Container, PodSpec } from '../../src/facts/objects/pod.ts';
import type { KubeObject } from '../cluster/client.ts';
import { backendImage } from '../cluster/image.ts';
import { type Authority, issue } from '../support/certificates.ts';

/** Behaviors that one node with one backend program cannot show, and why. */
const notHere: Readonly<Record<string, string>> = {
  'selector-covers-agents': 'all Pods run one image, so none is another program',
  'dual-stack': 'the cluster has IPv4 only',
  'host-network': 'the kubelet has the port',
  'available-apiservice': 'its availability is told by the scenario',
  'completed-job-pods': 'the backend program does not end by itself',
  'headless-with-endpoint-routing': 'the cluster routes by ClusterIP',
  'certificate-not-issued': 'there is no cert-manager',
  'old-side-effects': 'no served version of the API takes it',
  'service-port-not-tcp': 'the routing mode is known here, from other errors',
  'service-headless': 'the routing mode is known here, from other errors',
  'own-namespace-excluded': 'a webhook keeps to its own namespace here, and this one leaves it out',
  'target-port-closed': 'only a probe sees it; probes.e2e.ts has it',
  'certificate-job-failed': 'its Job failed hours ago; certificate-states.e2e.ts has a real one',
  'certificate-renewed-not-reloaded':
    'the Secret is older than the process here; certificate-states.e2e.ts has both',
  'internal-traffic-policy-local': 'every replica is on the node of the API server',
};

/** Behaviors of the backend program. */
const feasible: readonly PodBehaviour['is'][] = [
  'ready',
  'not-ready',
  'crashing',
  'out-of-memory',
  'init-failing',
];

/** Behaviors of connections are tested by other suites. */
const isToldWhatToRun = (pod: PodBehaviour): boolean =>
  'runs' in pod && Object.keys(pod.runs ?? {}).length > 0;

/** True for scenarios whose Pods one node can run, if all Pods of a workload behave alike. */
export const runsOnOneNode = ({ slug, parts }: Scenario): boolean =>
  !(slug in notHere) &&
  parts.some(isWorkloadPart) &&
  parts.every((part) =>
    isWorkloadPart(part)
      ? part.previous.length === 0 &&
        part.pods.length === 1 &&
        part.pods.every((pod) => feasible.includes(pod.is) && !isToldWhatToRun(pod))
      : part.kind !== 'Node',
  );

/** The program exits at once for an invalid argument. */
const senseless = ['--answer', 'nonsense'];

function argumentsFor({ is }: PodBehaviour, container: Container): readonly string[] {
  const [port] = container.ports ?? [];
  return [
    ...['--cert-dir', '/certs', '--port', String(port?.containerPort ?? 8443)],
    ...(is === 'crashing' ? senseless : []),
    ...(is === 'not-ready' ? ['--not-ready'] : []),
  ];
}

const exists = (image: string | undefined): boolean => !/^[^/]*\.invalid\//.test(image ?? '');

/** A container of a scenario with our backend program; an image that does not exist is unchanged. */
function realContainer(container: Container, behaviour: PodBehaviour): object {
  if (!exists(container.image)) return container;
  return {
    ...container,
    image: backendImage,
    imagePullPolicy: 'Never',
    args: argumentsFor(behaviour, container),
    readinessProbe: { ...container.readinessProbe, periodSeconds: 2, timeoutSeconds: 10 },
    volumeMounts: [...(container.volumeMounts ?? []), { name: 'certs', mountPath: '/certs' }],
    ...(behaviour.is === 'out-of-memory' ? { resources: { limits: { memory: '12Mi' } } } : {}),
  };
}

function realPod(spec: PodSpec, behaviour: PodBehaviour): object {
  return {
    ...spec,
    terminationGracePeriodSeconds: 1,
    containers: spec.containers.map((container) => realContainer(container, behaviour)),
    ...(spec.initContainers === undefined
      ? {}
      : {
          initContainers: spec.initContainers.map(({ name }) => ({
            ...{ name, image: backendImage, imagePullPolicy: 'Never', args: senseless },
          })),
        }),
    volumes: [...(spec.volumes ?? []), { name: 'certs', secret: { secretName: 'certs', optional: true } }],
  };
}

function realWorkload({ manifest, pods }: WorkloadPart): ApiObject {
  const [behaviour = { is: 'ready' }] = pods;
  if (manifest.kind === 'Pod') return { ...manifest, spec: realPod(manifest.spec as PodSpec, behaviour) };
  const spec = manifest.spec as { replicas?: number; template: { spec: PodSpec } };
  const template = { ...spec.template, spec: realPod(spec.template.spec, behaviour) };
  // managedFields cannot be written.
  const { managedFields: _managedFields, ...metadata } = manifest.metadata;
  // All scenarios share one small node: one replica instead of two.
  const replicas = spec.replicas === undefined ? {} : { replicas: Math.min(spec.replicas, 1) };
  return { ...manifest, metadata, spec: { ...spec, ...replicas, template } };
}

type Fields = Readonly<Record<string, unknown>>;

const trusting = (clientConfig: Fields, ca: Authority): Fields => ({
  ...clientConfig,
  caBundle: Buffer.from(ca.cert).toString('base64'),
});

/** Webhooks trust the CA of this run and match only their own namespace: scenarios share the cluster. */
function realObject(object: ApiObject, namespace: string, ca: Authority): ApiObject {
  const { status: _status, ...written } = object;
  if (object.kind === 'APIService')
    return { ...written, spec: { ...trusting(object.spec as Fields, ca) } } as unknown as ApiObject;
  if (!object.kind.endsWith('WebhookConfiguration')) return written as unknown as ApiObject;
  const own = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  const webhooks = (object.webhooks as readonly Fields[]).map((webhook) => ({
    ...webhook,
    namespaceSelector: own,
    clientConfig: trusting(webhook.clientConfig as Fields, ca),
  }));
  return { ...(written as unknown as ApiObject), webhooks };
}

/**
 * The manifests of the scenario for a real cluster: without status, Pods and EndpointSlices of controllers.
 */
export async function realObjects(scenario: Scenario, ca: Authority): Promise<readonly KubeObject[]> {
  const plain = scenario.parts.filter((part): part is ApiObject => !isWorkloadPart(part));
  const namespace = plain.find(({ kind }) => kind === 'Namespace')?.metadata.name ?? 'default';
  const services = plain.filter(({ kind }) => kind === 'Service');
  const certs = plain
    .filter(({ kind }) => kind === 'Namespace')
    .map(async ({ metadata: { name: home } }): Promise<ApiObject> => {
      const own = services.filter(({ metadata }) => metadata.namespace === home);
      const pair = await issue(ca, { dns: own.map(({ metadata }) => `${metadata.name}.${home}.svc`) });
      return {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: home, name: 'certs' },
        stringData: { 'tls.crt': pair.cert, 'tls.key': pair.key },
      };
    });
  const made = [
    ...plain.map((object) => realObject(object, namespace, ca)),
    ...(await Promise.all(certs)),
    ...scenario.parts.filter(isWorkloadPart).map(realWorkload),
  ];
  return made as unknown as readonly KubeObject[];
}
