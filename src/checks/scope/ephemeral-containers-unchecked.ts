import { mayCover } from '../../apiserver/admission/impact.ts';
import { vital } from '../../apiserver/admission/vital-request.ts';
import { isAdmission, webhookEvidence } from '../../facts/callout.ts';
import { enforcedBy } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';
import { guardsPods } from '../failure-policy/policy-fails-open.ts';

const newPods = vital('CREATE', 'v1', 'pods').request;
const debugging = vital('UPDATE', 'v1', 'pods/ephemeralcontainers').request;

export const ephemeralContainersUnchecked = defineCheck({
  meta: {
    id: 'ephemeral-containers-unchecked',
    title: 'Ephemeral containers are not checked',
    severity: 'info',
    why: '`kubectl debug` adds a container to a running Pod by an UPDATE of `pods/ephemeralcontainers`. A rule for `pods` does not match this subresource: image, capabilities and privileges of such a container are not checked.',
    advice:
      '[end] If the webhook validates containers or images, add a rule for UPDATE of `pods/ephemeralcontainers` where the product is configured: `kubectl edit {kind} {configuration}`. [with] The program must read `spec.ephemeralContainers`. [end] Otherwise no action is required.',
    noRemedy: 'up-to-its-owner',
    messages: {
      uncovered: '{webhook} is called for new Pods, but not for ephemeral containers',
    },
    references: [
      '/docs/concepts/workloads/pods/ephemeral-containers/',
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules',
    ],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) =>
    callouts
      .filter(isAdmission)
      .filter((callout) => mayCover(callout, newPods))
      // A webhook that only mutates Pods and enforces nothing does not need this subresource.
      .filter((callout) => callout.kind === 'validating')
      .filter((callout) => enforcedBy(callout.webhook) !== undefined || guardsPods(callout)),
  run(callout, _facts, find) {
    if (mayCover(callout, debugging)) return;
    const { webhook, rules } = callout;
    const value = rules.flatMap(({ resources }) => resources).join(', ');
    return find('uncovered', { webhook }, [webhookEvidence(callout, 'rules[*].resources', value)]);
  },
});
