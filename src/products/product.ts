import { defined } from '../basics/collections.ts';

/** Fields of a webhook configuration that a user may want to change. */
export type ConfigurationField =
  | 'caBundle'
  | 'failurePolicy'
  | 'matchConditions'
  | 'namespaceSelector'
  | 'rules'
  | 'timeoutSeconds';

/** A process that writes webhook configurations: while it runs, or once as a Job. */
export interface Writer {
  /** Its name for messages: `cainjector`, `istiod`. */
  readonly name: string;
  /**
   * Its name in `managedFields[].manager`. A name that many programs have (`manager`, `webhook`) counts only
   * on callouts of its own product.
   */
  readonly managers: readonly string[];
  /** Annotations by which an object requests its writes. */
  readonly annotations?: readonly string[];
  readonly fields: readonly ConfigurationField[];
  /** It is a Job: it writes only at installation and upgrade. */
  readonly isJob?: true;
  /** Ends of the names of the Services whose Pods it runs in; absent: of all webhooks; empty: another workload. */
  readonly services?: readonly string[];
  /** It writes webhook configurations, but not CustomResourceDefinitions. */
  readonly admissionOnly?: true;
  /** Where to change an object permanently: the end of a sentence that starts with "permanent change:". */
  readonly lasts: string;
}

/** Labels or annotations by which a controller that restores a declared state identifies its objects. */
export interface DeclarationTool {
  /** Text before the source's name in messages: `Argo CD Application`. */
  readonly name: string;
  readonly in: 'labels' | 'annotations';
  /** The label or annotation with the name of the source, up to a colon. */
  readonly key: string;
  /** The label or annotation with the namespace of the source. */
  readonly namespaceKey?: string;
}

/** How a product renews the serving certificate of its own webhooks. */
export interface Rotation {
  readonly by: string;
  /**
   * The Secret in the Service's namespace that contains it although no Pod mounts it; `{service}` and
   * `{namespace}` are replaced by those of the callout. Absent: in memory, or in a Secret that the Pods
   * mount.
   */
  readonly secret?: string;
  /** It creates no Secret: the installation must contain an empty one. */
  readonly onlyFills?: true;
  /** Ends of the names of the Services whose Pods renew it; absent: of all webhooks; empty: another workload does. */
  readonly services?: readonly string[];
  /** The Secret contains only the CA; the serving certificate is generated in memory. */
  readonly authorityOnly?: true;
  /** Validity of a serving certificate in days, and days before expiry at which it is renewed, by default. */
  readonly days?: number;
  readonly daysLeft?: number;
  /** Renewed only at installation and upgrade: no running process renews it. */
  readonly atUpgrade?: true;
}

/** What a product injects into Pods at creation, and how an injected Pod can be recognized. */
export interface Injection {
  /** Names, or their suffixes, of the webhooks that inject it. */
  readonly webhooks: readonly string[];
  /** Its name for messages: `Istio proxy`. */
  readonly what: string;
  /** Annotation or label that every injected Pod has; without a slash, the name of a volume. */
  readonly mark: string;
  /** Annotation or label with which a Pod requests injection, and its value; absent: the webhook's selectors. */
  readonly asked?: {
    readonly key: string;
    /** Absent: an annotation. */
    readonly in?: 'labels';
    readonly values: readonly string[];
    /** The Namespace's annotation applies to Pods without one. */
    readonly ofNamespace?: true;
  };
  /** Labels of namespaces that request injection into all their Pods; other labels of a selector need not request it. */
  readonly askedByNamespace?: readonly string[];
  /** Names of containers beside which nothing is injected: its own, or those of other proxies. */
  readonly notBeside?: readonly string[];
  /** Namespaces whose Pods it never changes, besides those of the system. */
  readonly neverIn?: readonly string[];
  /** Annotation or label that refuses injection, with any value that does not mean yes. */
  readonly refused?: string;
  /** Pods without a ServiceAccount token are not injected. */
  readonly needsToken?: true;
}

/** A known product. */
export interface Product {
  readonly name: string;
  /**
   * Names in `webhooks[]`, of CRDs and of APIServices that only this product uses. One that starts with a dot
   * is a suffix; one that ends with an asterisk matches anywhere.
   */
  readonly webhooks?: readonly string[];
  /** Names of Services of this product only: for kubebuilder's default webhook names (`mpod.kb.io`). */
  readonly services?: readonly string[];
  /** The Service of its webhook, and the port of the Pods behind it, if its installation sets no other ones. */
  readonly listensAt?: { readonly service: string; readonly port: number };
  /** The policies that are not enforced while its webhooks are skipped. */
  readonly enforces?: {
    /** Names, or their suffixes, of webhooks that enforce it; its other ones protect its own objects. */
    readonly webhooks: readonly string[];
    /** A noun: `constraints`. */
    readonly what: string;
  };
  readonly injects?: Injection;
  /** Its processes create its webhook configurations at runtime; its installation does not contain them. */
  readonly registersItself?: {
    /** The Service of its webhooks; it exists only if they are enabled. */
    readonly service: string;
    /** The consequence if there are none: the end of a sentence. */
    readonly otherwise: string;
  };
  /** Words in the names of its Deployments. */
  readonly workloads?: readonly string[];
  readonly writers?: readonly Writer[];
  /** Absent: unknown, or done by another tool (cert-manager). */
  readonly rotation?: Rotation;
  readonly declarationTools?: readonly DeclarationTool[];
  /** Labels that its processes add to their own Pods at runtime: no template has them. */
  readonly labelsWhileRunning?: readonly string[];
  /** The provider runs it beside every API server: a loopback URL is correct, and only it can change that. */
  readonly besideApiServers?: true;
  /** The prefix of the names of its nodes that run one Pod each, at the address of the node. */
  readonly nodesOfOnePod?: string;
  /** A word in the annotations of workloads that it scales to zero. */
  readonly scales?: string;
}

/** A product whose own process renews its certificate, and writes fields of its webhook objects: by default the CA. */
export const maintainedBy = (
  by: string,
  {
    managers,
    fields = ['caBundle'],
    lasts,
    isJob,
    services,
    ...rotation
  }: Pick<Writer, 'managers' | 'lasts' | 'isJob'> & Partial<Pick<Writer, 'fields'>> & Omit<Rotation, 'by'>,
): Pick<Product, 'writers' | 'rotation'> => ({
  writers: [{ name: by, managers, fields, lasts, ...defined({ isJob, services }) }],
  rotation: { by, ...rotation, ...defined({ services }) },
});

/** The same for a process that keeps its certificate in a Secret, and writes only the CA. */
export const renewsOwnCertificate = (
  by: string,
  managers: readonly string[],
  secret: string,
  rest: Pick<Rotation, 'days' | 'daysLeft' | 'onlyFills' | 'services'> = {},
) => maintainedBy(by, { managers, secret, lasts: `in the Secret ${secret}`, ...rest });

/**
 * open-policy-agent/cert-controller pkg/rotator/rotator.go: a serving certificate is valid for a year and
 * renewed 90 days before expiry. It reads the Secret before it fills it.
 */
export const rotatedByCertController = (by: string, managers: readonly string[], secret: string) =>
  renewsOwnCertificate(by, managers, secret, { days: 365, daysLeft: 90, onlyFills: true });

/** The same for a writer of webhook configurations only. */
export function rotatedForAdmission(...given: Parameters<typeof rotatedByCertController>) {
  const { writers = [], ...rest } = rotatedByCertController(...given);
  return { ...rest, writers: writers.map((writer) => ({ ...writer, admissionOnly: true }) as const) };
}
