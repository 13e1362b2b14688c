/** Parts of a webhook configuration that somebody may want to change. */
export type ConfigurationField =
  | 'caBundle'
  | 'failurePolicy'
  | 'namespaceSelector'
  | 'rules'
  | 'timeoutSeconds';

/** A process that writes into webhook configurations while it runs. */
export interface Writer {
  /** In words: `cainjector`, `istiod`. */
  readonly name: string;
  /** `managedFields[].manager` of what it writes. */
  readonly managers: readonly string[];
  /** Annotations by which an object asks to be written to. */
  readonly annotations?: readonly string[];
  readonly fields: readonly ConfigurationField[];
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

/** What we know of one product. */
export interface Product {
  readonly name: string;
  /** Ends of `webhooks[].name` that only this product gives. */
  readonly webhooks?: readonly string[];
  /** What goes unenforced while its webhooks are passed by. */
  readonly enforces?: {
    /** Names, or their ends, of the webhooks that enforce it; its other webhooks guard its own objects. */
    readonly webhooks: readonly string[];
    /** In words, the subject of a sentence: `its constraints`. */
    readonly what: string;
  };
  /** Words in the names of its Deployments. */
  readonly workloads?: readonly string[];
  readonly writers?: readonly Writer[];
  readonly keepers?: readonly Keeper[];
}
