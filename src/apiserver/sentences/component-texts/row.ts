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

/** Makes the texts of one class, for a table. */
const rowsOf =
  (textClass: TextClass) =>
  <Kind extends string>(
    kind: Kind,
    link: TextOf<string>['link'],
    text: Omit<TextOf<string>, 'kind' | 'link' | 'class'>,
  ): TextOf<Kind> => ({ kind, link, class: textClass, ...text });

/** A text from the log of a backend, or about its Pods. */
export const textRow = rowsOf('backend-log');
/** A text of the API server about a call. */
export const callRow = rowsOf('call-failure');
/** A text of the API server, or of a webhook, that refuses a request. */
export const denialRow = rowsOf('denial');
/** A text about a conversion. */
export const conversionRow = rowsOf('conversion');
/** A text about an aggregated API. */
export const aggregatedRow = rowsOf('aggregated-api');
/** A text of the API server about an object that it does not store. */
export const storageRow = rowsOf('storage');
/** A text of any other component. */
export const otherRow = rowsOf('other');
