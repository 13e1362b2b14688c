import { anyPodCreation, mayCover } from '../../apiserver/admission/impact.ts';
import { inCallOrder } from '../../apiserver/admission/order.ts';
import { selectedNamespaces } from '../../apiserver/admission/selected-namespaces.ts';
import { derive } from '../../basics/derive.ts';
import { type AdmissionCallout, isAdmission, webhookEvidence } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { NotKnown } from '../../facts/unread.ts';
import { listed } from '../../phrases/lists.ts';
import { injectorOf } from '../../products/injectors.ts';
import { enforcedBy, productOf } from '../../products/of-webhook.ts';
import { systemNamespaces } from '../../products/system-namespaces.ts';
import { defineCheck } from '../check.ts';

/** True if it adds to Pods or their containers, by its product or by its name. */
const addsContainers = (callout: AdmissionCallout): boolean =>
  injectorOf(callout) !== undefined ||
  /inject|sidecar|telemetry/i.test(
    `${callout.webhook} ${callout.configuration} ${callout.client.service?.name ?? ''}`,
  );

/** True if it may change anything in a Pod: its policies decide, or its product is unknown. */
const mayChangeAnything = (callout: AdmissionCallout): boolean =>
  enforcedBy(callout.webhook) !== undefined || productOf(callout) === undefined;

/** True if it matches only Pods with a label, which a later webhook may add. */
const requiresLabel = ({ objectSelector: { matchLabels = {}, matchExpressions = [] } }: AdmissionCallout) =>
  Object.keys(matchLabels).length > 0 ||
  matchExpressions.some(({ operator }) => operator === 'In' || operator === 'Exists');

/** The mutating webhooks for new Pods, in call order. */
const ofNewPods = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  inCallOrder(
    callouts
      .filter(isAdmission)
      .filter((callout) => callout.kind === 'mutating' && mayCover(callout, anyPodCreation)),
  ),
);

const notSeen =
  '{webhook} does not see the changes of {later} to Pods: it is called first, and not again (reinvocationPolicy Never)';

export const calledBeforeInjector = defineCheck({
  meta: {
    id: 'called-before-injector',
    title: 'Webhook is called before an injector',
    severity: 'warning',
    why: 'The API server calls mutating webhooks in the order of the names of their configurations, which is not guaranteed. With reinvocationPolicy Never it does not call a webhook again after a later one has changed the Pod. Containers, labels and annotations that are added later stay as they are.',
    advice:
      '[end] If the webhook must change the containers that the others add, and tolerates a second call, set `reinvocationPolicy: IfNeeded`: `kubectl edit {kind} {configuration}`. [end] If the objectSelector of this webhook needs a label that another webhook adds, rename the other configuration so that it is called first. [with] A webhook that did not match is not called again. [look] `kubectl webhook trace -f FILE` shows the order.',
    noRemedy: 'up-to-its-owner',
    messages: {
      before: notSeen,
      perhaps: { text: notSeen, severity: 'info' },
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#reinvocation-policy',
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#dont-rely-webhook-order',
    ],
  },
  requires: ['callouts', 'namespaces'],
  subjects: (facts) => ofNewPods(facts).filter(({ reinvocationPolicy }) => reinvocationPolicy !== 'IfNeeded'),
  run(callout, facts, find) {
    const order = ofNewPods(facts);
    const isConcerned = addsContainers(callout) || mayChangeAnything(callout);
    if (!isConcerned) return undefined;
    const spared = new Set(systemNamespaces(facts));
    const reached = new Set(selectedNamespaces(callout, facts).filter((name) => !spared.has(name)));
    const adding = order
      .slice(order.indexOf(callout) + 1)
      .filter(
        (other) =>
          other.configuration !== callout.configuration &&
          (addsContainers(other) ||
            (addsContainers(callout) && requiresLabel(callout) && mayChangeAnything(other))),
      );
    const later = adding.filter((other) =>
      selectedNamespaces(other, facts).some((name) => reached.has(name)),
    );
    const { incomplete } = facts.namespaces;
    if (later.length === 0 && adding.length > 0 && incomplete !== undefined) throw new NotKnown(incomplete);
    if (later.length === 0) return undefined;
    const names = [...new Set(later.map(({ webhook }) => webhook))];
    const data = {
      webhook: callout.webhook,
      later: listed(names, { most: 2 }),
    };
    const evidence = [callout, ...later].map((one) => webhookEvidence(one, 'name', one.webhook));
    // An unknown product may change nothing of it.
    const isAffected = addsContainers(callout) || enforcedBy(callout.webhook) !== undefined;
    return find(isAffected ? 'before' : 'perhaps', data, evidence);
  },
});
