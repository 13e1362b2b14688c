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
}

const cainjector = {
  name: "cert-manager's cainjector",
  lease: { namespace: 'kube-system', name: 'cert-manager-cainjector-leader-election' },
};
const serviceCa = {
  name: "OpenShift's service CA operator",
  names: 'nothing',
  lease: { namespace: 'openshift-service-ca', name: 'service-ca-controller-lock' },
} as const;

/** https://cert-manager.io/docs/concepts/ca-injector/, openshift/service-ca-operator. */
export const caInjectors: readonly CaInjector[] = [
  { ...cainjector, annotation: 'cert-manager.io/inject-ca-from', names: 'Certificate' },
  { ...cainjector, annotation: 'cert-manager.io/inject-ca-from-secret', names: 'Secret' },
  { ...cainjector, annotation: 'cert-manager.io/inject-apiserver-ca', names: 'nothing' },
  { ...serviceCa, annotation: 'service.beta.openshift.io/inject-cabundle' },
  { ...serviceCa, annotation: 'service.alpha.openshift.io/inject-cabundle' },
];

/** The injector that an object asks for, and what its annotation says. */
export function askedInjector(
  metadata: Metadata,
): { readonly injector: CaInjector; readonly value: string } | undefined {
  for (const injector of caInjectors) {
    const value = metadata.annotations?.[injector.annotation] ?? 'false';
    if (value !== 'false') return { injector, value };
  }
  return undefined;
}
