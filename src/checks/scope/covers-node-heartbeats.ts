import { askedEvidence, requestsText } from '../../apiserver/admission/asked-evidence.ts';
import { selectedNamespaces } from '../../apiserver/admission/selected-namespaces.ts';
import {
  askedAbout,
  coveredIn,
  harmText,
  type VitalRequest,
  vital,
} from '../../apiserver/admission/vital-request.ts';
import { kubelet, scheduler } from '../../apiserver/deadlock/admission-path.ts';
import { ownClosedWebhooks } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

/** A kubelet posts its status every five minutes unless told otherwise; its lease is what counts (kubelet nodestatus). */
const takenForDead = 'nodes are taken for dead within a minute';
/** The node controller must write it as well: then a dead node stays Ready (seen on 1.35.4). */
const noStatus = 'nodes cannot report their state, nor can anybody mark a dead one';

const ofTheCluster: readonly VitalRequest[] = [
  vital('UPDATE', 'coordination.k8s.io/v1', 'leases', 'kube-node-lease', takenForDead, kubelet),
  vital(
    'UPDATE',
    'coordination.k8s.io/v1',
    'leases',
    'kube-system',
    'the scheduler and the controller manager give up their leadership',
    scheduler,
  ),
  vital('UPDATE', 'v1', 'nodes/status', undefined, noStatus, kubelet),
  vital(
    'CREATE',
    'certificates.k8s.io/v1',
    'certificatesigningrequests',
    undefined,
    'nodes get no certificates',
    kubelet,
  ),
];

/** Of any one namespace: what the kubelet and the scheduler write for each Pod. */
const inNamespace: readonly VitalRequest[] = [
  vital('CREATE', 'v1', 'pods/binding', undefined, 'no Pod is bound to a node', scheduler),
  vital('CREATE', 'v1', 'serviceaccounts/token', undefined, 'no new Pod gets its token', kubelet),
  vital('UPDATE', 'v1', 'pods/status', undefined, 'no Pod becomes Ready', kubelet),
  vital('CREATE', 'v1', 'events', undefined, 'events are lost'),
];

export const coversNodeHeartbeats = defineCheck({
  meta: {
    id: 'covers-node-heartbeats',
    link: 'scope',
    title: 'What nodes and controllers write all the time must pass the webhook',
    severity: 'warning',
    why: 'Kubelets, the scheduler and the controllers report through the API server, many times a second in a large cluster. Nothing of it is exempt from admission: a webhook that fails closed and covers it is a part of the control plane, and while it does not answer nodes and leaders seem dead, or dead ones alive.',
    advice:
      'Name the resources that the webhook judges in its rules, without `*/*` and without `pods/*`, which both cover the subresources; leave kube-system and kube-node-lease out by namespaceSelector.',
    messages: {
      covered: '{requests} must pass {webhook}: while it does not answer, {harm}',
    },
    follows: ['covers-everything'],
    references: ['https://kubernetes.io/docs/concepts/architecture/nodes/#node-heartbeats'],
  },
  requires: ['version', 'callouts', 'namespaces', 'served'],
  subjects: ownClosedWebhooks,
  run(callout, facts, find) {
    const anywhere = () => selectedNamespaces(callout, facts)[0] ?? 'kube-system';
    const ofPods = coveredIn(callout, inNamespace, anywhere);
    const asked = askedAbout(callout, [...ofTheCluster, ...ofPods], facts);
    if (asked.length === 0) return;
    const requests = requestsText(asked.map(({ about }) => about));
    const unmarked = asked.some(({ about }) => about.harm === noStatus);
    const harming = asked.filter(({ about }) => !unmarked || about.harm !== takenForDead);
    const data = { requests, webhook: callout.webhook, harm: harmText(harming) };
    return find('covered', data, askedEvidence(callout, asked));
  },
});
