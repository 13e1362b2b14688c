import { forbiddenIn } from '../../apiserver/sentences/logs/forbidden-request.ts';
import { relevantLogLines } from '../../apiserver/sentences/logs/log-lines.ts';
import { keyOf, type ObjectRef, refOf } from '../../facts/object-ref.ts';
import { endpointsChangedAt, endpointsIn, isReadyEndpoint } from '../../facts/objects/endpoint-slice.ts';
import type { Labels } from '../../facts/objects/label-selector.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { RbacDenial } from '../../facts/rbac-denial.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import { isCrashing, lastingStatuses } from '../../facts/workloads/container-crash.ts';
import { podContext, podContextFacts } from '../../facts/workloads/pod-context.ts';
import { denialEvidence, logEvidence, logOf } from '../../facts/workloads/pod-logs.ts';
import { isPodReady, podState, type ReplicaState, readySince } from '../../facts/workloads/pod-state.ts';
import {
  affectedNames,
  refOfPod,
  refOfWorkload,
  wantedPods,
  workloadsMaking,
} from '../../facts/workloads/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { productOf, productOfService } from '../../products/of-webhook.ts';
import type { Product } from '../../products/product.ts';
import { uncalledServices } from '../../products/uncalled-services.ts';
import { type CheckStep, defineCheck, firstReported, type Messages } from '../check.ts';

/** Milliseconds that a product may need to start, to elect a leader, and to register its webhooks. */
const patience = 10 * 60 * 1000;

/** Services of webhook servers that nothing calls. */
const uncalled = (facts: Pick<Facts, 'callouts' | 'services'>) =>
  uncalledServices(facts.callouts, facts).map(({ service: { metadata, spec }, product }) => ({
    ref: refOf('Service', metadata),
    key: keyOf(metadata),
    metadata,
    selector: spec.selector,
    product,
  }));

/** A Service that is named like a webhook may be one of an application: its log shows that it registers webhooks. */
const namesConfiguration = /(?:mutating|validating)webhookconfiguration/i;
const registers = /(?:webhookconfigurations|customresourcedefinitions)\./;

/** The request for webhook configurations or CRDs that the API server forbade, by the log of a crashing container. */
const forbiddenRequest = (
  key: string,
  facts: Pick<Facts, 'pods' | 'logs' | 'takenAt'>,
): RbacDenial | undefined =>
  crashing(key, facts)
    .flatMap(({ pod, container }) =>
      relevantLogLines(logOf(pod, container, facts), 2).flatMap((line) => {
        const forbidden = forbiddenIn(line);
        return forbidden !== undefined && registers.test(forbidden.resource)
          ? [{ pod: refOfPod(pod), container, line, forbidden }]
          : [];
      }),
    )
    .at(-1);

/** The line of a crashed container's log that is about webhook configurations. */
const registrationLine = (
  { pod, container }: ReturnType<typeof crashing>[number],
  facts: Pick<Facts, 'logs'>,
): string | undefined =>
  relevantLogLines(logOf(pod, container, facts), 2).find((line) => namesConfiguration.test(line));

/** The crash-looping containers of Pods behind a Service. */
const crashing = (key: string, { pods, takenAt }: Pick<Facts, 'pods' | 'takenAt'>) =>
  (pods.getIfKnown(key) ?? []).flatMap((pod) =>
    lastingStatuses(pod).flatMap((status) =>
      isCrashing(status, takenAt) ? [{ pod, container: status.name }] : [],
    ),
  );

const cannotStart: readonly ReplicaState[] = [
  'volume-missing',
  'image-pull-failing',
  'config-error',
  'unschedulable',
  'init-stuck',
];

/** The first Pod of a Service that cannot start, with the evidence for the reason. */
function stuckPod(key: string, facts: World<'pods' | (typeof podContextFacts)[number]>) {
  for (const pod of facts.pods.getIfKnown(key) ?? []) {
    const { state, reason = '', text = reason } = podState(pod, podContext(pod, facts));
    if (!cannotStart.includes(state)) continue;
    return { pod: pod.metadata.name, detail: brief(text), shows: { object: refOfPod(pod), value: text } };
  }
  return undefined;
}

/** The workload of the Pods of a Service, if all that have its labels are scaled to zero. */
function offIn(
  { ref, selector }: Pick<UncalledService, 'ref' | 'selector'>,
  { workloads }: Pick<Facts, 'workloads'>,
): Workload | undefined {
  const makers = workloadsMaking(selector, workloads.getIfKnown(ref.namespace ?? '') ?? []);
  return makers.every((workload) => wantedPods(workload) === 0) ? makers[0] : undefined;
}

/** True if a Service is too old for an installation in progress, and has ready endpoints. */
const servesSinceLong = (
  key: string,
  { creationTimestamp }: Metadata,
  { endpointSlices, takenAt }: Pick<Facts, 'endpointSlices' | 'takenAt'>,
): boolean =>
  Date.parse(takenAt) - Date.parse(creationTimestamp ?? takenAt) > patience &&
  (endpointSlices.get(key) ?? []).some(({ endpoints = [] }) => (endpoints ?? []).some(isReadyEndpoint));

/** The time since which all Ready Pods are Ready; undefined if one does not record it. */
function readyTogetherSince(pods: readonly Pod[]): string | undefined {
  const times = pods.filter(isPodReady).map(readySince);
  return times.includes(undefined) ? undefined : times.toSorted().at(-1);
}

const advice =
  '[look] Check whether the product is intended to run, and why its Pods do not start: `kubectl -n {namespace} get deployments,pods,events`. [end] If the Deployment of the product has no replicas, scale it up. [end] If the product runs and registers nothing, read the log of its leader (permissions on webhook configurations, its certificate). [end] If the product is not intended to run, delete it, including its Service.';

const messages = {
  forbidden: {
    text: 'ServiceAccount {account} cannot {verb} {resource}: the Pods of Service {service} crash at startup, and no webhook calls them',
    severity: 'error',
    consequence: 'none',
    advice:
      '[look] List the permissions of the ServiceAccount: `kubectl auth can-i --list --as={user}`. [end] Add the missing permission where the Role or ClusterRole is declared: a new version of a program may need more. [with] The Pods register their webhooks when they start again.',
  },
  crashes:
    '{product} has no webhook, and container {container} of its Pod {pod} is crash-looping: {consequence}',
  cannotStart: {
    text: '{product} has no webhook, because its Pod {pod} cannot start: {detail}',
    advice:
      '[end] Correct the problem that the message names: `kubectl -n {namespace} describe pod {pod}`. [end] If a Secret or ConfigMap is missing, run the part of the installation that creates it: a script, a Job, a chart or cert-manager. [with] The product registers its webhooks when its Pods start.',
  },
  uncalled: {
    text: 'No webhook calls Service {service}, and container {container} of its Pod {pod} is crash-looping: {detail}',
    advice:
      '[end] Correct the error in the log: `kubectl -n {namespace} logs {pod} --all-containers --previous`. [end] If the API server does not serve the API that it requests, use a version of the product that supports this version of Kubernetes. [end] If the product is not needed, delete it, including its Service.',
  },
  scaledToZero: {
    text: '{workload} is scaled to 0, and {product} has no webhook: {consequence}',
    advice:
      '[end] Scale the Deployment up: `kubectl -n {namespace} scale {affected} --replicas=1`. [with] The product registers its webhooks when it runs. [with] If an autoscaler, a downscaler or GitOps scaled it to zero, change the number there, or it is scaled to zero again. [with] If the product is not needed, delete it, including its Service.',
  },
  nobody:
    '{product} is installed, its Service {service} has no endpoints, and no webhook is registered: {consequence}',
  unready:
    '{product} is installed, its Service {service} has no ready endpoints, and no webhook is registered: {consequence}',
  deleted: {
    text: 'No webhook calls Service {service} of {product}, whose Pods are Ready: requests are admitted without its checks',
    advice:
      '[end] If the webhook configuration was deleted, apply the manifests of the product again (`helm upgrade`, or a sync of its GitOps application). [end] If the webhooks are disabled on purpose, no action is required.',
  },
  unregistered: {
    text: '{product} has been Ready in Service {service} since {since}, and has registered no webhook: {consequence}',
    advice:
      '[with] Many programs register their webhooks only when they start. [end] If the webhook configuration was deleted, restart the Deployment that registers it (`kubectl rollout restart`). [look] List the Deployments: `kubectl -n {namespace} get deployments`. [end] If the product then registers nothing, read the log of its leader (permissions on webhook configurations, its certificate). [end] If the product is not needed, delete it, including its Service.',
  },
} as const satisfies Messages;

const requires = [
  'callouts',
  'configurations',
  'services',
  'endpointSlices',
  'pods',
  'logs',
  'workloads',
  ...podContextFacts,
] as const;

type OwnStep = CheckStep<UncalledService, typeof requires, typeof messages, typeof advice>;

/** A Service that nothing calls, what crashes behind it, and the number of webhook configurations. */
interface UncalledService {
  /** Undefined if it is only named like a webhook. */
  readonly product: Product | undefined;
  readonly ref: ObjectRef;
  readonly key: string;
  readonly metadata: Metadata;
  readonly selector: Labels | undefined;
  readonly crash: ReturnType<typeof crashing>[number] | undefined;
  readonly configurations: number;
}

/** A program that crashes because it lacks the permission to register its webhooks. */
const forbidden: OwnStep = ({ ref, key }, facts, find) => {
  const denial = forbiddenRequest(key, facts);
  if (denial === undefined) return undefined;
  const { account, verb, resource } = denial.forbidden;
  const data = { account, verb, resource: resource.split('.')[0] ?? resource, service: key };
  const evidence = denialEvidence(denial);
  const user = `system:serviceaccount:${account.replace('/', ':')}`;
  return find('forbidden', data, evidence, { user, namespace: ref.namespace }, 'observed');
};

const hasWebhook = (product: Product, { callouts }: Pick<Facts, 'callouts'>): boolean =>
  callouts.some((callout) => productOf(callout) === product);

/** A Service that is only named like one of a webhook: the log of its Pods, or its age, shows that it is one. */
const ofUnknownProduct: OwnStep = ({ ref, key, metadata, product, crash, configurations }, facts, find) => {
  if (product !== undefined) return undefined;
  const line = crash && registrationLine(crash, facts);
  if (crash !== undefined && line !== undefined) {
    const { pod, container } = crash;
    const names = { namespace: ref.namespace, pod: pod.metadata.name };
    const data = { service: key, container, pod: names.pod, detail: brief(line) };
    return find('uncalled', data, [logEvidence(refOfPod(pod), container, line)], names);
  }
  const known = productOfService(metadata.name);
  if (known === undefined || crash !== undefined || !servesSinceLong(key, metadata, facts)) return undefined;
  if (hasWebhook(known, facts)) return undefined;
  const value = `${configurations} webhook configurations, none of which names it`;
  return find('deleted', { service: key, product: known.name }, [{ object: ref, value }]);
};

/** A product that registers its webhooks itself, and has none. */
const ofProduct: OwnStep = (about, facts, find) => {
  const { ref, key, metadata, product, crash, configurations } = about;
  if (product === undefined || hasWebhook(product, facts)) return undefined;
  const { name, registersItself: { otherwise = '' } = {} } = product;
  const slices = facts.endpointSlices.get(key) ?? [];
  const endpoints = endpointsIn(slices);
  const ready = endpoints.filter(isReadyEndpoint).length;
  const value = `${endpoints.length} endpoints, ${ready} of them ready; ${configurations} webhook configurations, none of ${name}`;
  const evidence = [{ object: ref, value }];
  const data = { product: name, service: key, consequence: otherwise };
  const stuck = ready === 0 && crash === undefined ? stuckPod(key, facts) : undefined;
  if (stuck !== undefined) {
    const { shows, ...why } = stuck;
    const names = { namespace: ref.namespace, pod: why.pod };
    return find('cannotStart', { ...data, ...why }, [...evidence, shows], names);
  }
  if (endpoints.length === 0) {
    const off = offIn(about, facts);
    if (off === undefined) return find('nobody', data, evidence);
    const zero = { object: refOfWorkload(off), field: 'spec.replicas', value: '0' };
    const names = { ...affectedNames(zero.object), namespace: ref.namespace };
    return find('scaledToZero', { ...data, workload: workloadText(off) }, [...evidence, zero], names);
  }
  if (crash !== undefined)
    return find('crashes', { ...data, container: crash.container, pod: crash.pod.metadata.name }, evidence);
  const isLong = (since: string | undefined): boolean =>
    Date.parse(facts.takenAt) - Date.parse(since ?? facts.takenAt) >= patience;
  if (ready === 0) return isLong(metadata.creationTimestamp) ? find('unready', data, evidence) : undefined;
  const since = endpointsChangedAt(slices) ?? readyTogetherSince(facts.pods.getIfKnown(key) ?? []);
  return since === undefined || !isLong(since)
    ? undefined
    : find('unregistered', { ...data, since }, evidence);
};

export const productWithoutWebhooks = defineCheck({
  meta: {
    id: 'product-without-webhooks',
    title: 'Product has not registered its webhooks',
    severity: 'warning',
    why: 'The processes of many products create their webhook configurations while they run; others are installed with them. If there is none, the API server calls no webhook and admits every request.',
    advice,
    noRemedy: { because: 'only its owner knows how many replicas it must have' },
    messages,
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#configure-admission-webhooks-on-the-fly',
    ],
  },
  requires,
  subjects: uncalled,
  run(service, facts, find) {
    // Only complete lists show that nothing calls the Service.
    const listed = ['validating', 'mutating'].flatMap((kind) => facts.configurations.get(kind) ?? []);
    const [crash] = crashing(service.key, facts);
    const about = { ...service, crash, configurations: listed.length };
    return firstReported(forbidden, ofUnknownProduct, ofProduct)(about, facts, find);
  },
});
