import { aks } from './aks.ts';
import { argoCd } from './argo-cd.ts';
import { awsLoadBalancerController } from './aws-load-balancer-controller.ts';
import { certManager } from './cert-manager.ts';
import { datadog } from './datadog.ts';
import { externalSecrets } from './external-secrets.ts';
import { flux } from './flux.ts';
import { gardener } from './gardener.ts';
import { gatekeeper } from './gatekeeper.ts';
import { ingressNginx } from './ingress-nginx.ts';
import { istio } from './istio.ts';
import { keda } from './keda.ts';
import { knative } from './knative.ts';
import { kyverno } from './kyverno.ts';
import { linkerd } from './linkerd.ts';
import { longhorn } from './longhorn.ts';
import { openshift } from './openshift.ts';
import { operatorLifecycleManager } from './operator-lifecycle-manager.ts';
import type { Product } from './product.ts';
import { prometheusOperator } from './prometheus-operator.ts';
import { vaultInjector } from './vault-injector.ts';
import { webhookCertgen } from './webhook-certgen.ts';

/** Every product that we know something about. */
export const products: readonly Product[] = [
  aks,
  argoCd,
  awsLoadBalancerController,
  certManager,
  datadog,
  externalSecrets,
  flux,
  gardener,
  gatekeeper,
  ingressNginx,
  istio,
  keda,
  knative,
  kyverno,
  linkerd,
  longhorn,
  openshift,
  operatorLifecycleManager,
  prometheusOperator,
  vaultInjector,
  webhookCertgen,
];
