import { mayCover } from '../../apiserver/admission/impact.ts';
import { vital } from '../../apiserver/admission/vital-request.ts';
import { behaves } from '../../apiserver/server-version.ts';
import { isAdmission, webhookEvidence } from '../../facts/callout.ts';
import { enforcedBy } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';
import { guardsPods } from '../failure-policy/policy-fails-open.ts';

const newPods = vital('CREATE', 'v1', 'pods').request;
const debugging = vital('UPDATE', 'v1', 'pods/ephemeralcontainers').request;
const resizing = vital('UPDATE', 'v1', 'pods/resize').request;

export const ephemeralContainersUnchecked = defineCheck({
  meta: {
    id: 'ephemeral-containers-unchecked',
    title: 'Changes of running Pods are not checked',
    severity: 'info',
    why: '`kubectl debug` adds a container to a running Pod by an UPDATE of `pods/ephemeralcontainers`, and a resize changes CPU and memory by an UPDATE of `pods/resize`. A rule for `pods` does not match subresources: image and privileges of such a container, and the new limits, are not checked.',
    advice:
      '[end] If the webhook validates containers or images, add a rule for UPDATE of `pods/ephemeralcontainers` where the product is configured: `kubectl edit {kind} {configuration}`. [with] The program must read `spec.ephemeralContainers`. [end] If the webhook limits CPU or memory, add a rule for UPDATE of `pods/resize`. [end] Otherwise no action is required.',
    noRemedy: 'up-to-its-owner',
    messages: {
      uncovered: '{webhook} is called for new Pods, but not for ephemeral containers',
      resizes: '{webhook} is called for new Pods, but not for their resizes',
      both: '{webhook} is called for new Pods, but not for ephemeral containers or their resizes',
    },
    references: [
      '/docs/concepts/workloads/pods/ephemeral-containers/',
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules',
    ],
  },
  requires: ['version', 'callouts'],
  subjects: ({ callouts }) =>
    callouts
      .filter(isAdmission)
      .filter((callout) => mayCover(callout, newPods))
      // A webhook that only mutates Pods and enforces nothing does not need this subresource.
      .filter((callout) => callout.kind === 'validating')
      .filter((callout) => enforcedBy(callout.webhook) !== undefined || guardsPods(callout)),
  run(callout, { version }, find) {
    const isUnchecked = !mayCover(callout, debugging);
    const isResizable = !mayCover(callout, resizing) && behaves(version, 'pod-resize');
    if (!isUnchecked && !isResizable) return;
    const { webhook, rules } = callout;
    const value = rules.flatMap(({ resources }) => resources).join(', ');
    const both = isResizable ? 'both' : 'uncovered';
    return find(isUnchecked ? both : 'resizes', { webhook }, [
      webhookEvidence(callout, 'rules[*].resources', value),
    ]);
  },
});
