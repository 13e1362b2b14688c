import { calledWith, reviewsTo } from '../../apiserver/connection/called-with.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import {
  namesText,
  probedEndpointEvidence,
  usableEndpoints,
} from '../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../apiserver/connection/probed-servers.ts';
import { leavesOf } from '../../apiserver/patch/leaves.ts';
import { hashLabel } from '../../apiserver/sample/role-requests.ts';
import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { type Callout, calloutId, serviceKeyOf } from '../../facts/callout.ts';
import type { World } from '../../facts/snapshot.ts';
import { defineCheck } from '../check.ts';

const requires = [...probeFacts, 'samples'] as const;
type TemplateFacts = World<(typeof requires)[number]>;

const hashPath = `metadata.labels[${JSON.stringify(hashLabel)}]`;

/**
 * The values of an object's Pod template that the Deployment controller compares: without the hash (EqualIgnoreHash),
 * and without empty ones, which a program in Go adds to each object that it encodes.
 */
const templateOf = (object: unknown): ReadonlySet<string> =>
  new Set(
    [...leavesOf((object as { readonly spec?: { readonly template?: unknown } } | undefined)?.spec?.template)]
      .filter(([path, value]) => path !== hashPath && value !== 'null' && value !== '[]')
      .map((leaf) => leaf.join(' ')),
  );

/** The values of the Pod template that a server adds or removes; none if it does not admit the object. */
function changesBy({ callResult }: ProbedEndpoint, object: unknown): readonly string[] {
  const answer = callResult.outcome === 'answers' ? callResult.answer : undefined;
  if (answer?.outcome !== 'allowed' || answer.patched === undefined) return [];
  const [sent, patched] = [templateOf(object), templateOf(answer.patched)];
  return [
    ...[...patched].filter((value) => !sent.has(value)),
    ...[...sent].filter((value) => !patched.has(value)),
  ];
}

/**
 * The servers that were called with the creation of a test object of this resource, and what each changes in its Pod
 * template. A stored object has what they add.
 */
const calledFor = (resource: string, callout: Callout, facts: TemplateFacts) =>
  calledWith(callout, facts)
    .filter(({ sample }) => sample === undefined || sample.by === 'made-up')
    .flatMap(({ sample, facts: seen }) =>
      usableEndpoints(callout, seen).flatMap((server) => {
        const [review] = reviewsTo(server, callout, seen);
        return review?.resource === resource && review.operation === 'CREATE'
          ? [{ server, role: sample?.role, changes: changesBy(server, review.object) }]
          : [];
      }),
    );

const programOf = (callout: Callout): string => serviceKeyOf(callout) ?? callout.configuration;

/** What a program changes in the Pod template of a Deployment, with all of its webhooks; absent if not called for one. */
const changesOfDeployments = derive(requires, (facts: TemplateFacts) => {
  const called = probedCallouts(facts)
    .filter((callout) => facts.probes.known(calloutId(callout)))
    .flatMap((callout) =>
      calledFor('deployments.apps', callout, facts).map((one) => ({ ...one, program: programOf(callout) })),
    );
  return new Map(
    [...groupBy(called, ({ program }) => program)].map(([program, all]) => [
      program,
      new Set(all.flatMap(({ changes }) => changes)),
    ]),
  );
});

export const replicasetTemplateChanged = defineCheck({
  meta: {
    id: 'replicaset-template-changed',
    title: 'Deployment controller creates ReplicaSets without end',
    severity: 'error',
    confidence: 'observed',
    why: 'The Deployment controller finds its ReplicaSet by comparing the Pod templates. If a webhook changes the template of the ReplicaSet only, the controller does not recognise it, and creates the next one at once. They fill etcd, and the Deployment does not progress.',
    advice:
      '[end] Remove `replicasets` from the rules: `kubectl edit {kind} {configuration}`. [with] Change the templates of Deployments or the Pods instead. [with] Then delete the ReplicaSets without Pods, which this lists: `kubectl get replicasets -A`.',
    noRemedy: 'in-the-server',
    messages: {
      changed:
        'The patch of {replicas} changes the Pod template of a ReplicaSet, but not of its Deployment, which then creates ReplicaSets without end',
      changedAlone: {
        text: 'The patch of {replicas} changes the Pod template of a ReplicaSet; a Deployment without this change creates ReplicaSets without end',
        severity: 'warning',
      },
    },
    references: ['/docs/concepts/workloads/controllers/deployment/'],
  },
  requires,
  subjects: probedCallouts,
  run(callout, facts, find) {
    // Throws if the callout could not be probed.
    usableEndpoints(callout, facts);
    const owned = calledFor('replicasets.apps', callout, facts).filter(
      ({ role }) => role === 'owned-replicaset',
    );
    if (owned.length === 0 || owned.some(({ changes }) => changes.length === 0)) return undefined;
    const ofDeployments = changesOfDeployments(facts).get(programOf(callout));
    // The Deployment, and therefore its ReplicaSet, has these values already.
    if (owned.some(({ changes }) => changes.every((value) => ofDeployments?.has(value)))) return undefined;
    const servers = owned.map(({ server }) => server);
    return find(
      ofDeployments === undefined ? 'changedAlone' : 'changed',
      { replicas: namesText(servers) },
      servers.map((one) =>
        probedEndpointEvidence(callout, one, 'patch changes spec.template of a ReplicaSet'),
      ),
    );
  },
});
