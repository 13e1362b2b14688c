import { requestText } from '../../apiserver/admission-path.ts';
import type { AdmissionRequest } from '../../apiserver/admission-request.ts';
import { callSeconds, writeSeconds } from '../../apiserver/budget.ts';
import { mayCover } from '../../apiserver/impact.ts';
import { type MatchFacts, matchRequest } from '../../apiserver/match.ts';
import { chainOf } from '../../apiserver/order.ts';
import { type AdmissionCallout, isAdmission } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { defineCheck } from '../check.ts';
import { selectedNamespaces } from '../scope/selected-namespaces.ts';

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

/** As the API server calls them, one after the other. */
const inOrder = ({ callouts }: Pick<Facts, 'callouts'>): readonly AdmissionCallout[] =>
  chainOf(callouts.filter(isAdmission)).mutating;

/** Repeated calls do not count: a webhook that hangs changes nothing. */
const seconds = (chain: readonly AdmissionCallout[]): number =>
  chain.reduce((sum, callout) => sum + callSeconds(callout), 0);

/** A write, and all webhooks that it is known to meet. */
interface Chain {
  readonly request: AdmissionRequest;
  readonly webhooks: readonly AdmissionCallout[];
}

/**
 * The namespace in which an object without labels meets the longest chain. A webhook that only some objects meet, or
 * that a condition may pass by, is left out: this counts what is certain.
 */
function longestChain(
  request: AdmissionRequest,
  webhooks: readonly AdmissionCallout[],
  facts: MatchFacts,
): Chain {
  const met = new Map<string, AdmissionCallout[]>();
  for (const webhook of webhooks) {
    const names = selectedNamespaces(webhook, facts);
    const [namespace] = names;
    if (namespace === undefined) continue;
    if (matchRequest(webhook, { ...request, namespace }, facts).outcome !== 'called') continue;
    for (const name of names) {
      const chain = met.get(name);
      if (chain === undefined) met.set(name, [webhook]);
      else chain.push(webhook);
    }
  }
  let longest: Chain = { request, webhooks: [] };
  for (const [namespace, chain] of met) {
    if (seconds(chain) > seconds(longest.webhooks))
      longest = { request: { ...request, namespace }, webhooks: chain };
  }
  return longest;
}

/** The longest chain of any common write, where it is too long. Told of the webhook that may take most of it. */
function subjects(facts: Pick<Facts, 'callouts'> & MatchFacts) {
  const webhooks = inOrder(facts);
  const tried = new Set<string>();
  let worst: Chain | undefined;
  for (const resource of common) {
    for (const operation of ['CREATE', 'UPDATE'] as const) {
      const request: AdmissionRequest = { operation, ...resource };
      const covering = webhooks.filter((webhook) => mayCover(webhook, request));
      if (seconds(covering) <= writeSeconds) continue;
      const key = `${resource.group} ${covering.map((webhook) => webhooks.indexOf(webhook)).join()}`;
      if (tried.has(key)) continue;
      tried.add(key);
      const chain = longestChain(request, covering, facts);
      if (seconds(chain.webhooks) > Math.max(writeSeconds, seconds(worst?.webhooks ?? []))) worst = chain;
    }
  }
  if (worst === undefined) return [];
  const [slowest] = [...worst.webhooks].sort((a, b) => b.timeoutSeconds - a.timeoutSeconds);
  return slowest === undefined ? [] : [{ ref: slowest.ref, chain: worst }];
}

export const timeoutBudgetExceeded = defineCheck({
  meta: {
    id: 'timeout-budget-exceeded',
    link: 'failure-policy',
    title: 'The timeouts of the webhooks that one request meets are longer than the request may take',
    severity: 'warning',
    why: 'Mutating webhooks are called one after the other, and the API server ends the whole write after 34 s, whatever the client asked for. When several of them are slow at once, because a node or the network is, the user gets a 504 that names none of them, and the last ones never get their time.',
    advice:
      'Shorten timeoutSeconds: a webhook that works answers in milliseconds, 2 to 5 s are plenty. Narrow rules and selectors so that one request meets fewer of them.',
    messages: {
      exceeded:
        '{request} in namespace {namespace} meets {count} mutating webhooks one after the other; their timeouts add up to {total} s, and the request ends after {budget} s',
    },
    references: [
      'https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/',
    ],
  },
  requires: ['version', 'callouts', 'namespaces', 'served'],
  subjects,
  run({ chain: { request, webhooks } }, _facts, find) {
    const data = {
      request: requestText(request),
      namespace: request.namespace ?? '',
      count: webhooks.length,
      total: seconds(webhooks),
      budget: writeSeconds,
    };
    const evidence = webhooks.map(({ ref, index, timeoutSeconds }) => ({
      object: ref,
      field: `webhooks[${index}].timeoutSeconds`,
      value: String(timeoutSeconds),
    }));
    return find('exceeded', data, evidence);
  },
});
