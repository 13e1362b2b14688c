import { groupBy } from '../basics/collections.ts';
import { derive } from '../basics/derive.ts';
import { type AdmissionCallout, type Callout, failsOpen, isAdmission } from '../facts/callout.ts';
import { isManaged, keyOfItem, type Metadata } from '../facts/objects/metadata.ts';
import type { Namespace } from '../facts/objects/namespace.ts';
import type { Container, Pod, PodTemplate } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { products } from './catalogue.ts';
import {
  injectorOf,
  lacksInjection,
  mayHaveMissedPods,
  requestOf,
  requestOfNamespace,
  requiredLabels,
} from './injectors.ts';

/** True for a webhook that is called for Pods alone, at their creation: what it does is injection. */
export const injectsByShape = (callout: Callout): callout is AdmissionCallout =>
  isAdmission(callout) &&
  callout.kind === 'mutating' &&
  callout.rules.length > 0 &&
  callout.rules.every(
    ({ resources, operations }) =>
      resources.every((resource) => resource === 'pods') &&
      operations.some((operation) => operation === 'CREATE' || operation === '*'),
  );

/** True for a webhook that is known to inject into Pods, or is called for Pods alone. */
export const isInjector = (callout: Callout): callout is AdmissionCallout =>
  injectorOf(callout) !== undefined || injectsByShape(callout);

/** True for webhooks that fail open, and are known to change Pods, or are called for Pods alone. */
export const mayMissPods = (callout: Callout): callout is AdmissionCallout =>
  mayHaveMissedPods(callout) || (injectsByShape(callout) && failsOpen(callout));

/** The volume that the admission plugin ServiceAccount adds, and where it mounts it. */
const tokenVolume = 'kube-api-access-';
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Fields of a Pod that Kubernetes sets itself after it has recorded the managers: the admission plugins ServiceAccount,
 * Priority and RuntimeClass, and the scheduler (seen at a 1.35.4 API server).
 */
const setByKubernetes = [
  'serviceAccountName',
  'serviceAccount',
  'imagePullSecrets',
  'priorityClassName',
  'priority',
  'preemptionPolicy',
  'overhead',
  'nodeName',
];

/** Tolerations of the admission plugin DefaultTolerationSeconds. */
const isDefaultToleration = ({ key = '' }: { readonly key?: string }): boolean =>
  key === 'node.kubernetes.io/not-ready' || key === 'node.kubernetes.io/unreachable';

type IsAdded = (...path: readonly string[]) => boolean;

/** True if the container, a field of it, a variable or a mount has no manager. */
const isContainerAdded = (isAdded: IsAdded, { name, ...fields }: Container): boolean =>
  isAdded(keyOfItem(name)) ||
  Object.keys(fields).some(
    (field) => field !== 'env' && field !== 'volumeMounts' && isAdded(keyOfItem(name), `f:${field}`),
  ) ||
  (fields.env ?? []).some((one) => isAdded(keyOfItem(name), 'f:env', keyOfItem(one.name))) ||
  (fields.volumeMounts ?? []).some(
    ({ mountPath }) =>
      mountPath !== tokenPath &&
      isAdded(keyOfItem(name), 'f:volumeMounts', `k:${JSON.stringify({ mountPath })}`),
  );

/**
 * True if a label, an annotation or a field of `spec` was not in the request that created the Pod: a webhook added it.
 * A webhook that only replaces values, or that adds to a list without keys, is not seen. Undefined if no managers are
 * recorded.
 */
export function isChangedByWebhook({ metadata, spec }: Pod): boolean | undefined {
  const { managedFields = [], annotations = {}, labels = {} } = metadata;
  if (!managedFields.some(({ fieldsV1 }) => fieldsV1?.['f:spec'] !== undefined)) return undefined;
  const isAdded: IsAdded = (...path) => !isManaged(metadata, path);
  const { containers, initContainers = [], volumes = [], tolerations = [], ...fields } = spec;
  // Kubernetes sets its own labels and annotations later.
  const isNamed = (kind: string, keys: object) =>
    Object.keys(keys).some(
      (key) => !/(?:^|\.)kubernetes\.io\//.test(key) && isAdded('f:metadata', kind, `f:${key}`),
    );
  return (
    containers.some((one) =>
      isContainerAdded((...path) => isAdded('f:spec', 'f:containers', ...path), one),
    ) ||
    initContainers.some((one) =>
      isContainerAdded((...path) => isAdded('f:spec', 'f:initContainers', ...path), one),
    ) ||
    volumes.some(
      ({ name }) => !name.startsWith(tokenVolume) && isAdded('f:spec', 'f:volumes', keyOfItem(name)),
    ) ||
    (!tolerations.every(isDefaultToleration) && isAdded('f:spec', 'f:tolerations')) ||
    Object.keys(fields).some(
      (field) => !setByKubernetes.includes(field) && isAdded('f:spec', `f:${field}`),
    ) ||
    isNamed('f:labels', labels) ||
    isNamed('f:annotations', annotations)
  );
}

/** A Pod with an annotation that requests injection. */
interface RequestingPod {
  readonly pod: Pod;
  /** `instrumentation.opentelemetry.io/inject-java=true`. */
  readonly request: string;
}

/** The label of a domain that names its owner: the one before the last. */
const ownerOf = (key: string): string | undefined => {
  const slash = key.indexOf('/');
  return slash < 0 ? undefined : key.slice(0, slash).split('.').at(-2);
};

/** Labels of domains that several projects share. */
const shared = ['kubernetes', 'k8s', 'x-k8s', 'github', 'example'];

const affirms = /^(?:true|yes|on|y|1|enabled?)$/i;
/** Words of names that refuse injection, or limit it: `inject-exclude`. */
const negates = /^(?:no|not|none|never|off|without|skip|ignored?|exclu[ds]\w*|disabled?|optout)$/;

/** Runtimes in names whose value can be the object that configures the injection: `inject-java`. Others set an option. */
const runtimes = /^(?:apache|dotnet|go|httpd|java|nginx|nodejs|php|python|ruby|sdk)$/;
/** The name of an object, with or without its namespace: `monitoring/tracing`. */
const namesObject = /^[a-z][-a-z0-9.]*(?:\/[a-z][-a-z0-9.]*)?$/;
/** Words of values that refuse injection, show its result, or leave the decision to the injector. */
const isNoObject =
  /^(?:f|n|false|no|none|never|not-.*|off|out|opt-?out|opted-out|disabled?|skip|ignored?|den(?:y|ied)|failed|auto|default|inherit|optional|manual|injected|update|unset|null|nil)$/;

/**
 * True for an annotation that requests injection by its name and value: `sidecar.example.org/inject=true`,
 * `instrumentation.opentelemetry.io/inject-java=tracing` (the object that configures it). Other names and values may
 * refuse it, or only describe it: `skip-inject=true`, `inject-exclude-ports=8080`, `inject=never`.
 */
export function requestsInjection(key: string, value: string): boolean {
  const name = /\/(?:agent-|sidecar-)?inject((?:-[a-z]+)*)$/.exec(key);
  if (name === null) return false;
  const words = (name[1] ?? '').split('-');
  if (words.some((word) => negates.test(word))) return false;
  return (
    affirms.test(value) ||
    (namesObject.test(value) &&
      !isNoObject.test(value) &&
      words.slice(1).every((word) => runtimes.test(word)))
  );
}

const requested = new Map(
  products.flatMap(({ injects }) => (injects?.asked ? [[injects.asked.key, injects.asked] as const] : [])),
);

const requestsIn = (place: 'labels' | 'annotations', key: string, value: string): boolean => {
  const known = requested.get(key);
  return known === undefined
    ? requestsInjection(key, value)
    : place === (known.in ?? 'annotations') && known.values.includes(value);
};

/** The words in the names of a webhook. */
const wordsOf = ({ webhook, configuration, client: { service } }: Callout): ReadonlySet<string> =>
  new Set(`${webhook}.${configuration}.${service?.name ?? ''}`.toLowerCase().split(/[.-]/));

/** Words in the names of webhooks of many products. */
const general =
  /^(?:webhooks?|mutat\w*|validat\w*|admission|controller|config\w*|inject\w*|default|service|operator|sidecar)$/;

/** Other mutating webhooks for Pods whose names share a word of a product with this one. */
export const namesakesOf = (
  callout: AdmissionCallout,
  { callouts }: Pick<Facts, 'callouts'>,
): readonly AdmissionCallout[] => {
  const own = [...wordsOf(callout)].filter((word) => word.length > 3 && !general.test(word));
  return callouts
    .filter(isAdmission)
    .filter((one) => one !== callout && own.some((word) => injectsFor(word, one)));
};

/** True for a mutating webhook for Pods whose names contain the owner of the key. */
const injectsFor = (owner: string, callout: Callout): boolean =>
  isAdmission(callout) &&
  callout.kind === 'mutating' &&
  callout.rules.some(({ resources }) => resources.some((one) => /^(?:pods|\*|\*\/\*)$/.test(one))) &&
  wordsOf(callout).has(owner);

/** A field of a workload's own metadata that requests injection: `metadata.annotations[dapr.io/enabled]`, `true`. */
interface MisplacedRequest {
  readonly field: string;
  readonly value: string;
}

/**
 * Labels and annotations that request injection on a workload, but not on its Pod template: the webhook for Pods does
 * not see them. None for keys that the template has with any value, that belong to no webhook for Pods (some operators
 * read workloads), or whose owner has a label or annotation of the namespace.
 */
export function misplacedRequests(
  workload: Metadata,
  template: PodTemplate,
  { callouts, namespaces }: Pick<Facts, 'callouts' | 'namespaces'>,
): readonly MisplacedRequest[] {
  const { labels = {}, annotations = {} } = template.metadata ?? {};
  const { metadata: around } = namespaces.getIfKnown(workload.namespace ?? '') ?? {};
  const keysAround = Object.keys({ ...around?.labels, ...around?.annotations });
  const isReadInPods = (key: string): boolean => {
    const owner = ownerOf(key);
    return (
      owner !== undefined &&
      !keysAround.some((one) => one.includes(owner)) &&
      callouts.some((callout) => injectsFor(owner, callout))
    );
  };
  return (['labels', 'annotations'] as const).flatMap((kind) =>
    Object.entries(workload[kind] ?? {})
      .filter(
        ([key, value]) =>
          !Object.hasOwn(labels, key) &&
          !Object.hasOwn(annotations, key) &&
          requestsIn(kind, key, value) &&
          isReadInPods(key),
      )
      .map(([key, value]) => ({ field: `metadata.${kind}[${key}]`, value })),
  );
}

/** The requests in the annotations of a Pod, with the owners of their domains. */
const annotatedRequests = (pod: Pod): readonly (RequestingPod & { readonly owner: string })[] =>
  Object.entries(pod.metadata.annotations ?? {}).flatMap(([key, value]) => {
    const owner = ownerOf(key);
    return owner === undefined || shared.includes(owner) || !requestsInjection(key, value)
      ? []
      : [{ pod, request: `${key}=${value}`, owner }];
  });

/** Pods with annotations that request injection, by the owner of the annotation. */
const podsByOwner = derive(
  ['requestingPods'],
  (facts: Pick<Facts, 'requestingPods'>): ReadonlyMap<string, readonly RequestingPod[]> =>
    groupBy(podsThatRequest(facts).flatMap(annotatedRequests), ({ owner }) => owner),
);

/**
 * Pods that request injection with annotations whose domain names the owner of a webhook: in its own name, its
 * configuration's or Service's.
 */
export const podsRequesting = (
  callout: AdmissionCallout,
  facts: Pick<Facts, 'requestingPods'>,
): readonly RequestingPod[] => {
  const byOwner = podsByOwner(facts);
  if (byOwner.size === 0) return [];
  return [...wordsOf(callout)].flatMap((word) => byOwner.get(word) ?? []);
};

/**
 * The label with a domain and a value for yes that the objectSelector of a webhook requires of a Pod, which so requests this
 * webhook; other labels identify a Pod, or refuse.
 */
export const requestByLabel = ({ objectSelector }: AdmissionCallout, { metadata }: Pod): string | undefined =>
  requiredLabels(objectSelector, metadata.labels).find((label) => {
    const owner = ownerOf(label);
    const [key = '', value = ''] = label.split('=');
    const isRefusal = key.split(/[/.-]/).some((word) => negates.test(word));
    return owner !== undefined && !shared.includes(owner) && affirms.test(value) && !isRefusal;
  });

/** True if the Pod or its namespace requests injection by one of these webhooks, and does not show it. */
export function mayLackInjection(
  pod: Pod,
  namespace: Namespace,
  injectors: readonly AdmissionCallout[],
): boolean {
  return (
    annotatedRequests(pod).length > 0 ||
    injectors.some((one) => {
      const { injects } = injectorOf(one) ?? {};
      if (injects === undefined) return requestByLabel(one, pod) !== undefined;
      return (
        lacksInjection(injects, pod, namespace) &&
        (requestOf(injects, pod, namespace) ?? requestOfNamespace(injects, namespace, one)) !== undefined
      );
    })
  );
}

/** The Pods that request injection, as far as they were read. */
export const podsThatRequest = (facts: Pick<Facts, 'requestingPods'>): readonly Pod[] =>
  facts.requestingPods.getIfKnown('Pods') ?? [];
