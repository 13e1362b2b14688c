import type { Product } from './product.ts';

export const linkerd: Product = {
  name: 'Linkerd',
  webhooks: ['.linkerd.io'],
  enforces: {
    webhooks: ['linkerd-proxy-injector.linkerd.io'],
    what: 'its proxies, and with them mutual TLS and authorization',
  },
  // linkerd2 controller/proxy-injector/webhook.go, pkg/inject.
  injects: {
    webhooks: ['linkerd-proxy-injector.linkerd.io'],
    what: 'Linkerd proxy',
    mark: 'linkerd.io/proxy-version',
    asked: { annotation: 'linkerd.io/inject', values: ['enabled', 'ingress'], ofNamespace: true },
    needsToken: true,
  },
  workloads: ['linkerd'],
  rotation: { by: "Linkerd's installation", secret: '{service}-k8s-tls', atUpgrade: true },
};
