import { callRow, otherRow } from './row.ts';

/** Warnings of providers and analyzers about webhooks. */
export const providerTexts = [
  otherRow('broken-webhook-reported', 'backend', {
    pattern: /cluster has a broken webhook application|K8S_ADMISSION_WEBHOOK_UNAVAILABLE/,
    says: 'Cannot complete cluster master operations because the cluster has a broken webhook application.',
    means:
      'The provider of the cluster found a webhook that does not respond. Some providers do not upgrade the control plane until the webhook responds.',
  }),
  otherRow('webhook-scope-reported', 'scope', {
    pattern:
      /K8S_ADMISSION_WEBHOOK_UNSAFE|intercepting system critical requests|Intercepting (?:resources in the [\w-]+ namespace|cluster-scoped system resources)|is problematic: webhook "(?<webhook>[^"]+)" .{1,300} might prevent worker nodes from properly joining/,
    says: 'ValidatingWebhookConfiguration "policy" is problematic: webhook "policy.example.com" with failurePolicy "Fail" and 30s timeout might prevent worker nodes from properly joining the shoot cluster',
    means:
      'The provider of the cluster warns of a webhook that matches requests of nodes or system components. Its calls may succeed now.',
  }),
  otherRow('webhook-breadth-reported', 'scope', {
    pattern: /\bhas wildcards? in both APIGroups and Resources|webhooks?, that might prevent (?:stop|start)/i,
    says: "Webhook configuration 'policy': 'policy.example.com' Rule 1 has wildcard in both APIGroups and Resources.",
    means:
      'The provider does not stop or start the cluster while a rule of a webhook matches all resources of all groups. Nodes could not register without the webhook, and its Pods need nodes. List the resources in the rule.',
    next: ['kubectl webhook matrix'],
  }),
  callRow('failed-open-recorded', 'effect', {
    pattern:
      /\bfailed-open\.(?:mutat(?:ion|ing)|validating)\.webhook\.admission\.k8s\.io\/round_\d+_index_\d+"?[:=] ?"(?<webhook>[^"]+)"/,
    says: '"failed-open.mutation.webhook.admission.k8s.io/round_0_index_3": "sidecar.example.com"',
    means:
      'The audit log records that a call to this webhook failed, and that the request was admitted without it (failurePolicy: Ignore). The log of kube-apiserver contains the error.',
  }),
  otherRow('webhook-overlap-reported', 'registration', {
    pattern: /\bIST0139\b|Webhook overlaps with others: \[/,
    says: 'Error [IST0139] (MutatingWebhookConfiguration injector) Webhook overlaps with others: [injector-2/sidecar.example.com]',
    means:
      'Two webhook configurations of one product match the same Pods, so both webhooks are called for each of them. An earlier installation or revision may have left one.',
    next: ['kubectl webhook list -o wide'],
  }),
];
