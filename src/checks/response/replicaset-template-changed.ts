import { isDeepStrictEqual } from 'node:util';
import { calledWith, reviewsTo } from '../../apiserver/connection/called-with.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import {
  namesText,
  probedEndpointEvidence,
  usableEndpoints,
} from '../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../apiserver/connection/probed-servers.ts';
import { hashLabel } from '../../apiserver/sample/role-requests.ts';
import { defineCheck } from '../check.ts';

interface Template {
  readonly metadata?: { readonly labels?: Readonly<Record<string, unknown>> };
}

/** The Pod template of an object, as the Deployment controller compares it: without the hash (EqualIgnoreHash). */
function templateOf(object: unknown): Template | undefined {
  const { template } =
    (object as { readonly spec?: { readonly template?: Template } } | undefined)?.spec ?? {};
  const { [hashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return template && { ...template, metadata: { ...template.metadata, labels } };
}

/** The template that a server returns; undefined if it does not admit the object, or changes nothing. */
function changedBy({ callResult }: ProbedEndpoint): Template | undefined {
  const answer = callResult.outcome === 'answers' ? callResult.answer : undefined;
  return answer?.outcome === 'allowed' ? templateOf(answer.patched) : undefined;
}

export const replicasetTemplateChanged = defineCheck({
  meta: {
    id: 'replicaset-template-changed',
    title: 'Deployment controller creates ReplicaSets without end',
    severity: 'error',
    confidence: 'observed',
    why: 'The Deployment controller finds its ReplicaSet by comparing the Pod templates. If a webhook changes the template of the ReplicaSet only, the controller does not recognise it, and creates the next one at once. They fill etcd, and the Deployment does not progress.',
    advice:
      '[end] Remove `replicasets` from the rules: `kubectl edit {kind} {configuration}`. [with] Change the templates of Deployments or the Pods instead. [with] Then delete the ReplicaSets without Pods: `kubectl get replicasets -A`.',
    noRemedy: 'in-the-server',
    messages: {
      changed:
        'The patch of {replicas} changes the Pod template of a ReplicaSet, but not of its Deployment, which then creates ReplicaSets without end',
    },
    references: ['/docs/concepts/workloads/controllers/deployment/'],
  },
  requires: [...probeFacts, 'samples'],
  subjects: probedCallouts,
  run(callout, facts, find) {
    // Throws if the callout could not be probed.
    usableEndpoints(callout, facts);
    const called = calledWith(callout, facts);
    const calledAs = (role: string) =>
      called.flatMap(({ sample, facts: seen }) =>
        sample?.role === role
          ? usableEndpoints(callout, seen).map((server) => ({
              server,
              changed: changedBy(server),
              sent: templateOf(reviewsTo(server, callout, seen)[0]?.object),
            }))
          : [],
      );
    const owned = calledAs('owned-replicaset');
    const owners = calledAs('owner-of-replicaset');
    const changing = owned.flatMap(({ server, changed, sent }) => {
      const known = [sent, ...owners.map((owner) => owner.changed)];
      const isPatched = changed !== undefined && sent !== undefined;
      return isPatched && !known.some((template) => isDeepStrictEqual(template, changed)) ? [server] : [];
    });
    if (changing.length === 0 || changing.length < owned.length) return undefined;
    return find(
      'changed',
      { replicas: namesText(changing) },
      changing.map((one) =>
        probedEndpointEvidence(callout, one, 'patch changes spec.template of a ReplicaSet'),
      ),
    );
  },
});
