import { expect } from 'chai';
import { fromCalico, fromCilium } from '../../src/facts/plugin-policies.ts';

const metadata = { name: 'p' };
const everyPod = {};
/** Without a source, a rule allows every address. */
const open: readonly object[] = [];
const podsOnly = [{ podSelector: {} }];
const to = (port: string, protocol = 'TCP') => [{ ports: [{ port, protocol }] }];

describe('policies of Cilium', () => {
  const cilium = (spec: object) => fromCilium({ metadata, spec }, 'shop');
  const sources = (rule: object) =>
    cilium({ endpointSelector: everyPod, ingress: [rule] }).map(({ spec }) => spec.ingress?.[0]?.from);

  it('let in addresses by entity, by CIDR, and without a source', () => {
    for (const entity of ['all', 'cluster', 'host', 'remote-node', 'world'])
      expect(sources({ fromEntities: [entity] }), entity).to.deep.equal([open]);
    expect(sources({ fromCIDR: ['10.0.0.0/8'] })).to.deep.equal([open]);
    expect(sources({ toPorts: to('8443') })).to.deep.equal([open]);
    expect(sources({})).to.deep.equal([open]);
  });

  it('let in no addresses by the Pods, or only by the entity kube-apiserver', () => {
    expect(sources({ fromEndpoints: [{}] })).to.deep.equal([podsOnly]);
    expect(sources({ fromEntities: ['kube-apiserver'] })).to.deep.equal([podsOnly]);
    expect(sources({ fromEntities: ['health'] })).to.deep.equal([podsOnly]);
  });

  it('apply to ports, to Pods by label, and to those of their namespace', () => {
    const [policy] = cilium({
      endpointSelector: { matchLabels: { 'k8s:app': 'web', 'k8s:io.kubernetes.pod.namespace': 'shop' } },
      ingress: [{ toPorts: [{ ports: [{ port: '8443' }, { port: '0', protocol: 'UDP' }] }] }],
    });
    expect(policy?.spec.podSelector.matchLabels).to.deep.equal({ app: 'web' });
    expect(policy?.spec.ingress?.[0]?.ports).to.deep.equal([
      { port: 8443, protocol: 'TCP' },
      { protocol: 'UDP' },
    ]);
  });

  it('deny, and may leave out the default', () => {
    const denying = {
      endpointSelector: everyPod,
      ingressDeny: [{ fromEntities: ['world'], toPorts: to('8443') }],
    };
    const [strict] = cilium(denying);
    const [loose] = cilium({ ...denying, enableDefaultDeny: { ingress: false } });
    expect(strict?.denies).to.deep.equal([{ ports: [{ port: 8443, protocol: 'TCP' }] }]);
    expect(strict?.spec.policyTypes).to.deep.equal(['Ingress']);
    expect(loose?.spec.policyTypes).to.deep.equal([]);
    expect(
      cilium({ endpointSelector: everyPod, ingressDeny: [{ fromEndpoints: [{}] }] })[0]?.denies,
    ).to.deep.equal([]);
  });

  it('do not limit ingress to Pods if they are about egress or nodes', () => {
    expect(cilium({ endpointSelector: everyPod })).to.deep.equal([]);
    expect(cilium({ ingress: [{}] })).to.deep.equal([]);
  });
});

describe('policies of Calico', () => {
  const calico = (spec: object) => fromCalico({ kind: 'GlobalNetworkPolicy', metadata, spec }, 'shop')[0];
  const selected = (selector: string) => calico({ selector })?.spec.podSelector.matchExpressions;

  it('select Pods by a conjunction of terms', () => {
    expect(selected('all()')).to.deep.equal([]);
    expect(selected('app == \'web\' && tier != "db" && has(owner) && !has(job)')).to.deep.equal([
      { key: 'app', operator: 'In', values: ['web'] },
      { key: 'tier', operator: 'NotIn', values: ['db'] },
      { key: 'owner', operator: 'Exists' },
      { key: 'job', operator: 'DoesNotExist' },
    ]);
    expect(selected("app in {'a', 'b'} && tier not in { 'c' }")).to.deep.equal([
      { key: 'app', operator: 'In', values: ['a', 'b'] },
      { key: 'tier', operator: 'NotIn', values: ['c'] },
    ]);
  });

  it('select Pods by their namespace', () => {
    expect(selected("projectcalico.org/namespace == 'shop'")).to.deep.equal([]);
    expect(selected("projectcalico.org/namespace not in {'kube-system'}")).to.deep.equal([]);
    expect(selected("projectcalico.org/namespace == 'bank'")).to.equal(undefined);
    expect(calico({ namespaceSelector: "projectcalico.org/name == 'bank'" })).to.equal(undefined);
  });

  it('are left out if the selector has another form', () => {
    for (const selector of ["a == 'b' || c == 'd'", "(a == 'b' && c == 'd')", "a contains 'b'", 'global()'])
      expect(selected(selector), selector).to.equal(undefined);
  });

  it('let in addresses by rules before a Deny of everything', () => {
    const rules = calico({
      ingress: [
        { action: 'Log' },
        { action: 'Allow', protocol: 'TCP', source: { selector: 'all()' } },
        { action: 'Allow', protocol: 'UDP' },
        {
          action: 'Allow',
          protocol: 'TCP',
          source: { nets: ['10.0.0.0/8'] },
          destination: { ports: [8443, '9000:9100'] },
        },
        { action: 'Deny' },
        { action: 'Allow' },
      ],
    })?.spec.ingress;
    expect(rules).to.deep.equal([
      { from: podsOnly, ports: [] },
      { from: open, ports: [{ port: 8443 }, { port: 9000, endPort: 9100 }] },
    ]);
  });

  it('are left out if they are about egress, or act before the Service', () => {
    expect(calico({ types: ['Egress'] })).to.equal(undefined);
    expect(calico({ preDNAT: true })).to.equal(undefined);
  });
});
