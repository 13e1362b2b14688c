import { expect } from 'chai';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { failOpenPlan } from '../../../src/workflows/change/failure-policy-plan.ts';
import { namespace, objects, snapshotOf, webhook } from '../../support/snapshot.ts';

const mutating = (name: string, resource: string): AdmissionCallout =>
  webhook({
    kind: 'mutating',
    webhook: name,
    ref: { kind: 'MutatingWebhookConfiguration', name: 'policy', webhook: name },
    rules: [
      { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: [resource], scope: '*' },
    ],
  });

describe('the warnings about requests that pass while webhooks fail open', () => {
  it('name the webhooks of the same requests together', () => {
    const callouts = [
      mutating('a.example.com', 'pods'),
      mutating('b.example.com', 'secrets'),
      mutating('c.example.com', 'pods'),
    ];
    const { warnings } = failOpenPlan(
      callouts,
      snapshotOf({ callouts, namespaces: objects(namespace()) }).facts,
    );
    expect(warnings).to.deep.equal([
      'Unchanged while a.example.com and c.example.com do not respond: CREATE of pods in namespace shop. Objects created until then permanently lack what they add (in Pods: what they inject).',
      'Unchanged while b.example.com does not respond: CREATE of secrets in namespace shop. Objects created until then permanently lack what it adds (in Pods: what it injects).',
    ]);
  });

  it('are a list if there are many, and name the selector of namespaces that do not exist yet', () => {
    const tenants = {
      namespaceSelector: { matchExpressions: [{ key: 'tenant', operator: 'Exists' }] },
    } as const;
    const callouts = ['pods', 'secrets', 'services', 'configmaps', 'events'].map((resource, at) => ({
      ...mutating(`${resource}.example.com`, resource),
      kind: 'validating' as const,
      ...(at > 2 ? tenants : {}),
    }));
    const { warnings } = failOpenPlan(
      callouts,
      snapshotOf({ callouts, namespaces: objects(namespace()) }).facts,
    );
    expect(warnings).to.deep.equal([
      'Unchecked: CREATE of 3 resources (pods, secrets and services) in namespace shop (pods.example.com, secrets.example.com and services.example.com).',
      'Unchecked: CREATE of 2 resources (configmaps and events) in namespaces that match tenant (none now) (configmaps.example.com and events.example.com).',
      'They are unchecked while the webhooks do not respond. Objects admitted until then stay.',
    ]);
  });
});
