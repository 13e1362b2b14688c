import { goQuote } from '../go/quote.ts';
import { behaves } from '../server-version.ts';

const keyFormat = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const valueFormat = `(${keyFormat})?`;
const subdomainFormat = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';

const fullMatch = (format: string): RegExp => new RegExp(`^(?:${format})$`);
const key = fullMatch(keyFormat);
const value = fullMatch(valueFormat);
/** The format of a DNS subdomain (apimachinery IsDNS1123Subdomain); the length is not checked. */
export const subdomain = fullMatch(subdomainFormat);

const plain =
  "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const keyMessage = `must consist of ${plain} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${keyFormat}')`;
const valueMessage = `a valid label must be an empty string or consist of ${plain} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${valueFormat}')`;
/** The API server's error for a name that does not match {@link subdomain}. */
export const subdomainMessage = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomainFormat}')`;

/** In bytes. */
export const longestLabel = { name: 63, prefix: 253, value: 63 };

/** Texts that differ between releases. */
interface FaultTexts {
  readonly unit: string;
  readonly key: string;
  readonly most: string;
}
/**
 * The texts of a release.
 *
 * @param server version of the API server; a current one when undefined.
 */
export const faultTextsOf = (server: string | undefined): FaultTexts => ({
  ...(behaves(server, 'label-words')
    ? { unit: 'bytes', key: 'a valid label key' }
    : { unit: 'characters', key: 'a qualified name' }),
  most: behaves(server, 'too-long-words') ? 'may not be more than' : 'must have at most',
});

const tooLong = (text: string, most: number, { unit }: FaultTexts): readonly string[] =>
  Buffer.byteLength(text) > most ? [`must be no more than ${most} ${unit}`] : [];

function prefixFaults(prefix: string, words: FaultTexts): readonly string[] {
  if (prefix === '') return ['must be non-empty'];
  return [
    ...tooLong(prefix, longestLabel.prefix, words),
    ...(subdomain.test(prefix) ? [] : [subdomainMessage]),
  ];
}

/** apimachinery/pkg/api/validate/content/kube.go IsLabelKey. */
export function keyFaults(text: string, words: FaultTexts): readonly string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      `${words.key} ${keyMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  return [
    ...(parts.length === 2 ? prefixFaults(parts[0] ?? '', words).map((fault) => `prefix part ${fault}`) : []),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...tooLong(name, longestLabel.name, words).map((fault) => `name part ${fault}`),
    ...(key.test(name) ? [] : [`name part ${keyMessage}`]),
  ];
}

/** The API server's errors for a label value (IsValidLabelValue); empty if it is valid. */
export const valueFaults = (text: string, words: FaultTexts): readonly string[] => [
  ...tooLong(text, longestLabel.value, words),
  ...(value.test(text) ? [] : [valueMessage]),
];

/** Maximum bytes of all annotation keys and values of an object. */
const mostAnnotations = 256 * 1024;

type Texts = Readonly<Record<string, string>>;
type FaultLists = readonly (readonly string[])[];
const invalid = (field: string, text: string, faults: readonly string[]): readonly string[] =>
  faults.map((fault) => `${field}: Invalid value: ${goQuote(text)}: ${fault}`);

/** By entry: apimachinery/pkg/apis/meta/v1/validation ValidateLabels. */
const labelFaultLists = (labels: Texts, words: FaultTexts): FaultLists =>
  Object.entries(labels).map(([name, text]) => [
    ...invalid('metadata.labels', name, keyFaults(name, words)),
    ...invalid('metadata.labels', text, valueFaults(text, words)),
  ]);

/** apimachinery/pkg/api/validation/objectmeta.go ValidateAnnotations; keys are case-insensitive. */
function annotationFaultLists(annotations: Texts, words: FaultTexts): FaultLists {
  const entries = Object.entries(annotations);
  const size = entries.reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
  const faults = entries.map(([name]) =>
    invalid('metadata.annotation', name, keyFaults(name.toLowerCase(), words)),
  );
  const over = `metadata.annotation: Too long: ${words.most} ${mostAnnotations} bytes`;
  return size > mostAnnotations ? [...faults, [over]] : faults;
}

/**
 * The error for invalid labels or annotations; undefined if all are valid. `complete` false: several entries
 * are invalid, and their order differs between calls.
 *
 * @param server the API server's version.
 */
export function labelFault(
  field: 'labels' | 'annotations',
  texts: Texts,
  server?: string,
): { readonly text: string; readonly complete: boolean } | undefined {
  const words = faultTextsOf(server);
  const lists = field === 'labels' ? labelFaultLists(texts, words) : annotationFaultLists(texts, words);
  const bad = lists.filter((faults) => faults.length > 0);
  const [first, second] = [...new Set(bad.flat())];
  if (first === undefined) return undefined;
  if (second === undefined) return { text: first, complete: true };
  return bad.length === 1
    ? { text: `[${bad.flat().join(', ')}]`, complete: true }
    : { text: '[', complete: false };
}
