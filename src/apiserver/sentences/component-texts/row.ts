/** The component that writes the text; `storage`: the API server, about an object that it does not store. */
export type TextClass =
  | 'call-failure'
  | 'denial'
  | 'conversion'
  | 'aggregated-api'
  | 'storage'
  | 'backend-log'
  | 'other';

/** A text of a backend, kubelet, controller, operator or Job that occurs when a webhook fails. */
export interface TextOf<Kind extends string> {
  /** The subject of the text; several wordings of one subject are several texts. */
  readonly kind: Kind;
  readonly class: TextClass;
  readonly link:
    | 'registration'
    | 'routing'
    | 'backend'
    | 'replica'
    | 'tls'
    | 'response'
    | 'network'
    | 'ownership'
    | 'scope'
    | 'effect';
  /** Groups: the `webhook` in the text, or the `group` and `version` of an API. */
  readonly pattern: RegExp;
  /** An example as the component writes it. */
  readonly says: string;
  /** One or two sentences. */
  readonly means: string;
  /** Plain commands that show more, if no check does. */
  readonly next?: readonly string[];
}

/** From the log of a backend unless `class` is set. */
type Row = Omit<TextOf<string>, 'kind' | 'link' | 'class'> & { readonly class?: TextClass };

/** One text of a table. */
export const row = <Kind extends string>(
  kind: Kind,
  link: TextOf<string>['link'],
  text: Row,
): TextOf<Kind> => ({ kind, link, class: 'backend-log', ...text });
