/** Parts of a webhook configuration that somebody may want to change. */
export type ConfigurationField =
  | 'caBundle'
  | 'failurePolicy'
  | 'matchConditions'
  | 'namespaceSelector'
  | 'rules'
  | 'timeoutSeconds';

/** A process that writes into webhook configurations while it runs. */
export interface Writer {
  /** In words: `cainjector`, `istiod`. */
  readonly name: string;
  /**
   * `managedFields[].manager` of what it writes. One that many programs have (`manager`, `webhook`) tells of it on
   * callouts of its own product only.
   */
  readonly managers: readonly string[];
  /** Annotations by which an object asks to be written to. */
  readonly annotations?: readonly string[];
  readonly fields: readonly ConfigurationField[];
  /** It writes webhook configurations, and no CustomResourceDefinition. */
  readonly admissionOnly?: true;
  /** Where a change lasts: the end of a sentence that begins "a change lasts". */
  readonly lasts: string;
}

/** Labels or annotations by which a controller that restores a declared state knows its objects. */
export interface Keeper {
  /** In words, before the source's name: `Argo CD Application`. */
  readonly name: string;
  readonly in: 'labels' | 'annotations';
  /** Holds the name of the source, up to a colon. */
  readonly key: string;
  /** Holds the namespace of the source. */
  readonly namespaceKey?: string;
}

/** How a product keeps the serving certificate of its own webhooks. */
export interface Rotation {
  /** Who renews it, in words. */
  readonly by: string;
  /**
   * The Secret in the Service's namespace in which it stands although no Pod mounts it; `{service}` and `{namespace}`
   * stand for the callout's own. Absent: in memory, or where the Pods mount it.
   */
  readonly secret?: string;
  /** Only the authority is in that Secret; what signs the calls is made in memory. */
  readonly authorityOnly?: true;
  /** Days that a serving certificate lives, and how many are left when it is renewed, unless told otherwise. */
  readonly days?: number;
  readonly daysLeft?: number;
  /** Renewed at installation and upgrade only: no process does it. */
  readonly atUpgrade?: true;
}

/** What a product puts into Pods when they are made, and how it shows that it has. */
export interface Injection {
  /** Names, or their ends, of the webhooks that do it. */
  readonly webhooks: readonly string[];
  /** In words: `Istio proxy`. */
  readonly what: string;
  /** Annotation that every Pod bears which it was put into. */
  readonly mark: string;
  /** Annotation by which a Pod asks for it, and what it then says; absent: the webhook's selectors decide. */
  readonly asked?: {
    readonly annotation: string;
    readonly values: readonly string[];
    /** The Namespace's annotation counts for Pods that have none. */
    readonly ofNamespace?: true;
  };
  /** Annotation or label that says `false` on Pods that do without. */
  readonly refused?: string;
  /** Pods without a token of their ServiceAccount do without. */
  readonly needsToken?: true;
}

/** What we know of one product. */
export interface Product {
  readonly name: string;
  /**
   * Names that only this product gives to `webhooks[]`, CRDs and APIServices; those that begin with a dot are ends, those
   * that end with an asterisk stand anywhere.
   */
  readonly webhooks?: readonly string[];
  /** Names of Services that only this product has: for webhooks that are named by kubebuilder's default (`mpod.kb.io`). */
  readonly services?: readonly string[];
  /** What goes unenforced while its webhooks are passed by. */
  readonly enforces?: {
    /** Names, or their ends, of the webhooks that enforce it; its other webhooks guard its own objects. */
    readonly webhooks: readonly string[];
    /** In words, the subject of a sentence: `its constraints`. */
    readonly what: string;
  };
  readonly injects?: Injection;
  /** Its processes make its webhook configurations when they run: who installed it has made none. */
  readonly registersItself?: {
    /** The Service that its webhooks are called at; it exists only where they are wanted. */
    readonly service: string;
    /** What happens while there are none: the end of a sentence. */
    readonly otherwise: string;
  };
  /** Words in the names of its Deployments. */
  readonly workloads?: readonly string[];
  readonly writers?: readonly Writer[];
  /** Absent: nothing is known, or somebody else (cert-manager) is asked to. */
  readonly rotation?: Rotation;
  readonly keepers?: readonly Keeper[];
  /** Labels that its processes give to their own Pods while they run: no template carries them. */
  readonly labelsWhileRunning?: readonly string[];
  /** Its provider runs it beside every API server: a URL on their loopback is right, and nobody else's to change. */
  readonly besideApiServers?: true;
}

/** A product whose own process keeps its certificate in a Secret, and writes the authority into each caBundle. */
export const keepsItsCertificate = (
  by: string,
  managers: readonly string[],
  secret: string,
  rest: Pick<Rotation, 'days' | 'daysLeft'> = {},
): Pick<Product, 'writers' | 'rotation'> => ({
  writers: [{ name: by, managers, fields: ['caBundle'], lasts: `in the Secret ${secret}` }],
  rotation: { by, secret, ...rest },
});

/** open-policy-agent/cert-controller pkg/rotator/rotator.go: a new server certificate 90 days before its year is over. */
export const rotatedByCertController = (by: string, managers: readonly string[], secret: string) =>
  keepsItsCertificate(by, managers, secret, { days: 365, daysLeft: 90 });

/** The same for webhook configurations alone. */
export function rotatedForAdmission(...given: Parameters<typeof rotatedByCertController>) {
  const { writers = [], ...rest } = rotatedByCertController(...given);
  return { ...rest, writers: writers.map((writer) => ({ ...writer, admissionOnly: true }) as const) };
}
