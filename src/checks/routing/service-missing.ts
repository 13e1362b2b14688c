import { refusesCreation } from '../../apiserver/deadlock/refused-creation.ts';
import { derive } from '../../basics/derive.ts';
import {
  clientConfigEvidence,
  configurationKey,
  isAdmission,
  namedService,
  type ServiceBacked,
  type ServiceReference,
  servedByService,
} from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, refOf } from '../../facts/object-ref.ts';
import { endpointsIn, isReadyEndpoint } from '../../facts/objects/endpoint-slice.ts';
import { selectsPods } from '../../facts/objects/service.ts';
import {
  calledNamesakes,
  otherNamespaces,
  serviceOfApi,
  serviceOfResource,
  similarService,
} from '../../facts/objects/suggested-service.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { refOfWorkload } from '../../facts/workloads/workloads.ts';
import { conversionOff } from '../../phrases/conversion-off.ts';
import { listed } from '../../phrases/lists.ts';
import { belongsTo, installationOf } from '../../products/installation.ts';
import { type CheckStep, defineCheck, firstReported, type Messages } from '../check.ts';

/** Without conversion, only `apiVersion` of an object differs between versions. */
const withoutConversion = `[with] If the product was uninstalled, or runs without its webhook, turn the conversion off, so that its objects can be read and deleted: ${conversionOff}.`;

/** Only the deletion of a CRD reads its objects then. */
const endDeletion = `[end] If the product was uninstalled, turn its conversion off, so that its objects can be read and deleted: ${conversionOff}. [end] If an object remains, remove what its finalizers wait for. [end] If the product is needed, install it again when the CRD is deleted.`;

/** The advice if the Service may be another one. */
const correctReference =
  '[end] If the product now uses that Service, correct the reference where it is declared (chart, manifest, operator): `kubectl edit {kind} {configuration}`. [end] If the product was uninstalled, delete the configuration that refers to the Service: `kubectl delete {kind} {leftover}`.';

/** Configurations with a webhook whose Service exists. */
const inUse = derive(
  ['callouts', 'services'],
  ({ callouts, services }: Pick<Facts, 'callouts' | 'services'>) =>
    new Set(
      callouts
        .filter(({ client: { service } }) => service && services.getIfKnown(keyOf(service)) !== undefined)
        .map(configurationKey),
    ),
);

/** Facts of the first lists: this check explains most failures, and runs while others are read. */
const required = ['callouts', 'services', 'endpointSlices', 'namespaces', 'version', 'served'] as const;
/** Workloads only decide the order of the steps. */
const requires = [...required, 'workloads'] as const;

/** Webhooks whose Service selects Pods, and has no ready endpoint. At most so many: each is matched per namespace. */
const withoutPods = derive(
  ['callouts', 'services', 'endpointSlices'],
  ({ callouts, services, endpointSlices }: Pick<Facts, 'callouts' | 'services' | 'endpointSlices'>) =>
    callouts
      .filter(isAdmission)
      .filter(({ client: { service } }) => {
        const key = service && keyOf(service);
        return (
          key !== undefined &&
          selectsPods(services.getIfKnown(key)) &&
          endpointSlices.known(key) &&
          !endpointsIn(endpointSlices.get(key) ?? []).some(isReadyEndpoint)
        );
      })
      .slice(0, 50),
);

/** The webhook without a Pod that responds which refuses the creation of Services in a namespace. */
const refuserIn = derive(required, (facts: Pick<Facts, (typeof required)[number]>, namespace: string) =>
  withoutPods(facts).find((one) => refusesCreation(one, { kind: 'Service', namespace, name: '' }, facts)),
);

const createIt =
  '[end] If the product needs the webhook, create the Service from its chart or manifest (a value of the chart may turn it off).';
const ofOtherName =
  '[end] If the Service has another name (`kubectl -n {namespace} get services`), correct the reference where it is declared: `kubectl edit {kind} {configuration}`.';

const advice =
  `[end] If the product was uninstalled, or its webhooks are turned off, delete the configuration that refers to the Service: \`kubectl delete {kind} {leftover}\`. ${withoutConversion} ${createIt} ${ofOtherName}` as const;

const messages = {
  namespaceLeaving: {
    text: 'Service {service} no longer exists: its namespace has been Terminating since {since}',
    advice:
      '[end] If the product is needed, install it again when the namespace is deleted. [look] If the deletion does not end, read why: `kubectl get namespace {namespace} -o yaml`. [end] If the product was uninstalled, delete the configuration that refers to the Service: `kubectl delete {kind} {leftover}`.',
  },
  notFound: 'Service {service} does not exist',
  besideReadyPods: {
    text: 'Service {service} does not exist',
    advice: `${createIt} ${ofOtherName} [end] If the webhooks of the product are turned off, delete the configuration that refers to the Service: \`kubectl delete {kind} {leftover}\`. ${withoutConversion}`,
  },
  inDeletion: {
    text: 'Service {service} does not exist, and its CRD has been in deletion since {since}: its objects cannot be converted',
    advice: endDeletion,
  },
  refused: {
    text: 'Service {service} does not exist. Its creation is refused while the Pods of webhook {webhook} are not Ready',
    advice:
      '[end] Let that webhook fail open: `kubectl webhook failopen {blocker} --for 30m`. [end] Create the Service from its chart or manifest: run `helm upgrade`, or apply it again. [prevent] To prevent such refusals, exclude the Service from that webhook by `objectSelector`, or its namespace by `namespaceSelector`. [end] If the product was uninstalled, delete the configuration that refers to the Service: `kubectl delete {kind} {leftover}`.',
  },
  ofApi: {
    text: 'Service {service} does not exist, so nothing serves the API {api}',
    advice:
      '[end] If the product was uninstalled, or a CustomResourceDefinition now serves this API, delete the APIService: `kubectl delete {kind} {leftover}`. [end] If the Service was deleted, install the product again. [end] If the name is wrong, correct it where it is declared: `kubectl edit {kind} {configuration}`.',
  },
  ofSameLabels: {
    text: 'Service {service} does not exist; Service {suggestion} has the labels of this APIService',
    advice:
      '[end] If another product has changed the reference, and is not installed, correct it where it is declared: `kubectl edit {kind} {configuration}`. [end] Set `caBundle` or `insecureSkipTLSVerify` as the product of that Service requires. [end] If the product was uninstalled, delete the APIService: `kubectl delete {kind} {leftover}`.',
  },
  similarName: {
    text: 'Service {service} does not exist; there is a Service with a similar name: {suggestion}',
    advice: correctReference,
  },
  ofSameResource: {
    text: 'Service {service} does not exist; Service {suggestion} serves the admission webhooks for {resource}',
    advice: `[end] If the program of that Service also converts these objects, correct the reference where it is declared (chart, manifest, operator): \`kubectl edit {kind} {configuration}\`. [end] If another program of the product converts them, create its Service from its chart or manifest: run \`helm upgrade\`, or apply it again. [end] If no program converts them, and all versions of the CRD have the same fields (others are lost), turn the conversion off: ${conversionOff}.`,
  },
  otherNamespace: {
    text: 'Service {service} does not exist; a Service of that name is in namespace {namespaces}',
    advice: correctReference,
  },
  otherPort: {
    text: 'Service {service} does not exist; a Service of that name is in namespace {namespaces}, without port {port}',
    advice:
      '[end] If the product now uses that Service, correct namespace and port where they are declared (chart, manifest, operator): `kubectl edit {kind} {configuration}`. [end] If the product was uninstalled, delete the configuration that refers to the Service: `kubectl delete {kind} {leftover}`.',
  },
} as const satisfies Messages;

type OwnStep = CheckStep<MissingService, typeof requires, typeof messages, typeof advice>;

/** A reference to a Service that does not exist. */
interface MissingService {
  readonly callout: ServiceBacked;
  readonly reference: ServiceReference;
  /** `namespace/name`. */
  readonly service: string;
  readonly names: { readonly leftover?: undefined };
  readonly evidence: readonly Evidence[];
}

/** A port that a webhook server declares (controller-runtime pkg/webhook/server.go DefaultPort). */
const isWebhookPort = ({
  name = '',
  containerPort,
}: {
  readonly name?: string;
  readonly containerPort: number;
}): boolean => /webhook|admission|conversion/.test(name) || containerPort === 9443;

/** The workloads of a namespace with Ready Pods: thousands of missing Services may be there. */
const readyIn = derive(['workloads'], ({ workloads }: Pick<Facts, 'workloads'>, namespace: string) =>
  (workloads.getIfKnown(namespace) ?? [])
    .filter(({ status }) => (status.readyReplicas ?? status.numberReady ?? 0) > 0)
    .map((workload) => ({
      workload,
      hasWebhookPort: workload.spec.template.spec.containers.some(({ ports }) => ports?.some(isWebhookPort)),
    })),
);

/** A workload with Ready Pods that the missing Service may select: of its name, or of its product with such a port. */
function readyWorkload(
  { callout, reference: { name, namespace } }: MissingService,
  facts: Pick<Facts, 'workloads'>,
): Workload | undefined {
  const words = [...(installationOf(callout)?.words ?? []), name];
  const isOfName = ({ metadata }: Workload): boolean =>
    metadata.name.includes(name) || name.startsWith(`${metadata.name}-`);
  return readyIn(facts, namespace).find(
    ({ workload, hasWebhookPort }) => isOfName(workload) || (hasWebhookPort && belongsTo(workload, words)),
  )?.workload;
}

/** The namespace is being deleted, with all that it contains. */
const leaving: OwnStep = ({ reference, service, names, evidence }, { namespaces }, find) => {
  const { name = '', deletionTimestamp: since } = namespaces.getIfKnown(reference.namespace)?.metadata ?? {};
  if (since === undefined) return undefined;
  const terminating = {
    object: { kind: 'Namespace', name },
    field: 'metadata.deletionTimestamp',
    value: since,
  };
  return { ...find('namespaceLeaving', { service, since }, [...evidence, terminating], names), since };
};

/** Another Service may be meant: by its name, its namespace or its labels. */
const suggested: OwnStep = ({ callout, reference, service, names, evidence }, facts, find) => {
  const { services } = facts;
  const similar = similarService(callout, facts);
  if (similar !== undefined)
    return find('similarName', { service, suggestion: similar.metadata.name }, evidence, names);
  const elsewhere = otherNamespaces(reference, services);
  if (elsewhere.length > 0) {
    const namespaces = listed(elsewhere, { word: 'or' });
    return find('otherNamespace', { service, namespaces }, evidence, names);
  }
  const ofResource = serviceOfResource(callout, facts);
  if (callout.kind === 'conversion' && ofResource !== undefined) {
    const { group, plural } = callout.resource;
    const data = { service, suggestion: keyOf(ofResource.metadata), resource: `${plural}.${group}` };
    const validates = { object: refOf('Service', ofResource.metadata), value: `rules of ${plural}.${group}` };
    return find('ofSameResource', data, [...evidence, validates], names);
  }
  const own = serviceOfApi(callout, facts);
  if (own === undefined) return undefined;
  const labels = {
    object: refOf('Service', own.metadata),
    field: 'metadata.labels',
    value: JSON.stringify(own.metadata.labels),
  };
  return find('ofSameLabels', { service, suggestion: keyOf(own.metadata) }, [...evidence, labels]);
};

/** No other Service may be meant, unless its port is wrong. */
const unexplained: OwnStep = (about, facts, find) => {
  const { callout, reference, service, names, evidence } = about;
  if (callout.kind === 'aggregated-api')
    return find('ofApi', { service, api: `${callout.group}/${callout.version}` }, evidence);
  const ofOtherPort = calledNamesakes(reference, facts);
  if (ofOtherPort.length > 0) {
    const data = { service, namespaces: listed(ofOtherPort, { word: 'or' }), port: reference.port };
    return find('otherPort', data, evidence, names);
  }
  const { deletionTimestamp: since } = callout.metadata;
  if (callout.kind === 'conversion' && since !== undefined)
    return { ...find('inDeletion', { service, since }, evidence, names), since };
  const blocker = refuserIn(facts, reference.namespace);
  if (blocker !== undefined) {
    const { webhook, configuration } = blocker;
    return find('refused', { service, webhook }, evidence, { ...names, blocker: configuration });
  }
  const running = readyWorkload(about, facts);
  if (running === undefined) return find('notFound', { service }, evidence, names);
  const { readyReplicas, numberReady } = running.status;
  const field = readyReplicas === undefined ? 'status.numberReady' : 'status.readyReplicas';
  const ready = { object: refOfWorkload(running), field, value: String(readyReplicas ?? numberReady) };
  return find('besideReadyPods', { service }, [...evidence, ready], names);
};

export const serviceMissing = defineCheck({
  meta: {
    id: 'service-missing',
    title: 'Service does not exist',
    consequence: 'failing',
    why: 'The API server resolves the Service before it connects. The Service does not exist, so the call fails with `service "NAME" not found`.',
    advice,
    messages,
    follows: ['orphaned-configuration'],
    quick: true,
  },
  requires,
  subjects: servedByService,
  run(callout, facts, find) {
    const { services, namespaces } = facts;
    const reference = callout.client.service;
    const service = keyOf(reference);
    // If the namespace does not exist, service-namespace-missing reports that.
    if (namespaces.isAbsent(reference.namespace)) return;
    if (services.get(service) !== undefined) return;
    const about: MissingService = {
      callout,
      reference,
      service,
      // Deleting the object deletes its other webhooks, too.
      names: inUse(facts).has(configurationKey(callout)) ? { leftover: undefined } : {},
      evidence: [
        clientConfigEvidence(callout, 'service.name', reference.name),
        { object: namedService(callout), value: 'not found' },
      ],
    };
    return firstReported(leaving, suggested, unexplained)(about, facts, find);
  },
});
