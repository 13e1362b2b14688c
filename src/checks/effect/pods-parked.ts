import {
  type HeldPodFacts,
  isLeftOver,
  type PodHeldByWebhook,
  podsHeldByWebhooks,
} from '../../apiserver/held-pods/held-by-webhook.ts';
import { podReferencesOf } from '../../apiserver/held-pods/placeholder-scheduler.ts';
import { backends, endpointFacts, usableBehind } from '../../apiserver/routing/backends.ts';
import { isServiceBacked } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, type ObjectRef, refText } from '../../facts/object-ref.ts';
import { isDenial, type RbacDenial } from '../../facts/rbac-denial.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { denialEvidence } from '../../facts/workloads/pod-logs.ts';
import { affectedNames, refOfPod } from '../../facts/workloads/workloads.ts';
import { agreeing, counted, listed } from '../../phrases/lists.ts';
import { defineCheck, latent } from '../check.ts';

type InputFacts = Pick<Facts, 'podReferences'>;
type EndFacts = HeldPodFacts & InputFacts & Pick<Facts, 'rbacDenials' | (typeof endpointFacts)[number]>;

/** The state of a Pod that is held in Pending. */
type End =
  | 'inputMissing'
  | 'inputUnknown'
  | 'controllerDown'
  | 'lacksRights'
  | 'notReleased'
  | 'gated'
  | 'leftOver';

const nameOf = ({ kind, ...rest }: ObjectRef): string => `${kind} ${keyOf(rest)}`;

const missingInputs = ({ pod }: PodHeldByWebhook, { podReferences }: InputFacts): readonly ObjectRef[] =>
  podReferencesOf(pod).filter((ref) => podReferences.isAbsent(nameOf(ref)));

/** True if no Pod of the webhook can be called: the webhook that holds Pods usually also releases them. */
const isDown = ({ webhooks: [webhook, ...others] }: PodHeldByWebhook, facts: EndFacts): boolean => {
  if (webhook === undefined || others.length > 0 || !isServiceBacked(webhook)) return false;
  const key = keyOf(webhook.client.service);
  if (facts.services.isAbsent(key)) return true;
  const backend = backends(facts).find(({ callout }) => callout === webhook);
  return (
    backend !== undefined &&
    facts.endpointSlices.known(backend.key) &&
    usableBehind(backend, facts).length === 0
  );
};

/** The permissions that the Pods of the only possible webhook lack, from their logs. */
const denialsOf = (
  { webhooks: [webhook, ...others] }: PodHeldByWebhook,
  { rbacDenials }: Pick<Facts, 'rbacDenials'>,
): readonly RbacDenial[] => {
  if (webhook === undefined || others.length > 0 || !isServiceBacked(webhook)) return [];
  const key = keyOf(webhook.client.service);
  return (rbacDenials.getIfKnown(key) ?? []).filter(isDenial);
};

function endOf(held: PodHeldByWebhook, facts: EndFacts): End {
  if (missingInputs(held, facts).length > 0) return 'inputMissing';
  if (isLeftOver(held, facts)) return 'leftOver';
  if (isDown(held, facts)) return 'controllerDown';
  if (podReferencesOf(held.pod).some((ref) => !facts.podReferences.known(nameOf(ref)))) return 'inputUnknown';
  if (denialsOf(held, facts).length > 0) return 'lacksRights';
  return 'scheduler' in held.by ? 'notReleased' : 'gated';
}

const howOf = ({ by }: PodHeldByWebhook): string =>
  'scheduler' in by
    ? `schedulerName ${by.scheduler}, which no scheduler serves`
    : `schedulingGates ${listed(by.gates)}`;

/**
 * Groups held Pods by workload and state. The subject is the webhook that holds them, or the workload if
 * several webhooks may hold them.
 */
function groups(facts: EndFacts, now: string) {
  const found = new Map<
    string,
    { ref: ObjectRef; end: End; members: [PodHeldByWebhook, ...PodHeldByWebhook[]] }
  >();
  for (const held of podsHeldByWebhooks(facts, now)) {
    const [webhook, ...others] = held.webhooks;
    const ref = webhook === undefined || others.length > 0 ? held.workload : webhook.ref;
    const end = endOf(held, facts);
    const key = [refText(ref), end, refText(held.workload), howOf(held)].join('\n');
    const group = found.get(key);
    if (group === undefined) found.set(key, { ref, end, members: [held] });
    else group.members.push(held);
  }
  return [...found.values()];
}

const evidenceOf = (members: readonly PodHeldByWebhook[]): readonly Evidence[] =>
  members.flatMap(({ pod, by, kept }) => [
    'scheduler' in by
      ? { object: refOfPod(pod), field: 'spec.schedulerName', value: by.scheduler }
      : { object: refOfPod(pod), field: 'spec.schedulingGates', value: by.gates.join(', ') },
    ...(kept === undefined ? [] : [kept]),
  ]);

export const podsParked = defineCheck({
  meta: {
    id: 'pods-parked',
    title: 'Webhook holds Pods in Pending',
    severity: 'error',
    confidence: 'observed',
    why: 'Until a condition is met, a mutating webhook can set scheduling gates on a Pod, or a schedulerName that no scheduler serves. The Pod stays in Pending without any Event until a controller releases it. The schedulerName of an existing Pod is immutable, and gates can only be removed.',
    advice:
      '[end] Create the missing object. [look] If nothing is missing, check that the controller runs, and read its log: `kubectl -n {namespace} logs {backend}`. [end] If the log reports a forbidden request, add that permission to the Role or ClusterRole of its ServiceAccount. [end] To continue without it, restore the previous scheduler in the template of the workload, which recreates its Pods: `kubectl -n {place} edit {affected}`.',
    messages: {
      inputMissing: latent('{pods} of {workload} {wait} ({how}); missing: {inputs}{undecided}'),
      inputUnknown: latent(
        '{pods} of {workload} {wait} ({how}); whether the objects that they reference exist is unknown{undecided}',
      ),
      controllerDown:
        '{pods} of {workload} {wait} ({how}), although all referenced objects exist: the controller that releases them does not run{undecided}',
      lacksRights:
        '{pods} of {workload} {wait} ({how}), although all referenced objects exist: the controller that releases them cannot {verb} {resource}{undecided}',
      notReleased:
        '{pods} of {workload} {wait} ({how}), although all referenced objects exist: no controller has released them{undecided}',
      gated: {
        text: '{pods} of {workload} {wait} ({how}), although all referenced objects exist{undecided}',
        severity: 'warning',
        advice:
          '[look] Check that the controller that removes the gates runs, and read its log: `kubectl -n {namespace} logs {backend}`. [end] To schedule a Pod without it, remove its gates: `kubectl -n {place} patch pod {pod} --type=merge -p \'{"spec":{"schedulingGates":null}}\'`.',
      },
      leftOver: {
        text: '{pods} of {workload} {wait} ({how}), although the workload is released: they were created before{undecided}',
        severity: 'warning',
        advice:
          '[safe] Let the workload create them again: `kubectl -n {place} rollout restart {recreated}`. [end] Delete each Pod; its controller creates it again: `kubectl -n {place} delete pod {replaced}`.',
      },
    },
    references: [
      '/docs/concepts/scheduling-eviction/pod-scheduling-readiness/',
      '/docs/tasks/extend-kubernetes/configure-multiple-schedulers/#verifying-that-the-pods-were-scheduled-using-the-desired-schedulers',
    ],
  },
  requires: [
    ...endpointFacts,
    'version',
    'namespaces',
    'served',
    'pendingPods',
    'podControllers',
    'podReferences',
    'rbacDenials',
  ],
  subjects: ({ callouts, pendingPods }) =>
    pendingPods.why('Pending')?.why === 'not-requested'
      ? []
      : [{ ref: { kind: 'Pod', name: 'Pending' }, callouts }],
  run(_, facts, find) {
    return groups(facts, facts.takenAt).map(({ ref, end, members }) => {
      const [first] = members;
      const [denial] = denialsOf(first, facts);
      const missing = [...new Set(members.flatMap((one) => missingInputs(one, facts).map(refText)))];
      const data = {
        pods: counted(members.length, 'Pod'),
        wait: agreeing(members.length, 'waits', 'wait'),
        workload: refText(first.workload),
        how: howOf(first),
        inputs: missing.join(', '),
        undecided: first.undecided === undefined ? '' : '; unknown which webhook',
      };
      const unknown = {
        object: first.workload,
        field: 'webhook that holds its Pods',
        value: `unknown; it may be ${first.undecided}`,
      };
      const evidence = [...(first.undecided === undefined ? [] : [unknown]), ...evidenceOf(members)];
      const affected = affectedNames(first.workload);
      const pod = first.pod.metadata.name;
      const again = {
        recreated: affected.affected,
        replaced: affected.affected === undefined ? pod : undefined,
      };
      const names = { ...affected, ...again, pod };
      const finding =
        end === 'lacksRights' && denial !== undefined
          ? find(
              end,
              { ...data, verb: denial.forbidden.verb, resource: denial.forbidden.resource },
              [...denialEvidence(denial), ...evidence],
              names,
            )
          : find(end === 'lacksRights' ? 'notReleased' : end, data, evidence, names);
      return { ...finding, subject: ref, concerns: first.webhooks.map((webhook) => webhook.ref) };
    });
  },
});
