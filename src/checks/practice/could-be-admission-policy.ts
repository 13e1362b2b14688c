import { isAdmission, webhookEvidence } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { backendsWithWorkload, practiceFacts } from '../../pods/backend-practices.ts';
import { productOf } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

/** The policy kinds that replace webhooks in the API server. */
const policies = {
  validating: { resource: 'validatingadmissionpolicies', kind: 'ValidatingAdmissionPolicy' },
  mutating: { resource: 'mutatingadmissionpolicies', kind: 'MutatingAdmissionPolicy' },
} as const;

const isServed = ({ served }: Pick<Facts, 'served'>, plural: string): boolean =>
  served
    .get('served')
    ?.resources.some(
      ({ group, version, resource }) =>
        group === 'admissionregistration.k8s.io' && version === 'v1' && resource === plural,
    ) === true;

export const couldBeAdmissionPolicy = defineCheck({
  meta: {
    id: 'could-be-admission-policy',
    title: 'An admission policy may replace this webhook',
    severity: 'info',
    why: 'A ValidatingAdmissionPolicy or MutatingAdmissionPolicy is evaluated inside the API server, in CEL, without backend, certificate or timeout. It can read the object, the old object, the request, the namespace and parameters, but cannot look up other objects, registries or services.',
    advice:
      '[look] Find out whether the decision of the webhook depends on the request alone. [end] If the decision depends on the request alone, write the rule as a policy: `kubectl explain validatingadmissionpolicy.spec`. [end] Bind a ValidatingAdmissionPolicy with `validationActions: [Warn, Audit]` first, and compare its results with those of the webhook. [end] Then set `[Deny]`, and remove the webhook. [end] Otherwise no action is required.',
    noRemedy: 'a-decision',
    messages: {
      one: 'If the decision of {webhook} depends on the request alone, a {kind} can replace it inside the API server',
    },
    references: [
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#choose-admission-mechanism',
      '/docs/reference/access-authn-authz/validating-admission-policy/',
    ],
  },
  requires: [...practiceFacts, 'served'],
  // Webhooks of products do more than a policy can express.
  subjects: (facts) =>
    backendsWithWorkload(facts).filter(
      ({ callout }) => isAdmission(callout) && callout.rules.length > 0 && productOf(callout) === undefined,
    ),
  run({ callout }, facts, find) {
    if (!isAdmission(callout)) return;
    const { webhook, rules, sideEffects } = callout;
    const { resource, kind } = policies[callout.kind];
    const covered = rules.flatMap(({ resources }) => resources);
    // A webhook that matches everything, or has side effects, does more than a policy can express.
    if (sideEffects !== 'None' || covered.some((name) => name.includes('*'))) return;
    if (!isServed(facts, resource)) return;
    return find('one', { webhook, kind }, [
      webhookEvidence(callout, 'rules[*].resources', covered.join(', ')),
      webhookEvidence(callout, 'sideEffects', sideEffects),
    ]);
  },
});
