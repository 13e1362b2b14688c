import { expect } from 'chai';
import { circumstancesIn } from '../../src/explain/circumstances.ts';
import { explainTexts } from '../../src/explain/explain.ts';
import { causesOf } from '../../src/workflows/explain.ts';

const failed = (end: string): string =>
  `Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/v?timeout=10s": ${end}`;
const first = (input: string): string | undefined => explainTexts(input, causesOf).texts[0]?.causes[0]?.check;

const noEndpoints = failed('no endpoints available for service "a"');
const refused = failed('dial tcp 10.96.0.9:443: connect: connection refused');
/** The beginning of an error: the Service is unknown. */
const cut = 'Internal error occurred: failed calling webhook "a.shop.example.com"';

describe('circumstances in a text', () => {
  for (const [words, end, check] of [
    ['It recovers seconds later.', 'context deadline exceeded', 'calls-failed-at-start'],
    ['This is a private GKE cluster.', 'dial tcp 192.0.2.7:443: i/o timeout', 'firewall-target-port'],
    ['All namespaces have a default-deny NetworkPolicy.', 'EOF', 'network-policy-shields-webhook'],
    ['A NetworkPolicy of the chart blocks the port.', 'EOF', 'network-policy-shields-webhook'],
    ['Our nodes are behind a corporate proxy.', 'EOF', 'api-server-proxy'],
    ['NO_PROXY of kube-apiserver lacks .svc.', 'EOF', 'api-server-proxy'],
    ['The nodes run firewalld.', 'context deadline exceeded', 'packets-lost-by-node'],
    ['The MTU of the tunnel is lower.', 'context deadline exceeded', 'packets-lost-by-node'],
    ['It happens with all webhooks.', 'context deadline exceeded', 'unreachable-from-control-plane'],
    ['All admission webhooks time out.', 'context deadline exceeded', 'unreachable-from-control-plane'],
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
    'Error from server (InternalError): error when creating "networkpolicy.yaml": Internal error occurred',
    'networkpolicy.networking.k8s.io/argocd-server-network-policy created',
    '2: eth0: <BROADCAST,MULTICAST,UP> mtu 1500 qdisc mq state UP',
    'NetworkPolicy: none / firewalld is inactive / MTU 1500 everywhere',
    'Cilium with vxlan',
    'We deleted all NetworkPolicies, same error.',
    'We checked every NetworkPolicy and it permits the traffic.',
    'We verified that a NetworkPolicy blocks nothing of it.',
    'Security group rules look fine.',
    'I have not uninstalled anything; old installation untouched',
    'Only this one; all webhooks of other products work.',
    'Es gibt keine NetworkPolicy.',
    'Could a NetworkPolicy block it?',
    'Is it possible that the security group blocks the port?',
    'We run firewalld on other hosts. Here we do not run firewalld.',
    'It works with some namespaces.',
    'The same on a fresh cluster.',
    'Error: INSTALLATION FAILED: release my-app failed, and has been uninstalled due to atomic being set: x',
    "Helm install failed: running 'uninstall' remediation for failed install",
    '$ helm uninstall shop',
    'I uninstalled the chart and reinstalled it.',
    'I uninstalled the chart. Then I installed it again.',
  ])
    it(`change nothing if they are denied: ${words}`, () => expect(circumstancesIn(words)).to.deep.equal([]));

  for (const [words, end, isFirst] of [
    ['I uninstalled the chart last week.', cut, true],
    ['I uninstalled the helm release "shop".', cut, true],
    ['I uninstalled the shop operator.', cut, true],
    ['The operator of shop was uninstalled.', cut, true],
    ['I uninstalled the prometheus operator.', cut, false],
    ['I uninstalled the release `grafana` of yesterday.', cut, false],
    ['The chart for grafana was uninstalled.', cut, false],
    ['I deleted the shop namespace.', cut, true],
    ['I deleted the demo namespace.', cut, false],
    ['I uninstalled some tool.', cut, false],
    ['I deleted the shop namespace, which is stuck.', cut, false],
    ['Version 1.2 of the chart was uninstalled by Argo CD and 1.3 was installed.', cut, false],
    ['I deleted my demo namespace and it is stuck in Terminating.', noEndpoints, false],
    ['I deleted my demo namespace and it is stuck in Terminating.', refused, false],
    ['I uninstalled the chart last week.', noEndpoints, false],
    ['I uninstalled the chart last week.', refused, false],
    ['I deleted the shop namespace.', refused, false],
    ['Version 1.2 was uninstalled by Argo CD and 1.3 was installed.', refused, false],
  ] as const)
    it(`are ${isFirst ? '' : 'not '}those of a removed product: ${words} ${end}`, () => {
      const is = first(`${words}\n\n${end}`) === 'orphaned-configuration';
      expect(is).to.equal(isFirst);
    });

  for (const [printed, end, isFirst] of [
    ['deployment.apps/a created', 'EOF', true],
    ['deployment "a" successfully rolled out', 'EOF', true],
    ['[2026-01-01 00:00:00 UTC] pod/a-7c9d5b6f4-x2x7k condition met', 'EOF', false],
    ['deployment.apps/web created', 'EOF', false],
    ['deployment.apps/a-web created', 'EOF', false],
    ['deployment.apps/a configured', 'EOF', false],
    ['The deployment a was not created', 'EOF', false],
    // A firewall also drops the packets of the first call.
    ['deployment.apps/a created', 'context deadline exceeded', false],
    ['deployment.apps/a created', 'dial tcp 192.0.2.7:8443: i/o timeout', false],
    ['deployment.apps/a created', 'x509: certificate has expired or is not yet valid', false],
  ] as const)
    it(`are ${isFirst ? '' : 'not '}those of a start that kubectl shows: ${printed} ${end}`, () => {
      const is = first(`${printed}\n${failed(end)}`) === 'calls-failed-at-start';
      expect(is).to.equal(isFirst);
    });

  for (const [printed, end, isFirst] of [
    ['client.go:477: [debug] Starting delete for "a" Service', 'service "a" not found', true],
    ['client.go:477: [debug] Starting delete for "a" Deployment', 'connection refused', true],
    ['service "a" deleted', 'service "a" not found', true],
    ['service "a" deleted\nservice/b created', 'service "a" not found', true],
    // A Service with an address, or without endpoints, exists.
    ['client.go:477: [debug] Starting delete for "a" Service', 'connection refused', false],
    ['service "a" deleted', 'no endpoints available for service "a"', false],
    ['service "a" deleted\nservice/a replaced', 'no endpoints available for service "a"', false],
    ['service "a" deleted\nservice/a created', 'connection refused', false],
    ['deployment.apps "a" deleted\ndeployment.apps/a replaced', 'connection refused', false],
    [
      'client.go:477: [debug] Starting delete for "a" Deployment\ncreating 5 resource(s)',
      'connection refused',
      false,
    ],
    ['deployment.apps "a" deleted', '', true],
    ['deployment.apps "web" deleted', 'connection refused', false],
    ['pod "a" deleted', 'connection refused', false],
    ['client.go:477: [debug] Starting delete for "a" ConfigMap', 'connection refused', false],
    ['The deployment.apps "a" was deleted', 'connection refused', false],
    ['deployment.apps "a" deleted\ndeployment.apps/a created', 'connection refused', false],
    ['deployment.apps "a" deleted', 'context deadline exceeded', false],
    ['deployment.apps "a" deleted', 'EOF', false],
  ] as const)
    it(`are ${isFirst ? '' : 'not '}those of a removal that a client shows: ${printed} ${end}`, () => {
      const is = first(`${printed}\n${failed(end)}`) === 'orphaned-configuration';
      expect(is).to.equal(isFirst);
    });

  it('do not include that Helm uninstalls what did not start', () => {
    const error = `Internal error occurred: failed calling webhook "validate.nginx.ingress.kubernetes.io": failed to call webhook: Post "https://ingress-nginx-controller-admission.ingress-nginx.svc:443/networking/v1/ingresses?timeout=10s": ${'no endpoints available for service "ingress-nginx-controller-admission"'}`;
    for (const input of [
      `Error: INSTALLATION FAILED: release my-app failed, and has been uninstalled due to atomic being set: ${error}`,
      `Helm install failed for release shop/my-app: ${error}\nrunning 'uninstall' remediation for failed install`,
      `$ helm uninstall shop\nError: uninstallation completed with 1 error(s): uninstall: ${failed('connection refused')}`,
    ])
      expect(first(input), input).to.not.equal('orphaned-configuration');
  });

  it('add no cause that the error does not have', () => {
    const texts = (input: string) => explainTexts(input, causesOf).texts[0]?.causes.map(({ check }) => check);
    const error = failed('x509: certificate has expired or is not yet valid');
    expect(texts(`We use NetworkPolicies and a private cluster.\n\n${error}`)).to.deep.equal(texts(error));
  });

  it('are only those at the beginning of a long text', () =>
    expect(circumstancesIn(`${'x'.repeat(30_000)} default-deny`)).to.deep.equal([]));
});
