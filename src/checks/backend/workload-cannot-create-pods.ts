import {
  type Backend,
  backends,
  backendsInNeedOfPods,
  type EndpointFacts,
  endpointFacts,
  hasSelector,
  usableBehind,
} from '../../apiserver/routing/backends.ts';
import { parseCallError } from '../../apiserver/sentences/call-error/parse-call-error.ts';
import { isErrorOfProgram } from '../../apiserver/sentences/component-texts/denial-reasons.ts';
import { namesInRefusal } from '../../apiserver/sentences/pod-refusal-names.ts';
import { firstResult } from '../../basics/collections.ts';
import { isAdmission } from '../../facts/callout.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { Facts } from '../../facts/snapshot.ts';
import {
  refOfWorkload,
  unprocessedSince,
  wantedPods,
  workloadsMaking,
} from '../../facts/workloads/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { podRefusalOf } from '../../pods/pod-refusal.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { type CheckStep, defineCheck, latent, type Messages } from '../check.ts';

/**
 * Patterns for the error with which the API server rejects a Pod. The comment above each pattern is the error
 * that it matches (kube-apiserver 1.35.4).
 */
const reasons = [
  // pods "x" is forbidden: exceeded quota: tight, requested: pods=1, used: pods=0, limited: pods=0
  ['quota', /exceeded quota:/],
  // pods "x" is forbidden: failed quota: tight: must specify limits.cpu for: webhook
  ['quotaRequires', /failed quota:/],
  // insufficient quota to match these scopes: [{PriorityClass In [system-node-critical system-cluster-critical]}]
  ['quotaScope', /insufficient quota to match these scopes: /],
  // pods "x" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (…)
  ['podSecurity', /violates PodSecurity "/],
  // pods "x" is forbidden: error looking up service account shop/policy: serviceaccount "policy" not found
  ['serviceAccount', /serviceaccount "[^"]+" not found/],
  // pods "x" is forbidden: no PriorityClass with name critical was found
  ['priorityClass', /no PriorityClass with name \S/],
  // pods "x" is forbidden: pod rejected: RuntimeClass "gvisor" not found
  ['runtimeClass', /RuntimeClass "[^"]+" not found/],
  // pods "x-" is forbidden: unable to validate against any security context constraint: [….runAsUser: Invalid value: 1001: …]
  [
    'securityContext',
    /unable to validate against any (?:security context constraint|pod security policy)|PodSecurityPolicy: unable to admit pod/,
  ],
  // Pod "x" is invalid: spec.containers[0].resources.requests: Invalid value: "250m": must be less than or equal to cpu limit
  ['invalid', /\bPod "[^"]*" is invalid: /],
  // pods "x" is forbidden: maximum memory usage per Container is 64Mi, but limit is 128Mi
  // pods "x" is forbidden: minimum cpu usage per Pod is 1, but request is 100m
  ['limitRange', /(maximum|minimum) \S+ usage per (Container|Pod) is|limit to request ratio per/],
] as const;

type Reason = (typeof reasons)[number][0] | 'other';

const reasonOf = (text: string): Reason => reasons.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other';

/** What the sentence of a reason does not have already: the name of an object, or the end of the error. */
function detailOf(reason: Reason, text: string): string {
  switch (reason) {
    case 'serviceAccount':
    case 'priorityClass':
    case 'runtimeClass':
      return namesInRefusal(text).missing ?? brief(text);
    case 'quota':
      return brief(text)
        .replace(/^exceeded quota: ([^,\s]+), /, '$1: ')
        .replaceAll(/\b(requested|used|limited): /g, '$1 ');
    case 'quotaRequires':
      return brief(text)
        .replace(/^failed quota: ([^:\s]+): must specify /, '$1: ')
        .replaceAll(' for: ', ' for ');
    case 'podSecurity': {
      const [, level = '', forbidden = ''] =
        /violates PodSecurity "([^":]*)(?::[^"]*)?": (.*)/s.exec(text) ?? [];
      return brief(`${level}: ${forbidden.replaceAll(/ \((?:pod|container)[^()]*\)/g, '')}`);
    }
    default:
      return brief(text);
  }
}

/** The denial by a policy (apiserver pkg/admission/plugin/policy/validating): it is no reason of {@link reasons}. */
const denialByPolicy =
  /ValidatingAdmissionPolicy '(?<policy>[^']+)' with binding '(?<binding>[^']+)' denied request: (?<message>.*)/;

/** Only an additional Pod, of an update, is refused: the controller has created as many Pods as are wanted. */
const hasItsPods = (workload: Workload): boolean => (workload.status.replicas ?? 0) >= wantedPods(workload);

/** Backends with endpoints whose workloads were read for another reason: a rollout may be stuck. */
const servedBackends = (facts: EndpointFacts & Pick<Facts, 'workloads'>) =>
  backends(facts).filter(
    (backend) =>
      hasSelector(backend) &&
      facts.workloads.known(backend.namespace) &&
      facts.endpointSlices.known(backend.key) &&
      usableBehind(backend, facts).length > 0,
  );

/** A right on the node that a program needs, and that a policy grants to its ServiceAccount: no other value replaces it. */
const ofHost = /^no (?:security context constraint|pod security policy) allows (?:host[A-Z]|privileged)/;

const retry = '[end] To retry at once: `kubectl -n {namespace} rollout restart {workload}`.';

const correctTemplate = `[end] Correct the Pod template as the message requires: \`kubectl -n {namespace} edit {workload}\`. [end] Or exclude these Pods in the policy. ${retry}`;

const advice = `[end] Correct the Pod template, or the object that the message names: \`kubectl -n {namespace} edit {workload}\`. ${retry}`;

const messages = {
  quota: {
    sharedCause: true,
    text: '{workload} cannot create Pods: they exceed a ResourceQuota of namespace {namespace} ({detail})',
    advice: `[end] Raise the quota: \`kubectl -n {namespace} edit resourcequota {quota}\`. [end] Or delete objects that the quota counts. ${retry}`,
  },
  quotaRequires: {
    text: '{workload} cannot create Pods: a ResourceQuota of namespace {namespace} requires resource requests or limits that they do not set ({detail})',
    advice: `[end] Set requests or limits in the Pod template: \`kubectl -n {namespace} edit {workload}\`. [end] Or create a LimitRange with defaults in this namespace. ${retry}`,
  },
  quotaScope: {
    sharedCause: true,
    text: '{workload} cannot create Pods: no ResourceQuota in namespace {namespace} allows their PriorityClass: {detail}',
    advice: `[end] Create a ResourceQuota with a \`scopeSelector\` for this PriorityClass; kube-system may have an example: \`kubectl -n kube-system get resourcequotas -o yaml\`. [end] Or set another \`priorityClassName\`: \`kubectl -n {namespace} edit {workload}\`. ${retry}`,
  },
  podSecurity: {
    text: '{workload} cannot create Pods: they violate the Pod Security level of namespace {namespace} ({detail})',
    advice: `[end] Correct \`securityContext\` in the Pod template: \`kubectl -n {namespace} edit {workload}\`. [end] Or relax the label \`pod-security.kubernetes.io/enforce\`: \`kubectl edit namespace {namespace}\`. ${retry}`,
  },
  serviceAccount: {
    text: '{workload} cannot create Pods: ServiceAccount {detail} does not exist',
    advice: `[end] Create the ServiceAccount: \`kubectl -n {namespace} create serviceaccount {missing}\`. [end] Or correct \`serviceAccountName\`: \`kubectl -n {namespace} edit {workload}\`. ${retry}`,
  },
  priorityClass: {
    sharedCause: true,
    text: '{workload} cannot create Pods: PriorityClass {detail} does not exist',
    advice: `[end] Create the PriorityClass, with the default priority: \`kubectl create priorityclass {missing} --value=0\`. [end] Or use an existing one (\`kubectl get priorityclasses\`): \`kubectl -n {namespace} edit {workload}\`. ${retry}`,
  },
  runtimeClass: {
    sharedCause: true,
    text: '{workload} cannot create Pods: RuntimeClass {detail} does not exist',
    advice: `[end] Use the default runtime of the nodes, if it is isolated enough: \`kubectl -n {namespace} patch {workload} --type=json -p '[{"op":"remove","path":"/spec/template/spec/runtimeClassName"}]'\`. [with] Or install the runtime, and create RuntimeClass \`{missing}\`. ${retry}`,
  },
  limitRange: {
    text: '{workload} cannot create Pods: a LimitRange in namespace {namespace} does not allow their resources: {detail}',
    advice: `[end] Correct the resources in the Pod template: \`kubectl -n {namespace} edit {workload}\`. [end] Or change the LimitRange: \`kubectl -n {namespace} edit limitranges\`. ${retry}`,
  },
  securityContext: {
    text: '{workload} cannot create Pods: {detail}',
    advice: `[end] Remove or correct the field in the Pod template: \`kubectl -n {namespace} edit {workload}\`. [end] Or grant the ServiceAccount of the Pods a policy that allows this value. ${retry}`,
  },
  defaultAccount: {
    text: '{workload} cannot create Pods: {detail}; their ServiceAccount is `default`',
    advice: `[end] If the product has a ServiceAccount (\`kubectl -n {namespace} get serviceaccounts\`), set it as \`serviceAccountName\` in the Pod template: \`kubectl -n {namespace} edit {workload}\`. [end] Otherwise grant the ServiceAccount a policy that allows this value, or correct the field in the Pod template. ${retry}`,
  },
  invalid: {
    text: '{workload} cannot create Pods: their spec is invalid: {detail}',
    advice: `[end] Correct the field in the Pod template: \`kubectl -n {namespace} edit {workload}\`. [end] If the template does not have the value, a LimitRange (\`kubectl -n {namespace} describe limitranges\`) or a webhook (\`kubectl get mutatingwebhookconfigurations\`) has added it. ${retry}`,
  },
  admissionPolicy: {
    sharedCause: true,
    text: '{workload} cannot create Pods: ValidatingAdmissionPolicy {policy} denies them: {detail}',
    advice: `[end] Correct the Pod template as the message requires: \`kubectl -n {namespace} edit {workload}\`. [end] Or exclude the namespace in the binding of the policy: \`kubectl edit validatingadmissionpolicybinding {binding}\`. ${retry}`,
  },
  denied: {
    sharedCause: true,
    text: '{workload} cannot create Pods: webhook {webhook} denies them: {detail}',
    advice: correctTemplate,
  },
  deniedSilently: {
    text: '{workload} cannot create Pods: webhook {webhook} denies them without a message',
    advice: `[look] Find the Pods of that webhook, and read their log: \`kubectl webhook doctor {blocker} -o wide\`. [end] Or exclude the Pods of the workload in its policy. ${retry}`,
  },
  webhookFails: {
    sharedCause: true,
    text: '{workload} cannot create Pods: calling webhook {webhook} fails: {detail}',
    advice: `[end] Repair that webhook first: \`kubectl webhook doctor {blocker}\`. ${retry}`,
  },
  unprocessed: {
    text: '{workload} has no Pods: kube-controller-manager has not processed it since {time}',
    advice:
      '[look] Check whether kube-controller-manager runs: `kubectl -n kube-system get pods -l component=kube-controller-manager -o wide`. [look] If kube-controller-manager runs, check whether it renews its Lease, which a failing webhook can prevent: `kubectl -n kube-system get lease kube-controller-manager -o yaml`.',
  },
  other: '{workload} cannot create Pods: {detail}',
  update: latent(
    '{workload} cannot create the Pods of its update: {detail}; its existing Pods are not Ready',
  ),
  more: latent('{workload} cannot create more Pods: {detail}; its existing Pods serve requests'),
  moreDenied: latent(
    '{workload} cannot create more Pods: webhook {webhook} denies them: {detail}; its existing Pods serve requests',
    correctTemplate,
  ),
  moreDeniedByOwn: latent(
    '{workload} cannot create more Pods: {webhook}, which its existing Pods serve, denies them: {detail}',
    `[end] Exclude the namespace of the Pods by namespaceSelector: \`kubectl edit {kind} {configuration}\`. [with] Write the selector also where the webhook is declared. [end] Or correct the Pod template as the message requires: \`kubectl -n {namespace} edit {workload}\`. ${retry}`,
  ),
} as const satisfies Messages;

const requires = [...endpointFacts, 'workloads', 'events'] as const;

type OwnStep<Subject = RefusedWorkload> = CheckStep<Subject, typeof requires, typeof messages, typeof advice>;

/** A workload of a backend whose Pods the API server refuses. */
interface RefusedWorkload extends Backend {
  readonly workload: Workload;
  readonly refused: NonNullable<ReturnType<typeof podRefusalOf>>;
}

/** A workload that its controller has not processed. */
const unprocessed: OwnStep<{ readonly workload: Workload; readonly since: string }> = (
  { workload, since },
  _facts,
  find,
) => {
  const { generation = 0 } = workload.metadata;
  const { observedGeneration = 'none' } = workload.status;
  const value = `${observedGeneration}, metadata.generation ${generation}`;
  const evidence = { object: refOfWorkload(workload), field: 'status.observedGeneration', value };
  const data = { workload: workloadText(workload), time: since };
  return { ...find('unprocessed', data, [evidence]), since };
};

const refusalEvidence = ({ workload, refused: { field, text } }: RefusedWorkload) => [
  { object: refOfWorkload(workload), field, value: text },
];

/** Pods beyond those that serve requests are refused: by a webhook, perhaps their own, or for another reason. */
const moreRefused: OwnStep = (about, _facts, find) => {
  const { callout, workload, refused } = about;
  const { kind, webhook = '', message } = parseCallError(refused.text) ?? {};
  const isDenied = kind === 'denial' && webhook !== '' && message !== undefined;
  const isOwn = isAdmission(callout) && callout.webhook === webhook;
  const detail = brief(isDenied ? message : refused.text);
  const denied = isOwn ? 'moreDeniedByOwn' : 'moreDenied';
  const data = { workload: workloadText(workload), webhook, detail };
  return find(isDenied ? denied : 'more', data, refusalEvidence(about));
};

/** All Pods are refused, or those of an update. */
const refusal: OwnStep = (refused, _facts, find) => {
  const { workload, namespace } = refused;
  const { text, since } = refused.refused;
  const evidence = refusalEvidence(refused);
  const about = { workload: workloadText(workload), detail: brief(text) };
  if (hasItsPods(workload)) return find('update', about, evidence);
  const { kind, webhook, message, cause } = parseCallError(text) ?? {};
  if (webhook !== undefined && kind === 'denial') {
    const messageId = message === undefined ? 'deniedSilently' : 'denied';
    const data = { ...about, webhook, detail: brief(message ?? '') };
    // A webhook that denies for a reason works: the Pods are to be changed.
    const blocker = message === undefined || isErrorOfProgram(message) ? webhook : undefined;
    return { ...find(messageId, data, evidence, { blocker }), since };
  }
  if (webhook !== undefined && kind === 'call-failure') {
    const detail = brief(cause?.text ?? message ?? '');
    return { ...find('webhookFails', { ...about, webhook, detail }, evidence, { blocker: webhook }), since };
  }
  const { policy, binding, message: demand = '' } = denialByPolicy.exec(text)?.groups ?? {};
  if (policy !== undefined)
    return {
      ...find('admissionPolicy', { ...about, policy, detail: brief(demand) }, evidence, { binding }),
      since,
    };
  const reason = reasonOf(text);
  const known = { ...about, namespace, detail: detailOf(reason, text) };
  const { serviceAccountName = 'default' } = workload.spec.template.spec;
  const ofDefault = serviceAccountName === 'default' && ofHost.test(known.detail);
  return { ...find(ofDefault ? 'defaultAccount' : reason, known, evidence, namesInRefusal(text)), since };
};

export const workloadCannotCreatePods = defineCheck({
  meta: {
    id: 'workload-cannot-create-pods',
    title: 'Workload cannot create its Pods',
    consequence: 'failing',
    why: 'The API server refuses the Pods when the controller creates them, so no Pod exists. Only the Events of the controller (for a Deployment: its ReplicaSet and the condition ReplicaFailure) show why. The controller retries with a growing delay of up to 17 minutes.',
    advice,
    messageFor: reasonOf,
    noRemedy: { because: 'a quota, a policy or a missing object refuses the Pods, and must be changed' },
    messages,
    preventsReadiness: true,
    follows: ['bootstrap-deadlock', 'deadlock-cycle'],
    references: ['/docs/concepts/workloads/controllers/deployment/#failed-deployment'],
  },
  requires,
  subjects: (facts) => [...backendsInNeedOfPods(facts), ...servedBackends(facts)],
  run(backend, facts, find) {
    const { namespace, service } = backend;
    const isServed = usableBehind(backend, facts).length > 0;
    const makers = workloadsMaking(service.spec.selector, facts.workloads.get(namespace) ?? []);
    return firstResult(makers, (workload) => {
      const since = isServed ? undefined : unprocessedSince(workload, facts.takenAt);
      if (since !== undefined) return unprocessed({ workload, since }, facts, find);
      const refused = wantedPods(workload) === 0 ? undefined : podRefusalOf(workload, facts);
      if (refused === undefined) return undefined;
      const about = { ...backend, workload, refused };
      return isServed ? moreRefused(about, facts, find) : refusal(about, facts, find);
    });
  },
});
