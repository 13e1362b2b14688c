import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { products } from '../../src/products/catalogue.ts';
import { enforcedBy, productOf, productOfWebhook } from '../../src/products/of-webhook.ts';
import type { Product } from '../../src/products/product.ts';
import { commonNames, knownWriters, ownInjector, unknownWriters } from '../../src/products/writers.ts';
import { webhook as aWebhook, conversion } from '../support/snapshot.ts';

const directory = join(import.meta.dirname, '..', '..', 'src', 'products', 'known');
const isProduct = (value: unknown): value is Product =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'name' in value;

const twice = (items: readonly string[]): readonly string[] =>
  items.filter((item, index) => items.indexOf(item) !== index);

describe('the products', () => {
  it('are all in the catalogue', async () => {
    const modules: readonly object[] = await Promise.all(
      readdirSync(directory).map((file) => import(pathToFileURL(join(directory, file)).href)),
    );
    const found = modules.flatMap((module) => Object.values(module).flat().filter(isProduct));
    expect(products).to.have.members([...new Set(found)]);
  });

  it('do not share names, webhooks, field managers or marks', () => {
    const writers = products.flatMap((product) => product.writers ?? []);
    expect(twice(products.map(({ name }) => name))).to.deep.equal([]);
    expect(twice(products.flatMap((product) => product.webhooks ?? []))).to.deep.equal([]);
    const telling = writers.flatMap(({ managers }) => managers).filter((name) => !commonNames.has(name));
    expect(twice(telling)).to.deep.equal([]);
    expect(twice(products.flatMap(({ services }) => services ?? []))).to.deep.equal([]);
    expect(twice(writers.flatMap(({ annotations }) => annotations ?? []))).to.deep.equal([]);
    const declarationTools = products.flatMap((product) => product.declarationTools ?? []);
    expect(twice(declarationTools.map((keeper) => `${keeper.in} ${keeper.key}`))).to.deep.equal([]);
  });

  const names: readonly (readonly [string, string | undefined])[] = [
    ['webhook.cert-manager.io', 'cert-manager'],
    ['validation.gatekeeper.sh', 'Gatekeeper'],
    ['validate.kyverno.svc-fail', 'Kyverno'],
    ['rev.namespace.sidecar-injector.istio.io', 'Istio'],
    ['linkerd-proxy-injector.linkerd.io', 'Linkerd'],
    ['vault.hashicorp.com', 'Vault Agent Injector'],
    ['prometheusrulemutate.monitoring.coreos.com', 'Prometheus Operator'],
    ['mservice.elbv2.k8s.aws', 'AWS Load Balancer Controller'],
    ['vscaledobject.kb.io', 'KEDA'],
    ['validate.kyverno.svc-fail-finegrained-require-labels', 'Kyverno'],
    ['vcluster.cnpg.io', 'CloudNativePG'],
    ['validation.webhook.pipeline.tekton.dev', 'Tekton'],
    ['config.webhook.eventing.knative.dev', 'Knative'],
    ['rancher.cattle.io', 'Rancher Webhook'],
    ['vpa.k8s.io', 'Vertical Pod Autoscaler'],
    ['vwidget.kb.io', undefined],
    ['notvault.hashicorp.com', undefined],
    ['validation.gatekeeper.sh.example.com', undefined],
  ];
  for (const [webhook, product] of names) {
    it(`${product ?? 'none'} registers ${webhook}`, () => {
      expect(productOfWebhook(webhook)?.name).to.equal(product);
    });
  }

  const enforcing: readonly (readonly [string, string | undefined])[] = [
    ['validation.gatekeeper.sh', 'Gatekeeper'],
    ['check-ignore-label.gatekeeper.sh', undefined],
    ['validate.kyverno.svc-ignore', 'Kyverno'],
    ['mutate.kyverno.svc-ignore-finegrained-a', 'Kyverno'],
    ['monitor-webhooks.kyverno.svc', undefined],
    ['rev.namespace.sidecar-injector.istio.io', 'Istio'],
    ['rev.validation.istio.io', undefined],
    ['webhook.cert-manager.io', undefined],
  ];
  for (const [webhook, product] of enforcing) {
    it(`${webhook} enforces ${product === undefined ? 'nothing for others' : `something of ${product}`}`, () => {
      expect(enforcedBy(webhook)?.product).to.equal(product);
    });
  }

  it('are recognised by their Services, if their webhooks have the names of kubebuilder', () => {
    const of = (service: string) =>
      productOf(
        aWebhook({
          webhook: 'mpod.kb.io',
          client: { service: { namespace: 'a', name: service, port: 443 } },
        }),
      );
    expect(of('kueue-webhook-service')?.name).to.equal('Kueue');
    expect(of('jobset-webhook-service')?.name).to.equal('JobSet');
    expect(of('webhook-service')).to.equal(undefined);
    expect(productOf(aWebhook({ webhook: 'mpod.kb.io', client: { url: 'https://a.example' } }))).to.equal(
      undefined,
    );
  });

  it('recognise a writer with a common name on their own callouts only', () => {
    const by = (manager: string, webhook: string) =>
      aWebhook({
        webhook,
        metadata: {
          name: 'policy',
          managedFields: [
            {
              manager,
              fieldsV1: {
                'f:webhooks': { [`k:{"name":"${webhook}"}`]: { 'f:clientConfig': { 'f:caBundle': {} } } },
              },
            },
          ],
        },
      });
    const known = (callout: ReturnType<typeof by>) => knownWriters(callout).map(({ writer }) => writer.name);
    const unknown = (callout: ReturnType<typeof by>) => unknownWriters(callout).map(([manager]) => manager);
    expect(known(by('manager', 'vcluster.cnpg.io'))).to.deep.equal(["CloudNativePG's operator"]);
    expect(unknown(by('manager', 'vcluster.cnpg.io'))).to.deep.equal([]);
    expect(known(by('manager', 'policy.example.com'))).to.deep.equal([]);
    expect(unknown(by('manager', 'policy.example.com'))).to.deep.equal(['manager']);
    expect(known(by('gatekeeper', 'policy.example.com'))).to.deep.equal(["Gatekeeper's certificate rotator"]);
  });

  it('name the writer of the caBundle, of CRDs too', () => {
    expect(ownInjector(conversion({ webhook: 'bgppeers.metallb.io' }))?.name).to.equal(
      "MetalLB's certificate rotator",
    );
    const service = { namespace: 'lws-system', name: 'lws-webhook-service', port: 443 };
    expect(ownInjector(aWebhook({ client: { service } }))?.name).to.include('LeaderWorkerSet');
    expect(ownInjector(conversion({ client: { service } }))).to.equal(undefined);
    expect(ownInjector(aWebhook())).to.equal(undefined);
    expect(ownInjector(aWebhook({ webhook: 'vpipeline.cluster.x-k8s.io' }))).to.equal(undefined);
  });
});
