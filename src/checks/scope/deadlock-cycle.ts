import { matchEvidence } from '../../apiserver/admission/match-evidence.ts';
import { bootstrapOf } from '../../apiserver/deadlock/bootstrap.ts';
import { backendsInCycles, type DependencyCycle } from '../../apiserver/deadlock/dependency-cycles.ts';
import { guardsServedBy, webhookChainText } from '../../apiserver/deadlock/serving.ts';
import { endpointFacts } from '../../apiserver/routing/backends.ts';
import { namedWebhook } from '../../apiserver/sentences/call-error/named-webhook.ts';
import { listed } from '../../phrases/lists.ts';
import { progressOf } from '../../pods/progress.ts';
import { defineCheck } from '../check.ts';

/** `Deployment a/x → ReplicaSet → Pod → webhook y.example.com → Service b/y → …`, back to the first. */
const chainOf = ({ members, needs }: DependencyCycle): string =>
  [
    ...members.flatMap(({ serving }, at) => {
      const need = needs[at];
      return [serving.chain, ...(need === undefined ? [] : [webhookChainText(need.webhook)])];
    }),
    members[0]?.serving.text ?? '',
  ].join(' → ');

export const deadlockCycle = defineCheck({
  meta: {
    id: 'deadlock-cycle',
    title: "Deadlock: backends need each other's webhooks to start",
    severity: 'error',
    sharedCause: true,
    implies: 'no-way-back',
    why: 'Each of them excludes its own Pods and matches those of the other. After an outage of both (a node failure, a power failure, a cluster upgrade) neither can start: each waits for the other.',
    advice:
      '[choose] To restore service, set failurePolicy of one of the webhooks to Ignore (`kubectl edit {kind} {configuration}`). [with] Webhook configurations are never sent to webhooks. [end] Wait until the Pods of both webhooks are Ready, and restore failurePolicy. [prevent] To prevent the deadlock, exclude the namespaces of all webhook backends by namespaceSelector.',
    messages: {
      refused: '{workloads} need the webhooks of each other: each waits for the other to respond',
      stuck:
        '{workloads} need the webhooks of each other: each waits for the other, and none of them has a ready Pod',
      beside: {
        text: '{workloads} need the webhooks of each other: none can start before another one responds, whatever else prevents it',
        explains: false,
      },
      would: {
        text: '{workloads} need the webhooks of each other: if all their Pods are lost together, none can be recreated',
        advice:
          'Exclude the namespaces of all webhook backends by namespaceSelector: `kubectl edit {kind} {configuration}`.',
        severity: 'warning',
        explains: false,
      },
    },
    preventsReadiness: true,
    follows: ['bootstrap-deadlock'],
    references: [
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#avoid-dependency-loops',
    ],
  },
  requires: [
    'version',
    ...endpointFacts,
    'pods',
    'workloads',
    'events',
    'nodes',
    'secrets',
    'namespaces',
    'served',
  ],
  subjects: backendsInCycles,
  run({ cycle, ...backend }, facts, find) {
    const [first, ...others] = cycle.members;
    const [need] = cycle.needs;
    if (first === undefined || need === undefined) return;
    // In one order for all members: it is one cause.
    const data = { workloads: listed(cycle.members.map(({ serving }) => serving.text).toSorted()) };
    const chain = { object: first.serving.ref, field: 'dependencies', value: chainOf(cycle) };
    const covered = [
      ...cycle.needs.flatMap(({ webhook, matched }) => matchEvidence(webhook, [matched])),
      chain,
    ];
    if (!cycle.isDown) return find('would', data, covered);
    const { waitsFor, reported } = progressOf(backend, first.serving, facts);
    const guards = others.flatMap(({ serving }) => guardsServedBy(serving, facts));
    const denial = reported.find(({ value }) => namedWebhook(value, guards) !== undefined);
    if (denial !== undefined) return find('refused', data, [denial, ...covered], 'observed');
    const found = bootstrapOf(need.webhook, first.serving.pod, facts);
    const isStuck =
      found.outcome === 'blocked' && found.matched.some(({ about }) => waitsFor.includes(about.step));
    return find(isStuck ? 'stuck' : 'beside', data, covered);
  },
});
