import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { products } from '../../src/products/catalogue.ts';
import { enforcedBy, productOfWebhook } from '../../src/products/of-webhook.ts';
import type { Product } from '../../src/products/product.ts';

const directory = join(import.meta.dirname, '..', '..', 'src', 'products');
const isProduct = (value: unknown): value is Product =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'name' in value;

const twice = (items: readonly string[]): readonly string[] =>
  items.filter((item, index) => items.indexOf(item) !== index);

describe('the products', () => {
  it('are all in the catalogue', async () => {
    const modules: readonly object[] = await Promise.all(
      readdirSync(directory).map((file) => import(pathToFileURL(join(directory, file)).href)),
    );
    const found = modules.flatMap((module) => Object.values(module).filter(isProduct));
    expect(products).to.have.members(found);
  });

  it('do not share names, webhooks, field managers or marks', () => {
    const writers = products.flatMap((product) => product.writers ?? []);
    expect(twice(products.map(({ name }) => name))).to.deep.equal([]);
    expect(twice(products.flatMap((product) => product.webhooks ?? []))).to.deep.equal([]);
    expect(twice(writers.flatMap(({ managers }) => managers))).to.deep.equal([]);
    expect(twice(writers.flatMap(({ annotations }) => annotations ?? []))).to.deep.equal([]);
    const keepers = products.flatMap((product) => product.keepers ?? []);
    expect(twice(keepers.map((keeper) => `${keeper.in} ${keeper.key}`))).to.deep.equal([]);
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
});
