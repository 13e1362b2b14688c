import { expect } from 'chai';
import { circumstancesIn } from '../../src/explain/circumstances.ts';
import { explainTexts } from '../../src/explain/explain.ts';
import { causesOf } from '../../src/workflows/explain.ts';

const failed = (end: string): string =>
  `Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/v?timeout=10s": ${end}`;
const first = (input: string): string | undefined => explainTexts(input, causesOf).texts[0]?.causes[0]?.check;

describe('circumstances in a text', () => {
  for (const [words, end, check] of [
    ['I uninstalled the chart last week.', 'connection refused', 'orphaned-configuration'],
    ['It recovers seconds later.', 'context deadline exceeded', 'calls-failed-at-start'],
    ['This is a private GKE cluster.', 'dial tcp 192.0.2.7:443: i/o timeout', 'firewall-target-port'],
    ['All namespaces have a default-deny NetworkPolicy.', 'EOF', 'network-policy-shields-webhook'],
    ['Our nodes are behind a corporate proxy.', 'EOF', 'api-server-proxy'],
    ['The namespace has istio-injection=enabled.', 'EOF', 'mesh-intercepts-port'],
    ['The nodes run firewalld.', 'context deadline exceeded', 'packets-lost-by-node'],
    ['It happens with all webhooks.', 'context deadline exceeded', 'unreachable-from-control-plane'],
  ] as const)
    it(`make a cause likelier: ${words}`, () => expect(first(`${words}\n\n${failed(end)}`)).to.equal(check));

  for (const words of [
    'There are no NetworkPolicies in this cluster.',
    'NetworkPolicy: none',
    'We are not behind a proxy, and firewalld is disabled.',
    'I removed all network policies.',
    'Private cluster: no',
    'The security group allows all traffic.',
    'I never uninstalled it.',
    'Without a default-deny policy it is the same.',
  ])
    it(`change nothing if they are denied: ${words}`, () => expect(circumstancesIn(words)).to.deep.equal([]));

  it('add no cause that the error does not have', () => {
    const texts = (input: string) => explainTexts(input, causesOf).texts[0]?.causes.map(({ check }) => check);
    const error = failed('x509: certificate has expired or is not yet valid');
    expect(texts(`We use NetworkPolicies and a private cluster.\n\n${error}`)).to.deep.equal(texts(error));
  });

  it('are only those at the beginning of a long text', () =>
    expect(circumstancesIn(`${'x'.repeat(30_000)} default-deny`)).to.deep.equal([]));
});
