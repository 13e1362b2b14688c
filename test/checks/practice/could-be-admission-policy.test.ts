import { couldBeAdmissionPolicy } from '../../../src/checks/practice/could-be-admission-policy.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { ServedResources } from '../../../src/facts/served-resources.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { deployment, kept, never } from './kept.ts';

const servedAs = (...resources: readonly string[]): Partial<Facts> => {
  const served: ServedResources = {
    resources: resources.map((resource) => ({
      group: 'admissionregistration.k8s.io',
      version: 'v1',
      resource,
      kind: '',
      singular: '',
      namespaced: false,
      verbs: [],
    })),
    stale: [],
  };
  return { served: complete([['served', served]]) };
};
const both = servedAs('validatingadmissionpolicies', 'mutatingadmissionpolicies');
const [rule] = webhook().rules;
const asked = (over: Parameters<typeof webhook>[0] = {}, facts: Partial<Facts> = both) =>
  kept([deployment()], { callouts: [webhook({ sideEffects: 'None', ...over })], ...facts });

describeCheck(couldBeAdmissionPolicy, {
  reports: [
    {
      name: 'a validating webhook of an unknown product',
      facts: asked(),
      expect: {
        messageId: 'one',
        data: { webhook: 'policy.example.com', kind: 'ValidatingAdmissionPolicy' },
      },
    },
    {
      name: 'a mutating one, where the API server has such policies',
      facts: asked({ kind: 'mutating' }),
      expect: { messageId: 'one', data: { webhook: 'policy.example.com', kind: 'MutatingAdmissionPolicy' } },
    },
  ],
  reportsNothing: [
    ...never,
    { name: 'the API server has no such policies', facts: asked({}, servedAs()), outcome: 'pass' },
    {
      name: 'it changes, and the API server has policies that validate alone',
      facts: asked({ kind: 'mutating' }, servedAs('validatingadmissionpolicies')),
    },
    { name: 'it declares side effects', facts: asked({ sideEffects: 'NoneOnDryRun' }) },
    {
      name: 'it matches everything',
      facts: asked({ rules: rule === undefined ? [] : [{ ...rule, resources: ['*/*'] }] }),
    },
    { name: 'it is never asked', facts: asked({ rules: [] }), outcome: 'not-applicable' },
    {
      name: 'it belongs to a product',
      facts: asked({ webhook: 'validation.gatekeeper.sh' }),
      outcome: 'not-applicable',
    },
    {
      name: 'it converts',
      facts: kept([deployment()], { callouts: [conversion()], ...both }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'discovery may not be read', facts: asked({}, { served: forbidden('discovery') }) }],
});
