import { configurationsOf, duplicates, isCoincidence } from '../../apiserver/admission/duplicates.ts';
import { selectorText } from '../../apiserver/admission/selector-text.ts';
import {
  type AdmissionCallout,
  type ClientConfig,
  type RuleWithOperations,
  webhookEvidence,
} from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { defineCheck } from '../check.ts';

const haveCommon = (a: readonly string[], b: readonly string[]): boolean =>
  a.includes('*') || b.includes('*') || a.some((item) => b.includes(item));

const overlap = (a: RuleWithOperations, b: RuleWithOperations): boolean =>
  haveCommon(a.apiGroups, b.apiGroups) &&
  haveCommon(a.operations, b.operations) &&
  a.resources.some((resource) => b.resources.includes(resource));

/**
 * True if both match the same requests, as far as their texts show: equal selectors and conditions, and a
 * rule with the same resource. Revisions of a mesh, which select different namespaces, are not duplicates.
 */
const matchesSameRequests = (a: AdmissionCallout, b: AdmissionCallout): boolean =>
  selectorText(a.namespaceSelector) === selectorText(b.namespaceSelector) &&
  selectorText(a.objectSelector) === selectorText(b.objectSelector) &&
  JSON.stringify(a.matchConditions) === JSON.stringify(b.matchConditions) &&
  a.rules.some((rule) => b.rules.some((other) => overlap(rule, other)));

const backendText = ({ service, url = '' }: ClientConfig): string =>
  service === undefined ? url : keyOf(service);

const evidenceOf = (callout: AdmissionCallout) =>
  webhookEvidence(callout, 'clientConfig', backendText(callout.client));

export const duplicateInstallation = defineCheck({
  meta: {
    id: 'duplicate-installation',
    title: 'Product is registered twice',
    severity: 'warning',
    why: 'The API server calls both for the same requests. Each has its own backend, certificates and version: if one is an old release, requests fail although the other works.',
    advice:
      '[look] Find out which one is in use (`kubectl get {kind} --show-labels`, `helm list -A`). [end] Uninstall the other. [end] If each installation is for namespaces of its own, limit both by `namespaceSelector`: `kubectl edit {kind} {configuration}`. [choose] If a renamed or deleted release left its configuration, delete only the one that is not in use (`kubectl delete {kind} {configuration}`).',
    noRemedy: { because: 'a person must decide which of the two stays' },
    messages: { overlap: '{webhook} receives the same requests through {others}' },
  },
  requires: ['callouts'],
  subjects: duplicates,
  run({ callout, others }, _facts, find) {
    const overlapping = others.filter(
      (other) => !isCoincidence(callout, other) && matchesSameRequests(callout, other),
    );
    if (overlapping.length === 0) return;
    const data = { webhook: callout.webhook, others: configurationsOf(overlapping) };
    return find('overlap', data, [callout, ...overlapping].map(evidenceOf));
  },
});
