import type { LabelSelector } from './label-selector.ts';
import type { Metadata } from './metadata.ts';

/** Addresses in CIDR notation, without those of `except`. */
export interface IpBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

/** The source or destination of a rule: Pods by their labels, or addresses. */
interface NetworkPolicyPeer {
  readonly podSelector?: LabelSelector;
  readonly ipBlock?: IpBlock;
}

/** The ports that a rule allows; `endPort`: the last one of a range from `port`. */
export interface NetworkPolicyPort {
  /** Default: TCP. */
  readonly protocol?: string;
  /** A container port, by number or name; absent: all ports. */
  readonly port?: number | string;
  readonly endPort?: number;
}

/** networking.k8s.io/v1 NetworkPolicy, for the traffic to and from Pods. */
export interface NetworkPolicy {
  readonly metadata: Metadata;
  readonly spec: {
    readonly podSelector: LabelSelector;
    /** Default: `Ingress` (and `Egress` if there are egress rules). */
    readonly policyTypes?: readonly string[];
    /**
     * Absent or empty: no traffic is allowed. Without `from` a rule allows all sources, without `ports` all
     * ports.
     */
    readonly ingress?: readonly {
      readonly from?: readonly NetworkPolicyPeer[];
      readonly ports?: readonly NetworkPolicyPort[];
    }[];
    /** Like `ingress`, for outgoing traffic. */
    readonly egress?: readonly {
      readonly to?: readonly NetworkPolicyPeer[];
      readonly ports?: readonly NetworkPolicyPort[];
    }[];
  };
}
