import { expect } from 'chai';
import { inCatalogue } from '../../../src/checks/catalogue.ts';
import { messageText } from '../../../src/checks/check.ts';
import { podsWithoutInjection } from '../../../src/checks/effect/pods-without-injection.ts';
import { runCheck } from '../../../src/diagnose/findings/run-check.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Metadata } from '../../../src/facts/objects/metadata.ts';
import type { Namespace } from '../../../src/facts/objects/namespace.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import { pod, snapshotOf, webhook } from '../../support/snapshot.ts';

const early = '2025-12-31T22:59:00Z';
const meanwhile = '2025-12-31T23:30:00Z';
const late = '2025-12-31T23:45:00Z';
const hook = (
  name: string,
  over: Partial<AdmissionCallout> = {},
  configuration = 'injector',
): AdmissionCallout =>
  webhook({
    kind: 'mutating',
    ref: { kind: 'MutatingWebhookConfiguration', name: configuration, webhook: name },
    configuration,
    webhook: name,
    failurePolicy: 'Fail',
    metadata: { name: configuration, creationTimestamp: early },
    rules: [
      { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' },
    ],
    namespaceSelector: {},
    client: { service: { namespace: 'injectors', name: 'injector', port: 443 } },
    ...over,
  });
const space = (name: string, labels: Record<string, string> = {}): Namespace => ({
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels }, creationTimestamp: early },
});
const made = (metadata: Partial<Metadata> = {}, spec: Partial<Pod['spec']> = {}): Pod =>
  pod({
    metadata: {
      name: 'web-1',
      namespace: 'web',
      creationTimestamp: meanwhile,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true },
      ],
      ...metadata,
    },
    spec,
  });
function findings(callouts: readonly AdmissionCallout[], spaces: readonly Namespace[], pods: readonly Pod[]) {
  const check = inCatalogue(podsWithoutInjection as never);
  const { facts } = snapshotOf({
    callouts,
    namespaces: complete(spaces.map((one) => [one.metadata.name, one] as const)),
    requestingPods: complete([['Pods', pods]]),
  });
  return runCheck(check, facts).flatMap(({ findings: all }) =>
    all.map(({ messageId, data, names }) => ({
      messageId,
      text: messageText(check.meta.messages[messageId] ?? '').replace(/\{(\w+)\}/g, (_, key) =>
        String(data[key]),
      ),
      names,
    })),
  );
}
const show = (all: ReturnType<typeof findings>) => all.map(({ messageId, text }) => `${messageId}: ${text}`);

describe('pods-without-injection: requests in vain', () => {
  it('OpenShift Service Mesh 2: members of the mesh opt in per Pod; a Pod without annotation requests nothing', () => {
    const maistra = hook('sidecar-injector.istio.io', {
      namespaceSelector: { matchLabels: { 'maistra.io/member-of': 'istio-system' } },
    });
    expect(
      show(findings([maistra], [space('web', { 'maistra.io/member-of': 'istio-system' })], [made()])),
    ).to.deep.equal([]);
  });

  it('two namespaces request Istio by different labels and revisions: one sentence says one request, one webhook', () => {
    const stable = hook('namespace.sidecar-injector.istio.io', {
      namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
    });
    const canary = hook(
      'rev.namespace.sidecar-injector.istio.io',
      {
        namespaceSelector: { matchLabels: { 'istio.io/rev': 'canary' } },
        metadata: { name: 'canary', creationTimestamp: late },
      },
      'canary',
    );
    const found = findings(
      [stable, canary],
      [
        space('a', { 'istio-injection': 'enabled' }),
        space('b', { 'istio.io/rev': 'canary' }),
        space('c', { 'istio.io/rev': 'canary' }),
      ],
      [
        made({ namespace: 'a', name: 'a-1' }),
        made({ namespace: 'b', name: 'b-1', creationTimestamp: '2025-12-31T23:50:00Z' }),
      ],
    );
    expect(show(found).join('\n')).to.contain('istio.io/rev=canary');
  });

  it('a matchCondition excludes the Pod of a known product: no selector does', () => {
    const vault = hook('vault.hashicorp.com', {
      matchConditions: [{ name: 'not-web', expression: "request.namespace != 'web'" }],
    });
    const found = show(
      findings(
        [vault],
        [space('web')],
        [made({ annotations: { 'vault.hashicorp.com/agent-inject': 'true' } })],
      ),
    );
    expect(found.join()).not.to.contain('selectors of');
  });
  it('a matchCondition excludes the Pod of an unknown product', () => {
    const acme = hook('mutate.acme.io', {
      objectSelector: { matchLabels: { 'admission.acme.io/enabled': 'true' } },
      matchConditions: [{ name: 'not-web', expression: "request.namespace != 'web'" }],
    });
    const found = show(
      findings([acme], [space('web')], [made({ labels: { 'admission.acme.io/enabled': 'true' } })]),
    );
    expect(found.join()).not.to.contain('its selectors exclude');
  });

  it('a label that refuses is no request', () => {
    const acme = hook('mutate.acme.io', {
      namespaceSelector: { matchLabels: { team: 'x' } },
      objectSelector: { matchExpressions: [{ key: 'admission.acme.io/inject', operator: 'Exists' }] },
    });
    expect(
      show(findings([acme], [space('web')], [made({ labels: { 'admission.acme.io/inject': 'false' } })])),
    ).to.deep.equal([]);
  });
  it('a label by which a controller marks its own Pods is no request', () => {
    const kserve = hook('inferenceservice.kserve-webhook-server.pod-mutator', {
      namespaceSelector: { matchExpressions: [{ key: 'control-plane', operator: 'DoesNotExist' }] },
      objectSelector: {
        matchExpressions: [{ key: 'serving.kserve.io/inferenceservice', operator: 'Exists' }],
      },
    });
    expect(
      show(
        findings(
          [kserve],
          [space('web', { 'control-plane': 'x' })],
          [made({ labels: { 'serving.kserve.io/inferenceservice': 'sklearn' } })],
        ),
      ),
    ).to.deep.equal([]);
  });

  it('Datadog: of three webhooks of one configuration, one reports the Pod', () => {
    const webhooks = ['agent.config', 'standard.tags', 'lib.injection'].map((name) =>
      hook(
        `datadog.webhook.${name}`,
        {
          failurePolicy: 'Ignore',
          namespaceSelector: {
            matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['web'] }],
          },
          objectSelector: { matchLabels: { 'admission.datadoghq.com/enabled': 'true' } },
        },
        'datadog-webhook',
      ),
    );
    const found = show(
      findings(webhooks, [space('web')], [made({ labels: { 'admission.datadoghq.com/enabled': 'true' } })]),
    );
    expect(found).to.have.length(1);
  });

  it('Dapr: a Pod with the daprd container of a release that set no label has a sidecar', () => {
    const dapr = hook('sidecar-injector.dapr.io', { failurePolicy: 'Ignore' });
    const one = made(
      { annotations: { 'dapr.io/enabled': 'true' } },
      { containers: [{ name: 'web' }, { name: 'daprd', image: 'daprio/daprd:1.6.0' }] as never },
    );
    expect(show(findings([dapr], [space('web')], [one]))).to.deep.equal([]);
  });

  it('second install of the product, whose webhook also has a rule for pods/exec, injects there', () => {
    const acme = hook(
      'mutate.acme.io',
      {
        objectSelector: { matchLabels: { 'admission.acme.io/enabled': 'true' } },
        namespaceSelector: { matchLabels: { mesh: 'old' } },
      },
      'acme-old',
    );
    const other = hook(
      'mutate.acme.io',
      {
        rules: [
          { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' },
          {
            operations: ['CREATE'],
            apiGroups: ['batch'],
            apiVersions: ['v1'],
            resources: ['jobs'],
            scope: '*',
          },
        ],
        objectSelector: { matchLabels: { 'admission.acme.io/enabled': 'true' } },
        namespaceSelector: { matchLabels: { mesh: 'new' } },
      },
      'acme-new',
    );
    expect(
      show(
        findings(
          [acme, other],
          [space('web', { mesh: 'new' })],
          [made({ labels: { 'admission.acme.io/enabled': 'true' } })],
        ),
      ),
    ).to.deep.equal([]);
  });

  it('Linkerd skips Pods that have another proxy; Azure: Windows', () => {
    const linkerd = hook('linkerd-proxy-injector.linkerd.io', { failurePolicy: 'Fail' });
    const ns = space('web');
    const annotated = { metadata: { ...ns.metadata, annotations: { 'linkerd.io/inject': 'enabled' } } };
    expect(
      show(
        findings(
          [linkerd],
          [annotated],
          [
            made(
              {},
              {
                containers: [
                  { name: 'web' },
                  { name: 'istio-proxy', image: 'docker.io/istio/proxyv2:1.20' },
                ] as never,
              },
            ),
          ],
        ),
      ),
    ).to.deep.equal([]);
  });

  it('Istio: istiod ignores some namespaces', () => {
    const callout = hook('namespace.sidecar-injector.istio.io', {
      namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
    });
    const labelled = (name: string) => space(name, { 'istio-injection': 'enabled' });
    const pods = ['local-path-storage', 'web'].map((home) => made({ namespace: home }));
    const [one = '', ...others] = show(
      findings([callout], ['local-path-storage', 'web'].map(labelled), pods),
    );
    expect(others).to.deep.equal([]);
    expect(one).to.include('(web/web-1)');
  });
});
