import type { LabelSelector, Metadata } from './metadata.ts';

/** Whose packets a rule lets in, or where it lets them go: Pods by their labels, or addresses. */
export interface NetworkPolicyPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

export interface NetworkPolicyPort {
  /** TCP when absent. */
  readonly protocol?: string;
  /** A container's port, by number or name; absent: every one. */
  readonly port?: number | string;
  readonly endPort?: number;
}

/** networking.k8s.io/v1 NetworkPolicy, of the packets to and from Pods. */
export interface NetworkPolicy {
  readonly metadata: Metadata;
  readonly spec: {
    readonly podSelector: LabelSelector;
    /** `Ingress` when absent (and `Egress` with egress rules). */
    readonly policyTypes?: readonly string[];
    /** Absent or empty: nothing gets in. A rule without `from` lets everybody in, one without `ports` to every port. */
    readonly ingress?: readonly {
      readonly from?: readonly NetworkPolicyPeer[];
      readonly ports?: readonly NetworkPolicyPort[];
    }[];
    /** Like `ingress`, for packets that leave. */
    readonly egress?: readonly {
      readonly to?: readonly NetworkPolicyPeer[];
      readonly ports?: readonly NetworkPolicyPort[];
    }[];
  };
}
