import {
  heartbeats,
  type VitalRequest,
  vital,
  vitalRequestsMatched,
} from '../../apiserver/admission/vital-request.ts';
import {
  controllers,
  foreseenByService,
  foreseenByWorkload,
  type PathRequest,
  pathRequests,
} from '../../apiserver/deadlock/admission-path.ts';
import { bootstrapOf } from '../../apiserver/deadlock/bootstrap.ts';
import { behaves } from '../../apiserver/server-version.ts';
import { type AdmissionCallout, configuringResource, type MatchCondition } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { listed } from '../../phrases/lists.ts';
import { systemNamespaces } from '../../products/system-namespaces.ts';
import { andTryAgain, serviceBehind, webhookEdit, whoRevertsField, workloadBehind } from '../backend.ts';
import { configurationKinds, defineRemedy, type Problem, workloadKinds } from '../remedy.ts';
import { factsOfBlockedPods, namespacesInNeed, untainting } from './exclude-backend-namespace.ts';

/** A match condition, and a description of the requests that it excludes. */
interface Exclusion extends MatchCondition {
  readonly spares: string;
}

const nodes = 'request.userInfo.groups.exists(group, group in ["system:nodes", "system:bootstrappers"])';
const controlPlane =
  '(request.userInfo.username in ["system:kube-scheduler", "system:kube-controller-manager", "system:cloud-controller-manager", "system:apiserver"] || "system:serviceaccounts:kube-system" in request.userInfo.groups)';
const within = (names: readonly string[]): string =>
  `has(request.namespace) && request.namespace in ${JSON.stringify(names)}`;

/** Requests that nodes and leaders depend on. Not new Pods: those of controllers are still checked. */
const reports: readonly Exclusion[] = [
  {
    name: 'exclude-leases',
    expression: 'request.resource.group != "coordination.k8s.io" || request.resource.resource != "leases"',
    spares: 'Leases',
  },
  { name: 'exclude-nodes', expression: `!${nodes}`, spares: 'requests of nodes' },
  {
    name: 'exclude-control-plane-reports',
    expression: `!(${controlPlane} && (request.resource.resource in ["nodes", "endpointslices", "events"] || has(request.subResource) && request.subResource in ["binding", "status"]))`,
    spares: 'bindings, status and events written by the control plane',
  },
];

const recovery = (names: readonly string[]): Exclusion => ({
  name: 'exclude-recovery',
  expression: `!(${within(names)} && (${controlPlane} || ${nodes}))`,
  spares: `requests of the control plane and of nodes in ${listed(names)}`,
});

const breakGlass = ({ kind, configuration }: AdmissionCallout, namespace: string): Exclusion => ({
  name: 'break-glass',
  expression: `!(${within([namespace])} && authorizer.group("admissionregistration.k8s.io").resource("${configuringResource(kind)}").name("${configuration}").check("breakglass").allowed())`,
  spares: `requests in ${namespace} of users who have the verb "breakglass" for this configuration, as cluster-admin has`,
});

/** The API's limit for the conditions of a webhook (admissionregistration/validation). */
const most = 64;
/**
 * Maximum number of authorizer calls in all conditions of a webhook: each costs 350 000 of a budget of 2 500
 * 000 (apiserver apis/cel/config.go).
 */
const mostAuthorizerCalls = 7;
const authorizerCalls = (conditions: readonly MatchCondition[]): number =>
  conditions.reduce((sum, { expression }) => sum + expression.split('.check(').length - 1, 0);

/** The webhook with an additional condition, whose name is unique in it. */
const adding = (callout: AdmissionCallout, { name, expression }: MatchCondition): AdmissionCallout => {
  const { matchConditions } = callout;
  const taken = matchConditions.some((one) => one.name === name);
  const own = { name: taken ? `${name}-${matchConditions.length}` : name, expression };
  return { ...callout, matchConditions: [...matchConditions, own] };
};

type ConditionFacts = Pick<Facts, 'callouts' | 'version' | 'namespaces' | 'served'>;

/** The requests that a problem is about, and the conditions that can exclude them, the narrowest first. */
interface Scope {
  readonly requests: readonly Omit<VitalRequest, 'impact'>[];
  readonly exclusions: readonly Exclusion[];
}

const matchedAmong = (
  callout: AdmissionCallout,
  requests: Scope['requests'],
  facts: ConditionFacts,
): number =>
  vitalRequestsMatched(
    callout,
    requests.map(({ request }) => ({ request, impact: '' })),
    facts,
  ).length;

function scopeOf(
  { check, waitsForNodes }: Problem,
  callout: AdmissionCallout,
  own: {
    readonly namespace: string;
    readonly needing: readonly string[];
    readonly path: readonly PathRequest[];
  },
  facts: ConditionFacts,
): Scope {
  const newPods = (names: readonly string[]) =>
    names.map((name) => vital('CREATE', 'v1', 'pods', { namespace: name, user: controllers }));
  switch (check) {
    case 'bootstrap-deadlock': {
      const ofNodes = [...heartbeats(callout, facts), untainting];
      // If it matches none of the path, its Pods wait for the update of a Node.
      const isPath = waitsForNodes !== true && matchedAmong(callout, own.path, facts) > 0;
      const withNodes = waitsForNodes === true ? [...own.path, ...ofNodes] : ofNodes;
      const requests = isPath ? own.path : withNodes;
      return { requests, exclusions: [recovery(own.needing), ...reports] };
    }
    case 'deadlock-cycle': {
      const all = facts.callouts.flatMap(({ client }) => client.service?.namespace ?? []);
      const names = [...new Set(all)].sort();
      return { requests: [...newPods(names), ...own.path], exclusions: [recovery(names), ...reports] };
    }
    case 'covers-system-namespaces':
      return { requests: newPods(systemNamespaces(facts)), exclusions: [recovery(systemNamespaces(facts))] };
    case 'covers-own-configuration-path': {
      const write = vital('UPDATE', 'v1', 'secrets', { namespace: own.namespace });
      return { requests: [write], exclusions: [breakGlass(callout, own.namespace)] };
    }
    default:
      return { requests: heartbeats(callout, facts), exclusions: reports };
  }
}

export const excludeByCondition = defineRemedy({
  meta: {
    id: 'exclude-by-condition',
    title: 'Exclude system requests with matchConditions',
    risk: 'careful',
    does: 'Adds matchConditions that exclude node heartbeats, Leases, writes of the control plane, or the requests that the backend needs to recover. The API server evaluates them itself, even while no Pod of the webhook runs. Every other request is still sent to the webhook. If Pods of the backend were refused, its workload is restarted.',
    leaves:
      'The cause of the failing calls. All other requests are still refused until the webhook responds.',
    answers: [
      'bootstrap-deadlock',
      'deadlock-cycle',
      'covers-node-heartbeats',
      'covers-everything',
      'covers-system-namespaces',
      'covers-own-configuration-path',
    ],
    touches: [
      { operation: 'patch', kinds: configurationKinds },
      { operation: 'restart', kinds: workloadKinds },
    ],
  },
  about: 'fails-closed',
  requires: factsOfBlockedPods,
  plan(problem, facts) {
    const { callout, breaks, check } = problem;
    const service = serviceBehind(callout, facts);
    const namespace = callout.client.service?.namespace ?? '';
    const workload = workloadBehind(callout, facts);
    const pod = service && (workload ? foreseenByWorkload(workload, service) : foreseenByService(service));
    const own = {
      namespace,
      needing: service === undefined ? [namespace] : namespacesInNeed(callout, service, facts),
      path: pod === undefined ? [] : pathRequests(pod, callout).filter(({ needed }) => needed === 'always'),
    };
    const { kept, narrowed } = narrow(callout, scopeOf(problem, callout, own, facts), facts);
    const isDeadlock = check === 'bootstrap-deadlock';
    if (kept.length === 0) return undefined;
    if (isDeadlock && (pod === undefined || bootstrapOf(narrowed, pod, facts).outcome !== 'free'))
      return undefined;
    const refusal = refusalOf(narrowed, kept, facts.version);
    if (refusal !== undefined) return refusal;
    const plan = planOf(callout, narrowed, kept);
    return isDeadlock && breaks === true && workload !== undefined
      ? andTryAgain(plan, callout, workload)
      : plan;
  },
});

/** Adds the conditions that exclude at least one of the requests. */
function narrow(
  callout: AdmissionCallout,
  { requests, exclusions }: Scope,
  facts: ConditionFacts,
): { readonly kept: readonly Exclusion[]; readonly narrowed: AdmissionCallout } {
  const matched = (one: AdmissionCallout): number => matchedAmong(one, requests, facts);
  const kept: Exclusion[] = [];
  let narrowed = callout;
  for (const one of exclusions) {
    const next = adding(narrowed, one);
    if (matched(next) === matched(narrowed)) continue;
    kept.push(one);
    narrowed = next;
  }
  return { kept, narrowed };
}

/** The reason that the API server would reject the conditions or fail to evaluate them. */
function refusalOf(
  { webhook, matchConditions }: AdmissionCallout,
  added: readonly Exclusion[],
  version: string | undefined,
): string | undefined {
  if (!behaves(version, 'match-conditions'))
    return `Kubernetes ${version} does not evaluate matchConditions: 1.28 is the first release that does.`;
  if (matchConditions.length > most)
    return `${webhook} would have ${matchConditions.length} matchConditions, and the API allows ${most}.`;
  if (authorizerCalls(added) > 0 && authorizerCalls(matchConditions) > mostAuthorizerCalls)
    return `The matchConditions of ${webhook} would exceed their cost budget: it allows ${mostAuthorizerCalls} authorizer calls.`;
  return undefined;
}

function planOf(
  callout: AdmissionCallout,
  { matchConditions }: AdmissionCallout,
  added: readonly Exclusion[],
) {
  const spared = listed(added.map(({ spares }) => spares));
  return {
    summary: `${callout.webhook} is no longer called for ${spared}`,
    edits: [webhookEdit(callout, 'matchConditions', matchConditions)],
    fixes: [],
    warnings: [
      `The webhook no longer ${callout.kind === 'mutating' ? 'changes' : 'checks'} ${spared}.`,
      ...whoRevertsField(callout, 'matchConditions'),
    ],
  };
}
