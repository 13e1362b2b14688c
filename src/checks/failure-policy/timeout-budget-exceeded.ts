import type { AdmissionRequest } from '../../apiserver/admission/admission-request.ts';
import { mayBeExcluded } from '../../apiserver/admission/exempt.ts';
import { mayCover } from '../../apiserver/admission/impact.ts';
import { type MatchFacts, matchRequest } from '../../apiserver/admission/match.ts';
import { webhookChain } from '../../apiserver/admission/order.ts';
import { selectedNamespaces } from '../../apiserver/admission/selected-namespaces.ts';
import { callSeconds, writeSeconds } from '../../apiserver/budget/budget.ts';
import { type BackendBehaviour, type Timeline, timelineOf } from '../../apiserver/budget/timeline.ts';
import { requestText } from '../../apiserver/deadlock/admission-path.ts';
import { type AdmissionCallout, isAdmission, webhookEvidence } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

type Resource = Pick<AdmissionRequest, 'group' | 'version' | 'resource'>;

const common: readonly Resource[] = [
  { group: '', version: 'v1', resource: 'pods' },
  { group: '', version: 'v1', resource: 'services' },
  { group: '', version: 'v1', resource: 'configmaps' },
  { group: '', version: 'v1', resource: 'secrets' },
  { group: 'apps', version: 'v1', resource: 'deployments' },
  { group: 'apps', version: 'v1', resource: 'statefulsets' },
  { group: 'apps', version: 'v1', resource: 'daemonsets' },
  { group: 'batch', version: 'v1', resource: 'jobs' },
  { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses' },
];

const seconds = (chain: readonly AdmissionCallout[]): number =>
  chain.reduce((sum, callout) => sum + callSeconds(callout), 0);

/** A response just before the timeout, without a change: no webhook is reinvoked. */
const late = (callout: AdmissionCallout): BackendBehaviour => ({
  afterSeconds: callSeconds(callout) * 0.999,
  end: { outcome: 'allowed', changed: false },
});

/** A request, all webhooks that it certainly matches, and the timeline if each needs its full timeout. */
interface Chain {
  readonly request: AdmissionRequest;
  readonly webhooks: readonly AdmissionCallout[];
  readonly timeline: Timeline;
}

type Read = Pick<Facts, 'callouts' | 'namespaces' | 'version'> & MatchFacts;

/**
 * Returns the webhooks that match each request in each known namespace, for an object without labels.
 * Webhooks that match only some objects, by labels or conditions, are left out: only certain matches count. Rules and
 * match conditions, which depend on the object more than on its namespace, are evaluated in one namespace.
 */
function chainsOf(
  webhooks: readonly AdmissionCallout[],
  requests: readonly AdmissionRequest[],
  facts: Read,
): readonly Omit<Chain, 'timeline'>[] {
  const { version } = facts;
  const places = new Map<readonly string[], ReadonlySet<string>>();
  const selected = webhooks.map((webhook) => {
    const names = selectedNamespaces(webhook, facts);
    const known = places.get(names) ?? new Set(names);
    places.set(names, known);
    return known;
  });
  const all = facts.namespaces.all().map(({ metadata }) => metadata.name);
  return requests.flatMap((request) => {
    const names = all.filter((namespace) => !mayBeExcluded({ ...request, namespace }, version));
    const called = webhooks.map((webhook, at) => {
      const namespace = names.find((name) => selected[at]?.has(name));
      if (namespace === undefined) return false;
      return matchRequest(webhook, { ...request, namespace }, facts, version).outcome === 'called';
    });
    return names.map((namespace) => ({
      request: { ...request, namespace },
      webhooks: webhooks.filter((_, at) => called[at] === true && selected[at]?.has(namespace)),
    }));
  });
}

function longRequests(webhooks: readonly AdmissionCallout[]): readonly AdmissionRequest[] {
  const tried = new Set<string>();
  return common.flatMap((resource) =>
    (['CREATE', 'UPDATE'] as const).flatMap((operation) => {
      const request: AdmissionRequest = { operation, ...resource };
      const covering = webhooks.filter((webhook) => mayCover(webhook, request));
      const key = `${resource.group} ${covering.map((webhook) => webhooks.indexOf(webhook)).join()}`;
      if (seconds(covering) <= writeSeconds || tried.has(key)) return [];
      tried.add(key);
      return [request];
    }),
  );
}

/** The longest chain of any common request, if too long; at the webhook with the longest timeout. */
function subjects(facts: Read) {
  const webhooks = webhookChain(facts.callouts.filter(isAdmission)).mutating;
  const requests = longRequests(webhooks);
  if (requests.length === 0) return [];
  const longest = chainsOf(webhooks, requests, facts).reduce(
    (a, b) => (seconds(b.webhooks) > seconds(a.webhooks) ? b : a),
    { request: requests[0] as AdmissionRequest, webhooks: [] },
  );
  const timeline = timelineOf(longest.webhooks, late, {}, facts.version);
  const [slowest] = [...longest.webhooks].sort((a, b) => b.timeoutSeconds - a.timeoutSeconds);
  if (slowest === undefined || timeline.end !== 'timed-out') return [];
  return [{ ref: slowest.ref, chain: { ...longest, timeline } }];
}

export const timeoutBudgetExceeded = defineCheck({
  meta: {
    id: 'timeout-budget-exceeded',
    title: 'Webhook timeouts add up to more than the request may take',
    severity: 'warning',
    why: 'Mutating webhooks are called in sequence, and the API server ends the write after 34 s, whatever the client requested. If several are slow at once, the user gets a 504 that names none of them. The last ones have less than their full timeout.',
    advice:
      '[end] Reduce timeoutSeconds to 2 to 5 s, which are enough for a webhook that responds in milliseconds: `kubectl edit {kind} {configuration}`. [end] Make rules and selectors narrower, so that one request reaches fewer webhooks: `kubectl webhook trace -f FILE` shows which ones a request reaches.',
    messages: {
      exceeded:
        '{request} in namespace {namespace} reaches {count} mutating webhooks in sequence; their timeouts add up to {total} s, above the {budget} s limit: {detail}',
    },
    references: [
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#design-admission-webhooks-low-latency',
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts',
    ],
  },
  requires: ['version', 'callouts', 'namespaces', 'served'],
  subjects,
  run({ chain: { request, webhooks, timeline } }, _facts, find) {
    const data = {
      request: requestText(request),
      namespace: request.namespace ?? '',
      count: webhooks.length,
      total: seconds(webhooks),
      budget: timeline.seconds,
      detail: listed(timeline.messages, { word: 'or' }),
    };
    const evidence = webhooks.map((one) => webhookEvidence(one, 'timeoutSeconds', one.timeoutSeconds));
    return find('exceeded', data, evidence);
  },
});
