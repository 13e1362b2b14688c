import type { Metadata } from '../facts/objects/metadata.ts';

/** Who fills in a caBundle when an annotation asks for it. */
export interface CaInjector {
  readonly annotation: string;
  /** In words. */
  readonly name: string;
  /** What the annotation names: a Certificate or a Secret as `namespace/name`; nothing more than a wish. */
  readonly names: 'Certificate' | 'Secret' | 'nothing';
  /** The Lease that its leader renews, as its chart or operator has it. */
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Whose log to read: its namespace, and its workload as `kubectl logs` takes it. */
  readonly log: { readonly place: string; readonly affected: string };
}

const cainjector = {
  name: "cert-manager's cainjector",
  lease: { namespace: 'kube-system', name: 'cert-manager-cainjector-leader-election' },
  log: { place: 'cert-manager', affected: 'deployment/cert-manager-cainjector' },
};
const serviceCa = {
  name: "OpenShift's service CA operator",
  names: 'nothing',
  lease: { namespace: 'openshift-service-ca', name: 'service-ca-controller-lock' },
  log: { place: 'openshift-service-ca', affected: 'deployment/service-ca' },
} as const;

/** The first one that is asked counts: cert-manager's setup.go, openshift/service-ca-operator. */
const caInjectors: readonly CaInjector[] = [
  { ...cainjector, annotation: 'cert-manager.io/inject-ca-from-secret', names: 'Secret' },
  { ...cainjector, annotation: 'cert-manager.io/inject-ca-from', names: 'Certificate' },
  { ...cainjector, annotation: 'cert-manager.io/inject-apiserver-ca', names: 'nothing' },
  { ...serviceCa, annotation: 'service.beta.openshift.io/inject-cabundle' },
  { ...serviceCa, annotation: 'service.alpha.openshift.io/inject-cabundle' },
];

/** The injector that an object asks for, and what its annotation says. */
export interface RequestedInjector {
  readonly injector: CaInjector;
  readonly value: string;
}

/** An annotation that names nothing asks with `true` and with nothing else. */
const asks = ({ names }: CaInjector, value: string): boolean =>
  names === 'nothing' ? value === 'true' : value !== 'false';

export function requestedInjector(metadata: Metadata): RequestedInjector | undefined {
  for (const injector of caInjectors) {
    const value = metadata.annotations?.[injector.annotation];
    if (value !== undefined && asks(injector, value)) return { injector, value };
  }
  return undefined;
}
