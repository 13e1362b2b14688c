import { expect } from 'chai';
import { outOfMemory, ready, running } from '../../src/demo/cluster/behaviour.ts';
import { installation } from '../../src/demo/cluster/installation.ts';
import { namespace, service } from '../../src/demo/cluster/manifests.ts';
import { mutating, rule, validating, webhook } from '../../src/demo/cluster/webhook-manifests.ts';
import { deployment } from '../../src/demo/cluster/workload-manifests.ts';
import { pods, policy } from '../incidents/states/parts.ts';
import { examine } from '../scenarios/examine.ts';

const outside = (...namespaces: readonly string[]) => ({
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn' as const, values: namespaces }],
});
const refusedBy = (name: string, host: string): string =>
  `Internal error occurred: failed calling webhook "${name}": failed to call webhook: Post "https://${host}.svc:443/?timeout=5s": no endpoints available for service "${host.split('.')[0]}"`;

describe('commands and causes of several backends', () => {
  it('of backends that wait for each other, all webhooks of one are changed', async () => {
    const { stories } = await examine({
      parts: [
        ...installation('istio-system/istiod', {
          deployment: { replicas: 1, refused: refusedBy('images.example.com', 'image-policy.policy') },
          mutating: {
            name: 'sidecar-injector.istio.io',
            rules: pods,
            namespaceSelector: outside('istio-system'),
          },
        }),
        validating('istiod-validate', [
          webhook('validate-pods.istio.io', {
            service: 'istio-system/istiod',
            rules: pods,
            namespaceSelector: outside('istio-system'),
          }),
        ]),
        ...installation('policy/image-policy', {
          deployment: { replicas: 1, refused: refusedBy('sidecar-injector.istio.io', 'istiod.istio-system') },
          validating: { name: 'images.example.com', rules: pods, namespaceSelector: outside('policy') },
        }),
      ],
    });
    const fixes = stories.flatMap(({ next = [] }) =>
      next.flatMap(({ when, command }) => (when === 'fix' ? command.text : [])),
    );
    expect(fixes).to.deep.equal(
      ['istiod', 'istiod-validate'].map(
        (name) => `kubectl webhook fix deadlock-cycle:${name} --remedy exclude-by-condition`,
      ),
    );
  });

  it('two configurations that were renamed in an upgrade', async () => {
    const rules = [rule('shop.example.com/v1', 'carts')];
    const calling = (service: string) => (name: string) =>
      webhook(name, { service: `shop/${service}`, rules });
    const renamed = (service: string) => {
      const [ofOld, ofNew] = [calling('old'), calling(service)];
      return examine({
        parts: [
          ...installation('shop/policy', { validating: { rules } }),
          validating('old-v', [ofOld('v.example.com')]),
          mutating('old-m', [ofOld('m.example.com')]),
          validating('new-v', [ofNew('v.example.com')]),
          mutating('new-m', [ofNew('m.example.com')]),
        ],
      });
    };
    const { stories } = await renamed('policy');
    expect(stories.map(({ callouts, message }) => [callouts, message])).to.deep.equal([
      [
        ['mutating/old-m/m.example.com', 'validating/old-v/v.example.com'],
        'These configurations remain from an earlier installation: current ones have the same webhooks, and their Service shop/policy exists',
      ],
    ]);
    const elsewhere = (await renamed('gone')).stories;
    expect(elsewhere.flatMap(({ message = '' }) => message)).to.not.include('earlier installation');
  });

  it('a plan that only prints is that of one backend, and does not recur', async () => {
    const parts = ['alpha', 'beta'].flatMap((name) =>
      installation(`${name}/${name}`, {
        deployment: {
          replicas: 1,
          pods: [outOfMemory],
          metadata: {
            annotations: { 'argocd.argoproj.io/tracking-id': `apps:apps/Deployment:${name}/${name}` },
            labels: { 'argocd.argoproj.io/instance': 'apps' },
          },
          container: { resources: { limits: { memory: '64Mi' } } },
        },
      }),
    );
    const raised = (await examine({ parts })).findings.flatMap(({ remedies }) =>
      remedies.filter(({ id }) => id === 'raise-memory-limit'),
    );
    expect(raised.map(({ command, canRecur }) => [command.text, canRecur])).to.deep.equal(
      ['alpha', 'beta'].map((name) => [
        `kubectl webhook fix replica-out-of-memory:${name} --remedy raise-memory-limit`,
        undefined,
      ]),
    );
  });

  it('the next command changes nothing while nothing fails', async () => {
    const { next } = await examine({
      parts: [
        ...installation('shop/good', { deployment: { pods: [ready, ready] } }),
        namespace('kyverno'),
        service('kyverno/kyverno-svc', { selector: { app: 'kyverno-admission-controller' } }),
        deployment('kyverno/kyverno-admission-controller', { replicas: 0, pods: [] }),
      ],
    });
    expect(next?.command.text).to.equal('kubectl webhook checks product-without-webhooks');
  });

  it('two policies with one name are two causes', async () => {
    const guarded = (name: string) => [
      ...installation(`${name}/${name}`, { deployment: { pods: [running({ network: 'drops' })] } }),
      policy(`${name}/default-deny`, {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: {} }] }],
      }),
    ];
    const report = await examine({ parts: [...guarded('a'), ...guarded('b')], deep: true });
    expect(report.stories.map(({ callouts }) => callouts)).to.deep.equal([
      ['validating/a/a.example.com'],
      ['validating/b/b.example.com'],
    ]);
  });
});
